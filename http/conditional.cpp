#include "http/conditional.hpp"

#include <algorithm>

namespace matchcloud::http {

namespace {

constexpr std::string_view between_tags = " \t,";

/// The length of the entity tag that `text` begins with, without `W/`; 0 where it begins with none.
std::size_t tag_length(std::string_view text) noexcept {
  if (!text.starts_with('"')) return 0;
  const auto end = text.find('"', 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

} // namespace

bool names_etag(std::string_view if_none_match, std::string_view etag) noexcept {
  if (if_none_match == "*") return true;
  auto rest = if_none_match;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(between_tags), rest.size()));
    if (rest.starts_with("W/")) rest.remove_prefix(2);
    const auto length = tag_length(rest);
    if (length == 0) return false;
    if (rest.substr(0, length) == etag) return true;
    rest.remove_prefix(length);
    if (!rest.empty() && between_tags.find(rest.front()) == std::string_view::npos) return false;
  }
}

bool range_stands(std::string_view if_range, std::string_view etag) noexcept {
  return if_range.empty() || if_range == etag;
}

} // namespace matchcloud::http
