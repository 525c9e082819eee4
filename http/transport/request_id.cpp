#include "http/transport/request_id.hpp"

#include "http/wire/response.hpp"
#include "model/access/token_text.hpp"

namespace matchcloud::http {

namespace {

void append_hex(std::string& out, std::uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4)
    out.push_back("0123456789abcdef"[(number >> static_cast<unsigned>(shift)) & 0xFU]);
}

} // namespace

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
  append_hex(out, seed_);
  append_hex(out, ++count_);
}

} // namespace matchcloud::http
