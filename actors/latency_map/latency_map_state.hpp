#pragma once

#include "actors/latency_map/latency_config.hpp"
#include "actors/latency_map/messages.hpp"
#include "actors/latency_map/store_look.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/siphash.hpp"
#include "model/catalog/catalog.hpp"
#include "model/json/record.hpp"
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

/// The outcome of a report of latencies.
enum class latency_outcome : std::uint8_t {
  learned,
  /// It is faster than any packet can be, or slower than the limit for learning.
  implausible,
  /// The client's address reported recently.
  too_soon,
  /// None of its regions is in the catalog.
  unknown_regions,
  /// Its regions are beyond `model::latency_region_limit`.
  too_many_regions,
  /// `latency-learning` is off.
  learning_off,
};
inline constexpr std::array<std::string_view, 6> latency_outcome_names{
    "learned", "implausible", "too_soon", "unknown_regions", "too_many_regions", "learning_off"};

constexpr std::string_view name_of(latency_outcome which) noexcept {
  return latency_outcome_names[static_cast<std::size_t>(which)];
}

/// Counts of the latency_map. Any thread.
struct latency_metrics : base::metric_set {
  base::by_label<base::counter, latency_outcome_names> reports{
      *this, {"matchcloud_latency_reports_total", "Reports of latencies, by outcome."}, "outcome"};
  base::gauge entries{*this,
                      {"matchcloud_latency_entries",
                       "Latencies in memory, each of a client or a network to a region."}};
  base::counter evicted{*this,
                        {"matchcloud_latency_evictions_total",
                         "Latencies evicted from memory to make room for others."}};
  base::gauge bytes{*this,
                    {"matchcloud_latency_bytes", "Memory used by latencies and their snapshots."}};
  base::gauge unkept{
      *this,
      {"matchcloud_latency_unkept_entries", "Learned latencies that are not in the store yet."}};
  base::counter unkept_left_out{*this,
                                {"matchcloud_latency_unkept_left_out_total",
                                 "Learned values dropped before they reached the "
                                 "store because too many were waiting for it."}};
  base::counter keep_failures{*this,
                              {"matchcloud_latency_keep_failures_total",
                               "Failed attempts to write latencies to the store or read them."}};
};

/// The state of the latency_map. It outlives the actor, so that a successor has what its
/// predecessor learned. No threads and no actor, so that tests can call it directly.
class latency_map_state {
public:
  /// Entries that may wait for the store.
  static constexpr std::size_t unkept_limit = 100'000;
  /// The time between two fits of the prior and the neighbours, in milliseconds.
  static constexpr std::int64_t refit_interval_ms = 10'000;

  /// `metrics` outlives this. `keeps`: whether `take_unkept` will be called for what is learned.
  latency_map_state(const latency_config& config, latency_metrics& metrics, bool keeps);

  void set_catalog(model::catalog_snapshot catalog);
  void set_geoip(std::shared_ptr<const store::geoip> geoip) { geoip_ = std::move(geoip); }

  struct answer {
    latency_outcome outcome = latency_outcome::learned;
    /// Regions of the report that the catalog does not have.
    std::vector<std::string> unknown;
  };
  /// Learns what a client measured at a time in milliseconds since 1970. Impossible values (see
  /// `model::can_be_measured`) are left out if `drops_impossible`; otherwise one refuses all.
  /// Regions that are not open to `where` are unknown; null: all are open.
  answer report(const model::ip_address& client, std::span<const model::measured_latency> measured,
                std::int64_t time_ms, bool drops_impossible = false,
                const model::game_namespace* where = nullptr);
  /// Whether any of the regions is in the catalog and open to `where`.
  bool knows_any(std::span<const model::measured_latency> measured,
                 const model::game_namespace* where = nullptr) const;
  const model::catalog& catalog() const noexcept { return *catalog_; }
  /// Counts a report that was not learned.
  void count(latency_outcome outcome) noexcept {
    metrics_->reports[static_cast<std::size_t>(outcome)].add();
  }

  using snapshot_ptr = std::shared_ptr<const model::latency_snapshot>;
  /// What is known now; the same object as before if nothing changed. Null: nothing was ever known.
  snapshot_ptr publish(std::int64_t time_ms);

  /// What was learned since the last call and should be stored.
  std::vector<model::learned_entry> take_unkept();
  void give_back(std::span<const model::learned_entry> unkept);
  bool learns() const noexcept { return config_.learns; }
  /// Applies the result of an access to the store.
  void apply(const latencies_kept& found);
  /// Always the same object.
  const std::shared_ptr<store_look>& look() const noexcept { return look_; }
  /// When to search the store next for expired entries.
  base::steady_time next_expiry{};

  std::size_t entry_limit() const noexcept { return config_.entry_limit; }
  /// The position up to which the store has been read.
  const store::latency_position& read() const noexcept { return read_; }

private:
  /// A region of the catalog that is open to `where`; null if there is none of that id.
  const model::region* find_open(std::string_view region_id,
                                 const model::game_namespace* where) const;
  model::latency_learner& learner();
  /// Passes the catalog's regions to the learner.
  void set_regions();
  void show() noexcept;

  latency_config config_;
  latency_metrics* metrics_;
  bool keeps_;
  model::catalog_snapshot catalog_;
  std::shared_ptr<const store::geoip> geoip_;
  /// Created when there is something to learn.
  std::optional<model::latency_learner> learner_;
  snapshot_ptr published_;
  std::shared_ptr<store_look> look_ = std::make_shared<store_look>();
  store::latency_position read_;
  /// Of the hashes of networks and clients; random until the store's was read.
  base::siphash_key key_ = base::random_siphash_key();
  bool learned_since_fit_ = false;
  std::int64_t fitted_ms_ = 0;
};

constexpr auto describe(const latency_map_state::answer*) {
  using of = latency_map_state::answer;
  using namespace model::types;
  return record{"LatencyReportResult",
                field{"taken", flag, "Whether the service learns from the report.",
                      [](const of& one) { return one.outcome == latency_outcome::learned; }},
                field{"why", maybe(a("LatencyOutcome")), "Why it is not taken.",
                      [](const of& one) {
                        return one.outcome == latency_outcome::learned ? std::nullopt
                                                                       : std::optional{one.outcome};
                      }},
                field{"unknown", list_of(text), "Ids that no region has.", &of::unknown}};
}

} // namespace matchcloud::actors
