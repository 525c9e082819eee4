#include "http/wire/header_characters.hpp"

#include <algorithm>

namespace matchcloud::http {

std::optional<std::uint64_t> read_digits(std::string_view digits) noexcept {
  if (digits.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (!is_digit(static_cast<unsigned char>(c))) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
  }
  return number;
}

std::string in_quotes(std::string_view bytes) {
  constexpr std::size_t echo_limit_bytes = 64;
  std::string text = "'";
  for (const char c : bytes.substr(0, echo_limit_bytes))
    text += c >= 0x20 && c < 0x7f && c != '\'' ? c : '?';
  text += bytes.size() > echo_limit_bytes ? "..'" : "'";
  return text;
}

std::string byte_name(char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(c);
  return {'b', 'y', 't', 'e', ' ', '0', 'x', digits[value >> 4], digits[value & 15]};
}

} // namespace matchcloud::http
