#pragma once

#include "actors/latency_map/latency_config.hpp"
#include "actors/latency_map/messages.hpp"
#include "actors/latency_map/store_look.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/learner.hpp"
#include "store/geoip/geoip.hpp"
#include "store/latency_store.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// What became of a report of latencies.
enum class latency_outcome : std::uint8_t {
  learned,
  /// It weighs little: it is at odds as a whole with what is known.
  doubted,
  /// No packet is so fast, or it is slower than anything that is learned.
  implausible,
  /// The client's address had one lately.
  too_soon,
  /// The catalog has none of its regions.
  unknown_regions,
};
inline constexpr std::array<std::string_view, 5> latency_outcome_names{
    "learned", "doubted", "implausible", "too_soon", "unknown_regions"};

constexpr std::string_view name_of(latency_outcome which) noexcept {
  return latency_outcome_names[static_cast<std::size_t>(which)];
}

/// Counts of the latency_map. Any thread.
struct latency_metrics : base::metric_set {
  base::by_label<base::counter, latency_outcome_names> reports{
      *this,
      {"matchcloud_latency_reports_total", "Reports of latencies, by what became of them."},
      "outcome"};
  base::gauge entries{*this,
                      {"matchcloud_latency_entries",
                       "Latencies of a group of clients to a region that are in memory."}};
  base::counter evicted{
      *this,
      {"matchcloud_latency_evictions_total", "Latencies in memory that made room for others."}};
  base::gauge bytes{*this,
                    {"matchcloud_latency_bytes", "Memory of latencies and their snapshots."}};
  base::gauge unkept{*this,
                     {"matchcloud_latency_unkept_entries",
                      "Latencies that were learned and are not in the store yet."}};
  base::counter unkept_left_out{
      *this,
      {"matchcloud_latency_unkept_left_out_total",
       "Values that do not get into the store because too many waited for it."}};
  base::counter keep_failures{*this,
                              {"matchcloud_latency_keep_failures_total",
                               "Times that latencies could not be kept in the store or read."}};
};

/// What the latency_map owns. It outlives the actor, so that a successor knows what its predecessor
/// learned. No threads and no actor, so that tests can call it directly.
class latency_map_state {
public:
  /// Entries that may wait for the store.
  static constexpr std::size_t unkept_limit = 100'000;
  /// From one fit of the prior and the neighbours to the next, in milliseconds.
  static constexpr std::int64_t refit_interval_ms = 10'000;

  /// `metrics` outlives this. `keeps`: whether what is learned is taken by `take_unkept`.
  latency_map_state(const latency_config& config, latency_metrics& metrics, bool keeps);

  void set_catalog(model::catalog_snapshot catalog);
  void set_geoip(std::shared_ptr<const store::geoip> geoip) { geoip_ = std::move(geoip); }

  struct answer {
    latency_outcome outcome = latency_outcome::learned;
    /// Regions of the report that the catalog does not have.
    std::vector<std::string> unknown;
  };
  /// Learns what a client measured at a time in milliseconds since 1970.
  answer report(const model::ip_address& client, std::span<const model::measured_latency> measured,
                std::int64_t time_ms);
  /// Whether the catalog has any of the regions.
  bool knows_any(std::span<const model::measured_latency> measured) const;
  /// Counts a report that was not taken.
  void count(latency_outcome outcome) noexcept {
    metrics_->reports[static_cast<std::size_t>(outcome)].add();
  }

  using snapshot_ptr = std::shared_ptr<const model::latency_snapshot>;
  /// What is known now; the same as before where nothing changed. Null: nothing ever was.
  snapshot_ptr publish(std::int64_t time_ms);

  /// What was learned since the last call and is to be kept.
  std::vector<model::learned_entry> take_unkept();
  void give_back(std::span<const model::learned_entry> unkept);
  /// Takes over what a look at the store found.
  void apply(const latencies_kept& found);
  /// Always the same object.
  const std::shared_ptr<store_look>& look() const noexcept { return look_; }
  /// When the store is looked through for what has expired.
  base::steady_time next_expiry{};

  std::size_t entry_limit() const noexcept { return config_.entry_limit; }
  /// How far the store is read.
  const store::latency_position& read() const noexcept { return read_; }

private:
  model::latency_learner& learner();
  /// Tells the learner which regions there are.
  void set_regions();
  void show() noexcept;

  latency_config config_;
  latency_metrics* metrics_;
  bool keeps_;
  model::catalog_snapshot catalog_;
  std::shared_ptr<const store::geoip> geoip_;
  /// Made when there is something to learn.
  std::optional<model::latency_learner> learner_;
  snapshot_ptr published_;
  std::shared_ptr<store_look> look_ = std::make_shared<store_look>();
  store::latency_position read_;
  bool learned_since_fit_ = false;
  std::int64_t fitted_ms_ = 0;
};

} // namespace matchcloud::actors
