#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::base {

/// The 16 lower-case hexadecimal digits of a number, highest first.
std::array<char, 16> hexadecimal_of(std::uint64_t number) noexcept;

/// Appends two lower-case hexadecimal digits for each byte.
void append_hexadecimal(std::string& out, std::span<const std::uint8_t> bytes);

/// Two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);

} // namespace matchcloud::base
