#pragma once

#include "model/text/uuid.hpp"
#include "store/secrets/secret_versions.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::actors {

/// The URL of an export under `public_url`, valid until `expires_s` (seconds since 1970).
std::string export_url(const std::string& public_url, const model::uuid& export_id,
                       std::uint64_t expires_s, const store::secret_versions& keys);

/// Whether this service signed the URL with these parts. Does not check whether it has expired.
bool is_export_url_signed(const model::uuid& export_id, std::uint64_t expires_s,
                          std::string_view signature, const store::secret_versions& keys,
                          std::int64_t now_ts);

} // namespace matchcloud::actors
