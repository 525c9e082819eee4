#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Longer names get no suggestion.
inline constexpr std::size_t suggestion_name_limit_bytes = 64;

/// The candidate that `name` was probably meant to be; the first of equally close ones, and empty
/// if none is close. Close means equal except for case, dashes and underscores; a few typing errors
/// away (optimal string alignment distance); or one being the beginning or last words of the other.
std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates) noexcept;

/// What to say after refusing `name`: `Did you mean ..?`, or `allowed` and all `candidates`.
std::string instead_of(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view allowed = "Allowed");

} // namespace matchcloud::model
