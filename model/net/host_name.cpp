#include "model/net/host_name.hpp"

#include "base/characters.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

/// The limits of RFC 1035 section 2.3.4, without the trailing dot.
constexpr std::size_t host_name_limit_bytes = 253;
constexpr std::size_t host_label_limit_bytes = 63;

constexpr base::character_set host_label_characters{
    [](unsigned char c) { return base::is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; }};

bool is_host_label(std::string_view label) {
  return !label.empty() && label.size() <= host_label_limit_bytes && label.front() != '-' &&
         label.back() != '-' && host_label_characters.contains_all(label);
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

bool is_loose_host_name(std::string_view text) {
  auto plain = to_lower(without_final_dot(text));
  std::ranges::replace(plain, '_', 'a');
  return is_host_name(plain);
}

bool are_same_host(std::string_view a, std::string_view b) noexcept {
  return base::equal_ignoring_case(without_final_dot(a), without_final_dot(b));
}

std::string to_lower(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), base::to_lower);
  return lower;
}

} // namespace matchcloud::model
