#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace matchcloud::http {

namespace detail {

template <const std::string_view&... parts>
inline constexpr auto joined_bytes = [] {
  std::array<char, (parts.size() + ...)> bytes{};
  auto* to = bytes.data();
  ((to = std::copy(parts.begin(), parts.end(), to)), ...);
  return bytes;
}();

} // namespace detail

/// The concatenation of `parts`, constants of a namespace. Made at compile time; has static storage
/// duration.
template <const std::string_view&... parts>
inline constexpr std::string_view joined{detail::joined_bytes<parts...>.data(),
                                         detail::joined_bytes<parts...>.size()};

} // namespace matchcloud::http
