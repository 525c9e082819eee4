#pragma once

#include "actors/latency_map/latency_map_state.hpp"
#include "actors/latency_map/report_gate.hpp"
#include "actors/news/messages.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "store/database.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// What a latency_map needs. The objects pointed to outlive it and its tasks.
struct latency_map_settings {
  std::shared_ptr<latency_map_state> state;
  std::shared_ptr<report_gate> gate;
  /// Where what is learned is kept, and shared with other processes; null: nowhere.
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  const base::clock* clock = nullptr;
  /// From the end of one look at the store to the next.
  std::chrono::milliseconds keep_interval{2'000};
};

/// Learns from clients what their round trips to regions take, and tells each region_ranking what
/// it knows, once a second. What it learned goes to the store every few seconds, where it takes up
/// what other processes have learned. One, on the actors' pool; its blocking work runs on the
/// blocking pool, one task at a time.
class latency_map final : public supervised_actor {
public:
  latency_map(caf::actor_config& cfg, latency_map_settings settings,
              const model::catalog_snapshot& catalog, std::shared_ptr<const store::geoip> geoip);

  const char* name() const override { return "latency_map"; }

  /// From one publication to the next, at least.
  static constexpr std::chrono::milliseconds publish_interval{1'000};
  /// Publishing takes at most one part in twenty of a processor.
  static constexpr int publish_rest_factor = 20;

protected:
  caf::behavior make_behavior() override;

private:
  void on(const report_latencies& request);
  void publish_news();
  void keep();
  void on(const latencies_kept& found);

  latency_map_settings settings_;
  latency_map_state::snapshot_ptr told_;
  std::vector<caf::actor> subscribers_;
  bool failing_ = false;
};

} // namespace matchcloud::actors
