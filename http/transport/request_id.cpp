#include "http/transport/request_id.hpp"

#include "base/hexadecimal.hpp"
#include "http/wire/response.hpp"
#include "model/access/token_text.hpp"

namespace matchcloud::http {

void request_id_source::assign(request& to) {
  const auto& sent = to.get(header::x_request_id);
  // Ids are logged, and a token must not be.
  if (is_sane_request_id(sent) && !model::has_token(sent)) {
    to.id = sent;
    return;
  }
  to.id.clear();
  append_next(to.id);
}

std::string request_id_source::next() {
  std::string id;
  append_next(id);
  return id;
}

void request_id_source::append_next(std::string& out) {
  for (const auto number : {seed_, ++count_}) {
    const auto digits = base::hexadecimal_of(number);
    out.append(digits.data(), digits.size());
  }
}

} // namespace matchcloud::http
