#include "store/exports/signature.hpp"

#include "base/crypto/signing.hpp"

#include <algorithm>

namespace matchcloud::store {

std::string make_signature(const secret_versions& keys, std::string_view text) {
  return base::sign(keys.front().secret, text);
}

bool accepts_signature(const secret_versions& keys, std::string_view text,
                       std::string_view signature, std::int64_t now_ts) {
  return std::any_of(keys.begin(), keys.end(), [&](const secret_version& each) {
    return each.is_accepted(now_ts) && base::is_signed(each.secret, text, signature);
  });
}

} // namespace matchcloud::store
