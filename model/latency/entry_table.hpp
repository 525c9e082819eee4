#pragma once

#include "model/latency/cell.hpp"
#include "model/latency/running_median.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace matchcloud::model {

/// What is known of the latency between a cell and a region.
struct latency_entry {
  latency_cell cell;
  /// Minutes since 1970 of the last report: from when on weights fade, and by which entries are
  /// evicted.
  std::uint32_t minute = 0;
  std::uint16_t region = 0;
  /// Of a network: what it has contributed to wider cells, in steps of 1/256.
  std::uint16_t contributed = 0;
  /// A bit for each reporter, by its hash: at least as many have reported as bits are set.
  std::uint16_t reporters = 0;
  /// Milliseconds, in networks and places. In wider cells, the ratio to the distance prior: they
  /// span distances that milliseconds would mix.
  running_median values;
};
static_assert(sizeof(latency_entry) <= 48);

/// Parts of the table that are published one by one.
inline constexpr std::size_t latency_shard_count = 256;

/// The shard that all entries of a cell are in.
std::size_t shard_of(latency_cell cell) noexcept;

/// Entries by cell and region in fixed memory. A full set of eight evicts the entry that was
/// reported least recently. One thread. All operations are O(1).
class entry_table {
public:
  /// Rounded down to a multiple of 2,048, but at least that.
  explicit entry_table(std::size_t limit);

  /// The entry; null if there is none.
  latency_entry* find(latency_cell cell, std::uint16_t region) noexcept;
  const latency_entry* find(latency_cell cell, std::uint16_t region) const noexcept;
  /// The entry, made if there is none; then it may evict another.
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
  /// The slot of the set that is taken next.
  latency_entry& oldest_of(latency_cell cell, std::uint16_t region) noexcept;

  std::size_t sets_per_shard_;
  std::vector<latency_entry> entries_;
  std::size_t size_ = 0;
  std::uint64_t evicted_ = 0;
};

} // namespace matchcloud::model
