#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/voices.hpp"

#include <string>

namespace matchcloud::model {

inline constexpr std::int64_t ms_per_minute = 60'000;

/// The latency between a cell and a region, or an addition to it, as a store keeps it. Voices have
/// no region number, which only means something to one learner.
struct learned_entry {
  latency_cell cell;
  std::string region_id;
  /// Where the region was. A region that has moved is another region.
  coordinates region_at;
  model::voices voices;

  /// Minutes since 1970 of the last report.
  std::uint32_t minute() const noexcept;
  /// Whether the entry may be kept and shown.
  bool is_shown() const noexcept {
    return cell.kind() != cell_kind::network || voices.size() >= shown_reporters;
  }

  friend bool operator==(const learned_entry&, const learned_entry&) = default;
};

/// Adds `added` to `into`, which is of the same cell and region; adding it twice changes nothing.
/// If the region has moved, `added` replaces `into`.
void merge(learned_entry& into, const learned_entry& added);

} // namespace matchcloud::model
