#pragma once

#include "model/catalog.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::store {

/// The nesting to which a MaxMind DB value is followed. Real records nest four levels.
inline constexpr int mmdb_depth_limit = 16;

/// The fields that are looked at in one record or in the metadata. Real city records have fewer
/// than 300.
inline constexpr int mmdb_field_limit = 4096;

/// The coordinates of the record at `offset` of a MaxMind DB data section: `location.latitude` and
/// `.longitude` (GeoIP2, GeoLite2), else `latitude` and `longitude` at the top, each a double, a
/// float, an integer or a number as a string. Nothing where they are absent, damaged, out of range
/// or behind one of the limits above.
///
/// libmaxminddb finds records but does not read them: it follows nesting without a limit, so that a
/// damaged file could exhaust the stack. The format: MaxMind DB specification 2.0, "Data section".
/// Any thread.
std::optional<model::coordinates> read_coordinates(std::span<const std::uint8_t> section,
                                                   std::uint32_t offset) noexcept;

/// Whether the value at the front of `section` lies wholly within it and within the limits above.
bool is_sound_value(std::span<const std::uint8_t> section) noexcept;

} // namespace matchcloud::store
