#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/regions/country_coordinates.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::store {

/// The deepest nesting of a MaxMind DB value that is followed. Real records nest four levels.
inline constexpr int mmdb_depth_limit = 16;

/// The maximum number of fields read in one record or in the metadata. Real city records have fewer
/// than 300.
inline constexpr int mmdb_field_limit = 4096;

/// The maximum number of fields read in all records of a file whose data section has that many
/// bytes. A field takes at least one byte, so valid files need only a few reads per byte, however
/// much their records share; a file whose records overlap could require millions.
constexpr std::uint64_t mmdb_total_field_limit(std::uint64_t section_bytes) noexcept {
  return 65'536 + 16 * section_bytes;
}

/// The place that a record gives for its addresses.
struct mmdb_place {
  model::coordinates at;
  /// Null if the coordinates are the record's own; otherwise the country, when the record gives
  /// nothing more precise.
  const model::country_place* country = nullptr;

  bool is_exact() const noexcept { return country == nullptr; }
};

/// Remembers which member a key names, indexed by the key's offset modulo the memo's size: in all
/// records but the first, keys are pointers to the same few strings.
struct mmdb_known_key {
  std::uint32_t offset = UINT32_MAX;
  std::uint8_t member = 0;
};
using mmdb_key_memo = std::array<mmdb_known_key, 64>;

/// Reads the records of a MaxMind DB data section. libmaxminddb is used to find records but not to
/// read them, because it follows nesting without a limit, so a damaged file could exhaust the
/// stack. Format: MaxMind DB specification 2.0, "Data section". One thread at a time.
class mmdb_record_reader {
public:
  explicit mmdb_record_reader(std::span<const std::uint8_t> section) noexcept
      : section_(section), fields_left_(mmdb_total_field_limit(section.size())) {}

  /// Reads the place of the record at `offset`. Its coordinates are `location.latitude` and
  /// `.longitude` (GeoIP2, GeoLite2), else the top-level `latitude` and `longitude`, each a double,
  /// a float, an integer or a number as a string. If the coordinates are absent or out of range,
  /// the place is the country given by the first known code among `country.iso_code`,
  /// `country_code`, `country` and `registered_country.iso_code`. Returns nothing if a valid record
  /// has neither. Fails with `geoip_invalid`, naming the offset, if the record does not lie
  /// completely within the section, breaks the format or exceeds one of the limits above.
  base::expected<std::optional<mmdb_place>> read(std::uint32_t offset);

private:
  std::span<const std::uint8_t> section_;
  std::uint64_t fields_left_;
  mmdb_key_memo keys_;
};

/// Whether the value at the front of `section`, such as a file's metadata, lies completely within
/// it, stays within the limits above and does not expand when read: its pointers lead only to
/// scalars.
bool is_sound_value(std::span<const std::uint8_t> section) noexcept;

} // namespace matchcloud::store
