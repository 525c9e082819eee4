#pragma once

#include "store/secrets/secret_versions.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

// Signatures by the named secret `signing_keys`. Any thread.

/// Signs with the newest key: 64 lower-case hexadecimal digits.
std::string make_signature(const secret_versions& keys, std::string_view text);

/// Whether `signature` was made for `text` with any key that is accepted at `now_ts` (milliseconds
/// since 1970).
bool accepts_signature(const secret_versions& keys, std::string_view text,
                       std::string_view signature, std::int64_t now_ts);

} // namespace matchcloud::store
