#include "model/access/new_token.hpp"

#include "base/crypto/sha256.hpp"
#include "base/randomness.hpp"

#include <array>
#include <utility>

namespace matchcloud::model {

issued_token make_token(const new_token& wanted, std::string created_by, std::int64_t now_ms) {
  issued_token made;
  std::array<std::uint8_t, 16> id{};
  base::fill_random(id);
  made.text = make_token_text(wanted.kind);
  made.token.token_id = random_uuid(id);
  made.token.what = wanted;
  made.token.digest = digest_of(made.text);
  made.token.created_ms = now_ms;
  made.token.created_by = std::move(created_by);
  return made;
}

std::string make_token_text(token_kind kind) {
  std::array<std::uint8_t, 32> random{};
  base::fill_random(random);
  return make_token_text(kind, random);
}

token_digest digest_of(std::string_view text) {
  return base::sha256(text);
}

} // namespace matchcloud::model
