#include "base/hexadecimal.hpp"

#include <bit>
#include <string_view>

namespace matchcloud::base {

std::array<char, 16> hexadecimal_of(std::uint64_t number) noexcept {
  // Computes all digits of a half at once, one per byte, the lowest first.
  const auto half = [](std::uint64_t digits) noexcept {
    digits = (digits | digits << 16U) & 0x0000'FFFF'0000'FFFF;
    digits = (digits | digits << 8U) & 0x00FF'00FF'00FF'00FF;
    digits = (digits | digits << 4U) & 0x0F0F'0F0F'0F0F'0F0F;
    const auto letters = (digits + 0x0606'0606'0606'0606) >> 4U & 0x0101'0101'0101'0101;
    return digits + 0x3030'3030'3030'3030 + letters * ('a' - '0' - 10);
  };
  static_assert(std::endian::native == std::endian::little);
  const std::array<std::uint64_t, 2> halves{__builtin_bswap64(half(number >> 32U)),
                                            __builtin_bswap64(half(number & 0xFFFF'FFFF))};
  return std::bit_cast<std::array<char, 16>>(halves);
}

void append_hexadecimal(std::string& out, std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto begin = out.size();
  out.resize(begin + 2 * bytes.size());
  auto* at = out.data() + begin;
  for (const auto byte : bytes) {
    *at++ = digits[byte >> 4U];
    *at++ = digits[byte & 0xFU];
  }
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string digits;
  append_hexadecimal(digits, bytes);
  return digits;
}

} // namespace matchcloud::base
