#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/running_median.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::model {

/// The time without reports after which learned values count half.
inline constexpr double latency_half_life_hours = 7 * 24;

inline constexpr std::int64_t ms_per_minute = 60'000;
/// Bits of `learned_entry::reporters`.
inline constexpr int reporter_bits = 16;

/// The latency between a cell and a region, or an addition to it, as a store keeps it. Unlike
/// `latency_entry`, it has no region number, which only means something to one learner.
struct learned_entry {
  latency_cell cell;
  std::string region_id;
  /// Where the region was. A region that has moved is another region.
  coordinates region_at;
  /// Minutes since 1970 of the last report.
  std::uint32_t minute = 0;
  /// Of a network: its contribution to wider cells, in steps of 1/256.
  std::uint16_t contributed = 0;
  /// A bit for each reporter, by its hash.
  std::uint16_t reporters = 0;
  running_median values;

  friend bool operator==(const learned_entry&, const learned_entry&) = default;
};

/// Adds `added` to `into`, which is of the same cell and region. The older of the two first fades
/// to the newer minute. Rounding would undo the fading of a few minutes, so `into` keeps its minute
/// until it fades by a hundredth, and may be up to 146 minutes before the last report. If the
/// region has moved, `added` replaces `into`.
void merge(learned_entry& into, const learned_entry& added);

} // namespace matchcloud::model
