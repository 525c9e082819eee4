#include "http/wire/header_characters.hpp"

#include <algorithm>

namespace matchcloud::http {

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
