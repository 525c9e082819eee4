#include "base/hexadecimal.hpp"

#include <string_view>

namespace matchcloud::base {

namespace {

constexpr std::string_view hexadecimal_digits = "0123456789abcdef";

} // namespace

std::array<char, 16> hexadecimal_of(std::uint64_t number) noexcept {
  std::array<char, 16> digits;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, number >>= 4U)
    *at = hexadecimal_digits[number & 0xFU];
  return digits;
}

void append_hexadecimal(std::string& out, std::span<const std::uint8_t> bytes) {
  const auto begin = out.size();
  out.resize(begin + 2 * bytes.size());
  auto* at = out.data() + begin;
  for (const auto byte : bytes) {
    *at++ = hexadecimal_digits[byte >> 4U];
    *at++ = hexadecimal_digits[byte & 0xFU];
  }
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string digits;
  append_hexadecimal(digits, bytes);
  return digits;
}

} // namespace matchcloud::base
