#include "model/host_name.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

/// RFC 1035 section 2.3.4, without the trailing dot.
constexpr std::size_t host_name_limit_bytes = 253;
constexpr std::size_t host_label_limit_bytes = 63;

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_host_label(std::string_view label) {
  return !label.empty() && label.size() <= host_label_limit_bytes && label.front() != '-' &&
         label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

} // namespace

bool is_host_name(std::string_view text) {
  if (text.size() > host_name_limit_bytes) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_host_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string to_lower(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

} // namespace matchcloud::model
