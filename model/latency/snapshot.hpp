#pragma once

#include "model/latency/cell.hpp"
#include "model/latency/neighbour_field.hpp"
#include "model/latency/voices.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::model {

/// The number of parts of what is known that are published one by one.
inline constexpr std::size_t latency_shard_count = 1'024;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t value) noexcept;
/// The shard of a cell.
std::size_t shard_of(latency_cell cell) noexcept;

/// What is known about a cell. Its voices never change; they are replaced.
struct cell_voices {
  latency_cell cell;
  /// Of the last report.
  std::uint32_t minute = 0;
  std::shared_ptr<const voices> all;
};
/// In ascending order of cells.
using latency_shard = std::vector<cell_voices>;

std::span<const voice> find_in(const latency_shard& shard, latency_cell cell) noexcept;

/// The part of a snapshot that refitting changes.
struct latency_field {
  /// By number; those that are gone have no id.
  std::vector<latency_region> regions;
  distance_prior prior;
  neighbour_field neighbours;

  /// The region's number; nothing if the learner does not know it, or it has moved since.
  std::optional<std::uint16_t> number_of(const latency_region& region) const noexcept;
};

/// All that predictions need. Immutable, so that any number of threads can read it without locks.
/// Shards that did not change are shared with the previous snapshot.
struct latency_snapshot {
  std::shared_ptr<const latency_field> field = std::make_shared<const latency_field>();
  std::array<std::shared_ptr<const latency_shard>, latency_shard_count> shards{};

  /// The voices of a cell; empty if nothing is known.
  std::span<const voice> find(const std::optional<latency_cell>& cell) const noexcept;
};

} // namespace matchcloud::model
