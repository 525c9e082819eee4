#pragma once

#include "model/catalog/catalog.hpp"

#include <optional>
#include <string_view>

namespace matchcloud::model {

/// Whether the coordinates are those of a place; NaN is not.
constexpr bool is_on_earth(const coordinates& at) noexcept {
  return at.latitude >= -90 && at.latitude <= 90 && at.longitude >= -180 && at.longitude <= 180;
}

/// Reads two decimal numbers of degrees. Returns nothing if either text is anything else, or if
/// they are out of range.
std::optional<coordinates> parse_coordinates(std::string_view latitude,
                                             std::string_view longitude) noexcept;

} // namespace matchcloud::model
