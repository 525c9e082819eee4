#pragma once

#include "base/siphash.hpp"
#include "model/latency/predictor.hpp"
#include "model/latency/voices.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace matchcloud::model {

struct learner_settings {
  /// Voices. With what readers see, each takes at most 64 bytes if cells have six regions.
  std::size_t entry_limit = 1'000'000;
  /// How many entries may wait to be kept (see `take_unkept`); 0: nothing is kept.
  std::size_t unkept_limit = 0;
};

/// Learns latencies from reports, and publishes what it knows. Mutable, one owner; any thread can
/// use the snapshots that it publishes. The same calls make the same snapshots.
class latency_learner {
public:
  explicit latency_learner(learner_settings settings = {});

  /// Sets the key of the hash that stands for a network in a place. Learners that exchange what
  /// they learn need the same key.
  void set_key(const base::siphash_key& key) noexcept { key_ = key; }

  /// Sets the current regions. What was learned for others is forgotten, and their numbers are used
  /// again; a region that has moved is another one. Returns how many regions did not fit into
  /// `latency_region_limit`.
  std::size_t set_regions(std::span<const latency_region> regions);
  /// The number of a region; nothing if it is unknown.
  std::optional<std::uint16_t> number_of(const latency_region& region) const noexcept;

  /// Learns from a report. Refuses one that is faster than light in glass, beyond
  /// `learned_limit_ms`, or without a known region or cell. Takes some microseconds.
  bool add(const latency_report& report);

  /// Fits the prior and the neighbours' residuals to all that is known. Reads all places, so call
  /// it several times a minute rather than once a second.
  void refit();

  /// Copies the shards that changed, and shares the others with the last snapshot. If nothing
  /// changed, returns that snapshot again.
  std::shared_ptr<const latency_snapshot> publish();

  /// What has changed since the last call and may be kept, so that others learn it, too.
  std::vector<learned_entry> take_unkept();
  /// Gives back entries of `take_unkept` that could not be kept.
  void give_back(std::span<const learned_entry> unkept);
  /// Adds an entry that others keep. Ignores entries of unknown regions.
  void put(const learned_entry& kept);

  std::size_t entries() const noexcept { return entries_; }
  std::size_t unkept() const noexcept { return unkept_.size(); }
  std::uint64_t unkept_left_out() const noexcept { return unkept_left_out_; }
  std::uint64_t evicted() const noexcept { return evicted_; }
  /// About the memory of all voices, which readers share.
  std::size_t bytes() const noexcept;

private:
  using region_set = std::bitset<latency_region_limit>;

  bool plausible(const latency_report& report) const noexcept;
  /// Forgets all voices for regions that are gone.
  void forget(const region_set& gone);
  std::span<const voice> find(latency_cell cell) const noexcept;
  /// Adds voices to a cell, and notes that they are to be kept.
  void add(latency_cell cell, std::span<const voice> added, bool notes);
  void put(const learned_entry& entry, bool notes);
  /// Evicts the cells of a shard that were reported least recently while there are too many voices.
  void evict(latency_shard& from);

  learner_settings settings_;
  base::siphash_key key_;
  std::vector<latency_shard> shards_;
  std::shared_ptr<const latency_field> field_;
  std::shared_ptr<const latency_snapshot> published_;
  bool field_changed_ = false;
  std::bitset<latency_shard_count> changed_;
  std::set<std::pair<latency_cell, std::uint16_t>> unkept_;
  std::uint64_t unkept_left_out_ = 0;
  std::size_t entries_ = 0;
  std::uint64_t evicted_ = 0;
};

} // namespace matchcloud::model
