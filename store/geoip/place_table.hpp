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

/// The place of each record of a MaxMind database, decoded once, so that a look-up decodes nothing.
/// A look-up costs two loads from memory. Immutable, so any thread may look up.
class place_table {
public:
  place_table() = default;

  /// Reads the records at `offsets` of `section`. Fails like `mmdb_record_reader::read`.
  static base::expected<place_table> read(std::span<const std::uint8_t> section,
                                          offset_set offsets);

  /// The place of the record at `offset`. Returns nothing if the record has no place or there is no
  /// record: in a cyclic tree, libmaxminddb finds records at offsets beyond the section.
  std::optional<mmdb_place> find(std::uint32_t offset) const noexcept;

  /// The number of records that have a place.
  std::size_t size() const noexcept { return at_.size(); }
  /// The memory that the table uses, in bytes.
  std::size_t bytes() const noexcept;

private:
  void add(const mmdb_place& place);

  offset_set records_;
  /// The coordinates, by the record's rank. A record that only names a country has the country's.
  std::vector<model::coordinates> at_;
  /// By the record's rank: 0 for exact coordinates, else 1 + the index of the country. Empty if all
  /// are exact.
  std::vector<std::uint8_t> country_;
};

} // namespace matchcloud::store
