#include "http/transport/request_id.hpp"

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
  set_next(to.id);
}

std::string request_id_source::next() {
  std::string id;
  set_next(id);
  return id;
}

void request_id_source::set_next(std::string& id) {
  const auto number = base::hexadecimal_of(++count_);
  id.assign(seed_.data(), seed_.size()).append(number.data(), number.size());
}

} // namespace matchcloud::http
