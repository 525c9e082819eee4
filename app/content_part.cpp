#include "app/content_part.hpp"

#include <algorithm>
#include <charconv>

namespace matchcloud::app {

std::optional<std::uint64_t> parse_length(std::string_view value) noexcept {
  std::uint64_t length = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (status != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  return length;
}

std::optional<content_part> parse_content_part(std::string_view value) noexcept {
  constexpr std::string_view unit = "bytes ";
  if (!value.starts_with(unit)) return std::nullopt;
  value.remove_prefix(unit.size());
  const auto dash = value.find('-');
  const auto slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto first = parse_length(value.substr(0, dash));
  const auto last = parse_length(value.substr(dash + 1, slash - dash - 1));
  const auto total = parse_length(value.substr(slash + 1));
  if (!first || !last || !total || *last < *first || *last >= *total) return std::nullopt;
  return content_part{*first, *last + 1, *total};
}

bool is_strong_etag(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const auto opaque = value.substr(1, value.size() - 2);
  return std::all_of(opaque.begin(), opaque.end(),
                     [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
}

} // namespace matchcloud::app
