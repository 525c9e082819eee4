#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace matchcloud::model {

/// Names longer than this get no suggestion.
inline constexpr std::size_t suggestion_name_limit_bytes = 64;

/// The candidate that `name` was probably meant to be, the first of equals; empty where none is
/// close. Close: equal but for case, dashes and underscores; a few typing errors away (optimal
/// string alignment distance); or one is the beginning or end of the other.
std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates) noexcept;

} // namespace matchcloud::model
