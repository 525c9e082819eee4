#pragma once

#include "base/expected.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/offset_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// The place of each record of a MaxMind database, read once, so that a look-up decodes nothing.
/// Two loads from memory. Immutable, so any thread may ask.
class place_table {
public:
  place_table() = default;

  /// Reads the records at `offsets` of `section`. Fails as `mmdb_record_reader::read` does.
  static base::expected<place_table> read(std::span<const std::uint8_t> section,
                                          offset_set offsets);

  /// Of the record at `offset`. Nothing where it tells no place and where there is none: of a tree
  /// that goes round, libmaxminddb finds records at offsets behind the section.
  std::optional<mmdb_place> find(std::uint32_t offset) const noexcept;

  /// Records that tell a place.
  std::size_t size() const noexcept { return at_.size(); }
  /// What it takes of memory.
  std::size_t bytes() const noexcept;

private:
  void add(const mmdb_place& place);

  offset_set records_;
  /// By a record's rank. Those of a country's place are its coordinates.
  std::vector<model::coordinates> at_;
  /// By a record's rank: 0 for exact coordinates, else 1 and the position of the country. Empty
  /// where all are exact.
  std::vector<std::uint8_t> country_;
};

} // namespace matchcloud::store
