#include "base/hexadecimal.hpp"

#include <string_view>

namespace matchcloud::base {

void append_hexadecimal(std::string& out, std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  out.reserve(out.size() + 2 * bytes.size());
  for (const auto byte : bytes) {
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string digits;
  append_hexadecimal(digits, bytes);
  return digits;
}

} // namespace matchcloud::base
