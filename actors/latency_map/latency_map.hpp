#pragma once

#include "actors/latency_map/latency_map_state.hpp"
#include "actors/latency_map/report_gate.hpp"
#include "actors/news/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/clock.hpp"
#include "store/database.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::actors {

struct latency_map_settings {
  /// The namespace of clients that name none.
  std::optional<model::uuid> default_namespace = {};
  /// The pause between two accesses to the store.
  std::chrono::milliseconds keep_interval{2'000};
};

/// Learns clients' round-trip times to regions and sends what it knows to each region_ranking once
/// a second. Every few seconds it writes what it learned to the store, and reads what other
/// processes have learned. One, on the actors' pool; its blocking work runs on the blocking pool,
/// one task at a time.
class latency_map final : public supervised_actor {
public:
  /// What it learns is stored in `with.database` and shared with other processes; null: it is not.
  latency_map(caf::actor_config& cfg, const services& with, latency_map_settings settings,
              const model::catalog_snapshot& catalog, std::shared_ptr<const store::geoip> geoip);

  const char* name() const override { return "latency_map"; }

  /// The least time between two publications.
  static constexpr std::chrono::milliseconds publish_interval{1'000};
  /// Publishing uses at most a twentieth of a processor.
  static constexpr int publish_rest_factor = 20;

protected:
  caf::behavior make_behavior() override;

private:
  const model::game_namespace* namespace_for(const std::string& origin_host,
                                             const std::optional<model::uuid>& namespace_id) const;
  void on(const report_latencies& request);
  void publish_news();
  void keep();
  void on(const latencies_kept& found);

  const services* with_;
  latency_map_settings settings_;
  latency_map_state::snapshot_ptr told_;
  std::vector<caf::actor> subscribers_;
  bool failing_ = false;
};

/// Reads what was learned from the store into the state of a map that does not run yet, so that
/// the first listings are ordered by it. Stops after `at_most`; the map reads the rest. Fails like
/// the store.
base::expected<void> read_latencies(store::database& from, latency_map_state& into,
                                    const base::clock& clock, std::chrono::milliseconds at_most);

} // namespace matchcloud::actors
