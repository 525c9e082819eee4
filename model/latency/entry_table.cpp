#include "model/latency/entry_table.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

constexpr std::size_t ways = 8;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). An attacker who chooses networks can
/// at most fill sets, whose entries then evict one another.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBULL;
  return value ^ value >> 31U;
}

} // namespace

std::size_t shard_of(latency_cell cell) noexcept {
  return mixed(cell.key) % latency_shard_count;
}

entry_table::entry_table(std::size_t limit)
    : sets_per_shard_{std::max<std::size_t>(1, limit / (latency_shard_count * ways))},
      entries_(latency_shard_count * sets_per_shard_ * ways) {}

std::span<latency_entry> entry_table::set_of(latency_cell cell, std::uint16_t region) noexcept {
  const auto set = mixed(cell.key + region * 0x9E3779B97F4A7C15ULL) % sets_per_shard_;
  return {entries_.data() + (shard_of(cell) * sets_per_shard_ + set) * ways, ways};
}

latency_entry* entry_table::find(latency_cell cell, std::uint16_t region) noexcept {
  for (auto& each : set_of(cell, region))
    if (each.cell == cell && each.region == region) return &each;
  return nullptr;
}

const latency_entry* entry_table::find(latency_cell cell, std::uint16_t region) const noexcept {
  return const_cast<entry_table*>(this)->find(cell, region);
}

latency_entry& entry_table::oldest_of(latency_cell cell, std::uint16_t region) noexcept {
  // An empty slot counts as minute 0, so it is used first.
  return *std::ranges::min_element(set_of(cell, region), {}, [](const latency_entry& each) {
    return each.cell.key == 0 ? 0 : each.minute;
  });
}

std::uint32_t entry_table::oldest_minute(latency_cell cell, std::uint16_t region) const noexcept {
  const auto& oldest = const_cast<entry_table*>(this)->oldest_of(cell, region);
  return oldest.cell.key == 0 ? 0 : oldest.minute;
}

latency_entry& entry_table::take(latency_cell cell, std::uint16_t region,
                                 std::uint32_t minute) noexcept {
  if (auto* const found = find(cell, region)) return *found;
  auto& oldest = oldest_of(cell, region);
  if (oldest.cell.key == 0)
    ++size_;
  else
    ++evicted_;
  oldest = {cell, minute, region, 0, 0, {}};
  return oldest;
}

std::span<const latency_entry> entry_table::shard(std::size_t number) const noexcept {
  return {entries_.data() + number * sets_per_shard_ * ways, sets_per_shard_ * ways};
}

} // namespace matchcloud::model
