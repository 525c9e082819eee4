#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// The key of signatures: random bytes that only the service knows.
using signing_secret = std::array<std::uint8_t, 32>;

/// HMAC-SHA256 (RFC 2104) of `text` as 64 lower-case hexadecimal digits. Any thread.
std::string sign(const signing_secret& secret, std::string_view text);

/// Whether `signature` is `sign(secret, text)`. Compares in constant time.
bool is_signed(const signing_secret& secret, std::string_view text, std::string_view signature);

} // namespace matchcloud::base
