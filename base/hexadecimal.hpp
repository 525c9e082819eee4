#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::base {

/// Appends two lower-case hexadecimal digits for each byte.
void append_hexadecimal(std::string& out, std::span<const std::uint8_t> bytes);

/// Two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);

} // namespace matchcloud::base
