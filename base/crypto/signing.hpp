#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// Random bytes that only the service knows: its signing key, or a secret that keys derive from.
using secret_bytes = std::array<std::uint8_t, 32>;

/// HMAC-SHA256 (RFC 2104) of `text` as 64 lower-case hexadecimal digits. Any thread.
std::string sign(const secret_bytes& secret, std::string_view text);

/// Whether `signature` is `sign(secret, text)`. Compares in constant time.
bool is_signed(const secret_bytes& secret, std::string_view text, std::string_view signature);

} // namespace matchcloud::base
