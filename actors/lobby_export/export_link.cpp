#include "actors/lobby_export/export_link.hpp"

#include "base/crypto/signing.hpp"

#include <algorithm>

namespace matchcloud::actors {

namespace {

/// The signed part of the URL: everything after the public URL and before the signature, so that a
/// service can change its public URL.
std::string signed_part(const model::uuid& export_id, std::uint64_t expires_s) {
  return "/exports/" + model::to_string(export_id) +
         "/lobby-history.csv?expires=" + std::to_string(expires_s);
}

} // namespace

std::string export_url(const std::string& public_url, const model::uuid& export_id,
                       std::uint64_t expires_s, const store::secret_versions& keys) {
  const auto part = signed_part(export_id, expires_s);
  return public_url + part + "&signature=" + base::sign(keys.front().secret, part);
}

bool is_export_url_signed(const model::uuid& export_id, std::uint64_t expires_s,
                          std::string_view signature, const store::secret_versions& keys,
                          std::int64_t now_ts) {
  const auto part = signed_part(export_id, expires_s);
  return std::ranges::any_of(keys, [&](const store::secret_version& each) {
    return each.is_accepted(now_ts) && base::is_signed(each.secret, part, signature);
  });
}

} // namespace matchcloud::actors
