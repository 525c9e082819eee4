#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace matchcloud::base {

/// Parses `text` as a number in decimal digits; a signed number may begin with a minus. Returns
/// nothing if `text` contains anything else or the number does not fit in `Number`.
template <std::integral Number>
std::optional<Number> parse_decimal(std::string_view text) noexcept {
  Number number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return number;
}

} // namespace matchcloud::base
