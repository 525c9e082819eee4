#include "base/hexadecimal.hpp"

#include <string_view>

namespace matchcloud::base {

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
