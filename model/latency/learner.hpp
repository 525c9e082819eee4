#pragma once

#include "model/latency/common_part.hpp"
#include "model/latency/learned_entry.hpp"
#include "model/latency/predictor.hpp"
#include "model/latency/report.hpp"
#include "model/latency/unkept_entries.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::model {

struct learner_settings {
  /// (cell, region) entries of 48 bytes. With the rows that readers see, a million takes about 60
  /// MiB if cells have several regions each.
  std::size_t entry_limit = 1'000'000;
  /// The time without reports after which learned values count half.
  double half_life_hours = latency_half_life_hours;
  /// A network makes at most this share of a wider cell's reports, or `network_reports`.
  double network_share = 0.25;
  double network_reports = 3;
  /// How many entries may wait to be kept (see `take_unkept`); 0: nothing is kept.
  std::size_t unkept_limit = 0;
};

/// The outcome of a report.
enum class report_outcome : std::uint8_t {
  learned,
  /// It weighs less than half, because as a whole it contradicts what is known.
  doubted,
  /// Faster than light in glass, beyond `learned_limit_ms`, or without a known region or cell.
  refused
};

/// Learns latencies from reports, and publishes what it knows. Mutable, one owner; any thread can
/// use the snapshots that it publishes. The same calls make the same snapshots.
class latency_learner {
public:
  explicit latency_learner(learner_settings settings = {});

  /// Sets the current regions, and adds those that are not known yet. One that has moved is another
  /// region. What was learned for regions that are gone fades, and is no longer kept. Returns how
  /// many regions did not fit into `latency_region_limit`.
  std::size_t set_regions(std::span<const latency_region> regions);
  /// The number of a region; nothing if it is unknown.
  std::optional<std::uint16_t> number_of(const latency_region& region) const noexcept;

  /// Learns from a report. Takes some microseconds.
  report_outcome add(const latency_report& report);

  /// Fits the prior and the neighbours' residuals to all that is known. Reads the whole table, so
  /// call it once a minute rather than once a second.
  void refit(std::int64_t time_ms);

  /// Makes new shards for those that changed, and shares the others with the last snapshot. If
  /// nothing changed, returns that snapshot again.
  std::shared_ptr<const latency_snapshot> publish(std::int64_t time_ms);

  /// What was learned since the last call and may be kept, so that others learn it, too.
  std::vector<learned_entry> take_unkept();
  /// Gives back entries of `take_unkept` that could not be kept.
  void give_back(std::span<const learned_entry> unkept);
  /// Adopts an entry as it is kept now, by any process. What is not kept of it yet stays added.
  /// Ignores entries of unknown regions and entries that would evict newer ones.
  void put(const learned_entry& kept);

  std::size_t entries() const noexcept { return entries_.size(); }
  std::size_t unkept() const noexcept { return unkept_.size(); }
  std::uint64_t unkept_left_out() const noexcept { return unkept_.left_out(); }
  std::uint64_t evicted() const noexcept { return entries_.evicted(); }
  /// The size of the entries. What readers hold is `latency_snapshot::bytes`.
  std::size_t table_bytes() const noexcept { return entries_.limit() * sizeof(latency_entry); }

private:
  struct live_rows;

  bool plausible(const latency_report& report) const noexcept;
  report_judgement judge(const latency_report& report, std::uint32_t minute) const;
  void learn(const latency_report& report, const report_judgement& judged, std::uint32_t minute);
  /// Notes a network's contribution to wider cells.
  void contribute(latency_cell network, std::uint16_t region, double given, double more);
  latency_entry& touch(latency_cell cell, std::uint16_t region, const latency_report& report,
                       std::uint32_t minute);
  double distance_m(const latency_report& report, std::uint16_t region) const noexcept;
  learned_entry named(const latency_entry& entry) const;

  learner_settings settings_;
  entry_table entries_;
  unkept_entries unkept_;
  std::shared_ptr<const latency_field> field_;
  std::shared_ptr<const latency_snapshot> published_;
  bool field_changed_ = false;
  /// The numbers of the current regions.
  std::bitset<latency_region_limit> current_;
  std::bitset<latency_shard_count> changed_;
};

} // namespace matchcloud::model
