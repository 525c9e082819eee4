#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/regions/country_coordinates.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::store {

/// The deepest nesting that is followed in a MaxMind DB value. Real records nest four levels.
inline constexpr int mmdb_depth_limit = 16;

/// The maximum number of fields read in one record or in the metadata. Real city records have fewer
/// than 300.
inline constexpr int mmdb_field_limit = 4096;

/// The maximum number of fields read in all records of a file with a data section of this size. A
/// field takes at least one byte, so valid files need only a few reads per byte, however much their
/// records share; a file whose records overlap could require millions.
constexpr std::uint64_t mmdb_total_field_limit(std::uint64_t section_bytes) noexcept {
  return 65'536 + 16 * section_bytes;
}

/// The place that a record gives for its addresses.
struct mmdb_place {
  model::coordinates at;
  /// 1 + the index in `model::country_places` of the country that the record names; 0 if it names
  /// none that is known. A file has millions of places, so this is not a pointer.
  std::uint8_t country_number = 0;
  /// Whether the coordinates are the record's own. If not, they are its country's, because the
  /// record has nothing more precise.
  bool is_exact = true;

  /// Null if the record names no country that is known.
  const model::country_place* country() const noexcept {
    return country_number == 0 ? nullptr : &model::country_places()[country_number - 1U];
  }
};

/// Whether a number can belong to an autonomous system on the public internet. Greater ones are not
/// assigned; from 4,200,000,000 on they are for private use (RFC 6996) or reserved.
constexpr bool is_public_asn(std::uint32_t number) noexcept {
  return number > 0 && number < std::uint32_t{1} << 31U;
}

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

  // Both fail with `geoip_invalid`, naming the offset, if the record does not lie completely within
  // the section, breaks the format or exceeds one of the limits above.

  /// Reads the place of the record at `offset`. Its coordinates are `location.latitude` and
  /// `.longitude` (GeoIP2, GeoLite2), else the top-level `latitude` and `longitude`, each a double,
  /// a float, an integer or a number as a string. Its country is given by the first known code
  /// among `country.iso_code`, `country_code`, `country` and `registered_country.iso_code`; if the
  /// coordinates are absent or out of range, the place is where that country is. Returns nothing if
  /// a valid record has neither.
  base::expected<std::optional<mmdb_place>> read_place(std::uint32_t offset);

  /// Reads the number of the autonomous system, `autonomous_system_number` (GeoLite2 ASN, GeoIP2
  /// ISP, DB-IP). Returns nothing if a valid record has none or one that is outside of
  /// `is_public_asn`.
  base::expected<std::optional<std::uint32_t>> read_asn(std::uint32_t offset);

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
