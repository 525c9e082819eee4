#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/regions/country_coordinates.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::store {

/// The nesting to which a MaxMind DB value is followed. Real records nest four levels.
inline constexpr int mmdb_depth_limit = 16;

/// The fields that are looked at in one record or in the metadata. Real city records have fewer
/// than 300.
inline constexpr int mmdb_field_limit = 4096;

/// The fields that are looked at in all records of a file with a data section of that many bytes.
/// A field takes a byte at least, so that honest files need a few per byte, whatever their records
/// share; a file whose records lie within one another could ask for millions.
constexpr std::uint64_t mmdb_total_field_limit(std::uint64_t section_bytes) noexcept {
  return 65'536 + 16 * section_bytes;
}

/// Where a record says that its addresses are.
struct mmdb_place {
  model::coordinates at;
  /// Null where the coordinates are the record's own; else all that it tells is the country.
  const model::country_place* country = nullptr;

  bool is_exact() const noexcept { return country == nullptr; }
};

/// Which member a key names, by its offset modulo the memo's size: the keys of all records but the
/// first are pointers to the same few strings.
struct mmdb_known_key {
  std::uint32_t offset = UINT32_MAX;
  std::uint8_t member = 0;
};
using mmdb_key_memo = std::array<mmdb_known_key, 64>;

/// Reads the records of a MaxMind DB data section. libmaxminddb finds records but does not read
/// them: it follows nesting without a limit, so that a damaged file could exhaust the stack. The
/// format: MaxMind DB specification 2.0, "Data section". One thread at a time.
class mmdb_record_reader {
public:
  explicit mmdb_record_reader(std::span<const std::uint8_t> section) noexcept
      : section_(section), fields_left_(mmdb_total_field_limit(section.size())) {}

  /// The place of the record at `offset`: its coordinates are `location.latitude` and `.longitude`
  /// (GeoIP2, GeoLite2), else `latitude` and `longitude` at the top, each a double, a float, an
  /// integer or a number as a string; its country, where they are absent or not on earth, the first
  /// that is known of `country.iso_code`, `country_code`, `country` and
  /// `registered_country.iso_code`. Nothing where a sound record has neither. Fails with
  /// `geoip_invalid`, naming the offset, where the record does not lie wholly within the section,
  /// breaks the format or one of the limits above.
  base::expected<std::optional<mmdb_place>> read(std::uint32_t offset);

private:
  std::span<const std::uint8_t> section_;
  std::uint64_t fields_left_;
  mmdb_key_memo keys_;
};

/// Whether the value at the front of `section`, such as a file's metadata, lies wholly within it
/// and within the limits above, and is no longer than it looks: its pointers lead to scalars.
bool is_sound_value(std::span<const std::uint8_t> section) noexcept;

} // namespace matchcloud::store
