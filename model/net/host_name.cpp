#include "model/net/host_name.hpp"

#include "base/characters.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

/// The limits of RFC 1035 section 2.3.4, without the trailing dot.
constexpr std::size_t host_name_limit_bytes = 253;
constexpr std::size_t host_label_limit_bytes = 63;

constexpr base::character_set host_label_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '-' || c == '_'; }};

constexpr base::character_set host_name_characters{[](unsigned char c) {
  return base::is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
}};

std::string_view label_defect(std::string_view label) noexcept {
  if (label.empty()) return "which has two dots in a row or begins with a dot";
  if (label.size() > host_label_limit_bytes)
    return "which has more than 63 characters between two dots";
  if (!host_label_characters.contains_all(label))
    return "which contains characters other than letters, digits, dashes, underscores and dots";
  if (label.front() == '-' || label.back() == '-')
    return "which has a part that starts or ends with a dash";
  return {};
}

} // namespace

std::string_view host_name_defect(std::string_view name) noexcept {
  if (name.size() > host_name_limit_bytes) return "which has more than 253 characters";
  for (;;) {
    const auto dot = name.find('.');
    const auto defect = label_defect(name.substr(0, dot));
    if (!defect.empty() || dot == std::string_view::npos) return defect;
    name.remove_prefix(dot + 1);
  }
}

bool is_host_name(std::string_view text) {
  return host_name_characters.contains_all(text) && host_name_defect(text).empty();
}

bool is_loose_host_name(std::string_view text) {
  return host_name_defect(without_final_dot(text)).empty();
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
