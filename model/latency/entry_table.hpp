#pragma once

#include "model/latency/cell.hpp"
#include "model/latency/running_median.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace matchcloud::model {

/// What is known about the latency between a cell and a region.
struct latency_entry {
  latency_cell cell;
  /// The time of the last report, in minutes since 1970. Weights fade from then on, and the oldest
  /// entry is evicted.
  std::uint32_t minute = 0;
  std::uint16_t region = 0;
  /// Of a network: its contribution to wider cells, in steps of 1/256.
  std::uint16_t contributed = 0;
  /// A bit for each reporter, by its hash. The set bits are the least number of reporters.
  std::uint16_t reporters = 0;
  /// Milliseconds, in networks and places. In wider cells, the ratio to the distance prior, because
  /// they span distances that milliseconds would mix.
  running_median values;
};
static_assert(sizeof(latency_entry) <= 48);

/// The number of parts of the table that are published one by one.
inline constexpr std::size_t latency_shard_count = 256;

/// The shard of all entries of a cell.
std::size_t shard_of(latency_cell cell) noexcept;

/// Entries by cell and region in fixed memory. A full set of eight evicts the entry that was
/// reported least recently. One thread. All operations are O(1).
class entry_table {
public:
  /// `limit` is rounded down to a multiple of 2,048, but is at least 2,048.
  explicit entry_table(std::size_t limit);

  /// The entry; null if there is none.
  latency_entry* find(latency_cell cell, std::uint16_t region) noexcept;
  const latency_entry* find(latency_cell cell, std::uint16_t region) const noexcept;
  /// The entry, which is made if there is none; a new entry may evict another one.
  latency_entry& take(latency_cell cell, std::uint16_t region, std::uint32_t minute) noexcept;

  /// The minute of the entry that a new one would evict; 0: there is room.
  std::uint32_t oldest_minute(latency_cell cell, std::uint16_t region) const noexcept;

  /// All slots of a shard; those without a cell are empty.
  std::span<const latency_entry> shard(std::size_t number) const noexcept;

  std::size_t size() const noexcept { return size_; }
  std::size_t limit() const noexcept { return entries_.size(); }
  std::uint64_t evicted() const noexcept { return evicted_; }

private:
  std::span<latency_entry> set_of(latency_cell cell, std::uint16_t region) noexcept;
  /// The slot of the set that is used next.
  latency_entry& oldest_of(latency_cell cell, std::uint16_t region) noexcept;

  std::size_t sets_per_shard_;
  std::vector<latency_entry> entries_;
  std::size_t size_ = 0;
  std::uint64_t evicted_ = 0;
};

} // namespace matchcloud::model
