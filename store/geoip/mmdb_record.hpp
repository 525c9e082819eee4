#pragma once

#include "base/failure.hpp"
#include "model/catalog/catalog.hpp"
#include "model/regions/country_coordinates.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

struct MMDB_s;

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
  /// none that is known. A file has many places, so this is not a pointer.
  std::uint8_t country_number = 0;
  /// Whether the coordinates are the record's own. If not, they are its country's, because the
  /// record has nothing more precise.
  bool is_exact = true;

  /// Null if the record names no country that is known.
  const model::country_place* country() const noexcept {
    return country_number == 0 ? nullptr : &model::country_places()[country_number - 1U];
  }
};

/// Throws `geoip_invalid`, as all that reads GeoIP files does.
template <class... Arguments>
[[noreturn]] void refuse_geoip(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  throw base::failure{base::errc::geoip_invalid,
                      fmt::format(why, std::forward<Arguments>(arguments)...)};
}

/// Whether a number can belong to an autonomous system on the public internet. Greater ones are not
/// assigned; from 4,200,000,000 on they are for private use (RFC 6996) or reserved.
constexpr bool is_public_asn(std::uint32_t number) noexcept {
  return number > 0 && number < std::uint32_t{1} << 31U;
}

/// Reads the records of a MaxMind database with libmaxminddb, one field per call: its own functions
/// for whole values follow nesting without a limit, or pointers as often as they lead somewhere, so
/// a damaged file could exhaust the stack or the memory. One thread at a time.
class mmdb_record_reader {
public:
  /// Only the data section of `file` is used, which must outlive this.
  explicit mmdb_record_reader(const MMDB_s& file);

  // Both throw `geoip_invalid`, naming the offset, if the record or what it points to does not
  // lie completely within the section, breaks the format or exceeds one of the limits above.

  /// Reads the place of the record at `offset`. Its coordinates are `location.latitude` and
  /// `.longitude` (GeoIP2, GeoLite2), else the top-level `latitude` and `longitude`, each a double,
  /// a float, an integer or a number as a string. Its country is given by the first known code
  /// among `country.iso_code`, `country_code`, `country` and `registered_country.iso_code`; if the
  /// coordinates are absent or out of range, the place is where that country is. Returns nothing if
  /// a valid record has neither.
  std::optional<mmdb_place> read_place(std::uint32_t offset);

  /// Reads the number of the autonomous system, `autonomous_system_number` (GeoLite2 ASN, GeoIP2
  /// ISP, DB-IP). Returns nothing if a valid record has none or one that is outside of
  /// `is_public_asn`.
  std::optional<std::uint32_t> read_asn(std::uint32_t offset);

private:
  template <class Find>
  auto read(std::uint32_t offset, Find find);

  const MMDB_s* file_;
  std::uint64_t fields_left_;
  /// The maps and arrays that pointers led to and that were found sound, so that each is read once.
  std::vector<bool> sound_targets_;
};

/// Whether the value at the front of a data section, such as a file's metadata, lies completely
/// within it, stays within the limits above and does not expand when read: its pointers lead only
/// to scalars.
bool is_sound_value(const MMDB_s& file);

} // namespace matchcloud::store
