#include "model/latency/snapshot.hpp"

#include <algorithm>

namespace matchcloud::model {

std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBULL;
  return value ^ value >> 31U;
}

std::size_t shard_of(latency_cell cell) noexcept {
  return mixed(cell.key) % latency_shard_count;
}

std::span<const voice> find_in(const latency_shard& shard, latency_cell cell) noexcept {
  const auto found = std::ranges::lower_bound(shard, cell, {}, &cell_voices::cell);
  if (found == shard.end() || found->cell != cell) return {};
  return *found->all;
}

std::span<const voice>
latency_snapshot::find(const std::optional<latency_cell>& cell) const noexcept {
  if (!cell) return {};
  const auto& shard = shards[shard_of(*cell)];
  return shard ? find_in(*shard, *cell) : std::span<const voice>{};
}

std::optional<std::uint16_t> latency_field::number_of(const latency_region& region) const noexcept {
  const auto found = std::ranges::find(regions, region);
  if (found == regions.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - regions.begin());
}

} // namespace matchcloud::model
