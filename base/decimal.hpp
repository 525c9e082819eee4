#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace matchcloud::base {

/// The number that `text` writes in decimal digits (a signed one may begin with a minus), and in
/// nothing else. Empty for anything else and for what is beyond `Number`.
template <std::integral Number>
std::optional<Number> parse_decimal(std::string_view text) noexcept {
  Number number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return number;
}

} // namespace matchcloud::base
