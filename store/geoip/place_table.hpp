#pragma once

#include "base/expected.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/offset_set.hpp"
#include "store/geoip/record_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace matchcloud::store {

/// The places of a MaxMind database, each once, by number from 0. Immutable, so any thread may look
/// up.
class place_table {
public:
  place_table() = default;
  /// Places that differ, exact ones first.
  explicit place_table(const std::vector<mmdb_place>& places);

  mmdb_place operator[](std::size_t number) const noexcept {
    return {at_[number], country_numbers_.empty() ? std::uint8_t{0} : country_numbers_[number],
            is_exact(number)};
  }
  /// Whether the coordinates of the place are its records' own, and not their country's.
  bool is_exact(std::size_t number) const noexcept { return number < exact_count_; }

  std::size_t size() const noexcept { return at_.size(); }
  /// The memory that the table uses, in bytes.
  std::size_t bytes() const noexcept;

private:
  std::vector<model::coordinates> at_;
  /// As in `mmdb_place`. Empty if the places have no countries.
  std::vector<std::uint8_t> country_numbers_;
  std::size_t exact_count_ = 0;
};

/// The places of a database, and which of them each record has: its number in the table plus 1.
struct record_places {
  place_table places;
  record_numbers numbers;
};

/// Reads the records at `offsets` of `section`. Fails like `mmdb_record_reader::read_place`.
base::expected<record_places> read_places(std::span<const std::uint8_t> section,
                                          offset_set offsets);

} // namespace matchcloud::store
