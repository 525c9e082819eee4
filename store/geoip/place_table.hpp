#pragma once

#include "base/expected.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/offset_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The places of a MaxMind database, each once, by number from 0. Immutable, so any thread may look
/// up.
class place_table {
public:
  place_table() = default;
  /// Sorted places that differ.
  explicit place_table(const std::vector<mmdb_place>& places);

  mmdb_place operator[](std::size_t number) const noexcept;
  /// Whether the coordinates of the place are its records' own, and not their country's.
  bool is_exact(std::size_t number) const noexcept {
    return country_.empty() || country_[number] == 0;
  }

  std::size_t size() const noexcept { return at_.size(); }
  /// The memory that the table uses, in bytes.
  std::size_t bytes() const noexcept;

private:
  std::vector<model::coordinates> at_;
  /// 0 for exact coordinates, else 1 + the index of the country. Empty if all are exact.
  std::vector<std::uint8_t> country_;
};

/// Which place each record of a MaxMind database has. Needed only until its tree is expanded.
class record_places {
public:
  /// Reads the records at `offsets` of `section`. Fails like `mmdb_record_reader::read`.
  static base::expected<record_places> read(std::span<const std::uint8_t> section,
                                            offset_set offsets);

  /// The number of the place of the record at `offset`. Returns nothing if the record has no place
  /// or there is no record.
  std::optional<std::uint32_t> find(std::uint32_t offset) const noexcept;

  const place_table& places() const noexcept { return places_; }
  place_table take_places() noexcept { return std::move(places_); }

private:
  offset_set records_;
  /// By the record's rank.
  std::vector<std::uint32_t> numbers_;
  place_table places_;
};

} // namespace matchcloud::store
