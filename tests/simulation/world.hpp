#pragma once

#include "actors/avatar/avatar.hpp"
#include "actors/export_download/export_download.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/latency_map/latency_map_state.hpp"
#include "actors/latency_map/report_gate.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "actors/media/media.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "actors/supervision/supervisor.hpp"
#include "app/config/config.hpp"
#include "app/node/child_specs.hpp"
#include "base/faults.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/front.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/loop_transport.hpp"
#include "store/exports/export_objects.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/media/images.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/simulation/database.hpp"
#include "tests/simulation/seed.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::simulation {

/// The loops of the data plane. That of the ops plane follows them.
inline constexpr std::size_t loop_count = 2;
inline constexpr std::size_t ops_loop = loop_count;
inline constexpr std::size_t all_loop_count = loop_count + 1;
/// The step in which simulated time moves while all pending work is done.
inline constexpr std::chrono::milliseconds time_step{50};
/// A client has one report of latencies that is learned in this time.
inline constexpr std::chrono::seconds report_interval{5};
/// The longest time that passes before all pending work is done.
inline constexpr std::chrono::milliseconds untended_limit{20};

/// A node in one thread: its actors, loops, pools and store, all of which run only when told to.
/// Wired by `app::child_specs_of`, as the program is.
class world {
public:
  world(std::uint64_t seed, files& on_disk, trace& to);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // -- moving it --------------------------------------------------------------

  void turn(std::size_t loop);
  /// Lets the pool actor that `which` selects handle one message. False if none has any.
  bool run_actor(std::size_t which);
  bool run_short_work(std::size_t which);
  bool run_long_work(std::size_t which);
  /// Runs the oldest part of an ingest: these have one thread.
  bool run_ingest_work();
  /// Runs until no work is pending.
  void settle();
  /// Advances time in steps and does all pending work after each. `each_step` is called after every
  /// step.
  void advance(std::chrono::milliseconds by, const std::function<void()>& each_step);
  /// Advances time without doing any work.
  void pass(std::chrono::microseconds time);

  // -- breaking it ------------------------------------------------------------

  void inject(base::fault_point at, const base::fault_rule& rule);
  void heal(base::fault_point at);
  void heal_all();
  void stall_short_work(bool stalled) { short_work_stalled_ = stalled; }
  void stall_long_work(bool stalled) { long_work_stalled_ = stalled; }
  void stall_ingest_work(bool stalled) { ingest_work_stalled_ = stalled; }
  /// From now on nothing is killed while lobbies are merged.
  void be_calm() noexcept { calm_ = true; }
  /// Kills the actor of a child, or the supervisor (the last number).
  std::string kill(std::size_t place);
  std::size_t killable() const noexcept { return latest_.size() + 1; }
  /// Kills what takes lobbies in: the ingestion actor or the front of the ops plane.
  std::string kill_an_ingester();
  void replace_geoip(std::size_t database);

  // -- looking at it ----------------------------------------------------------

  std::int64_t now_ms() const;
  void note(std::string_view what) { trace_->add(now_ms(), what); }
  /// Records a violation.
  void violated(std::string what);
  const std::vector<std::string>& violations() const noexcept { return violations_; }
  bool all_running() const;
  /// Deaths of actors that the simulation caused.
  std::uint64_t deaths() const;
  std::uint64_t supervisor_deaths() const;
  bool lobby_export_died() const;
  bool latency_map_died() const;
  /// How often the ingestion actor and the front of the ops plane were killed, or started again.
  std::uint64_t ingestion_ends() const;
  std::size_t in_flight() const;
  std::size_t at_owners() const;
  std::size_t connections() const;
  /// Records the disturbances active right now.
  void observe();

  /// Ends all actors. False if some do not end.
  bool end();

  std::uint64_t seed;
  app::serve_config config;
  http::limits& limits = config.limits;
  /// Whether limits are so low that any request may be refused.
  bool tight = false;
  fixtures::manual_clock clock;
  database disk;
  disturbances in_the_way;
  files* on_disk;
  chance random;
  /// Kills from outside: of supervisors and other actors.
  std::uint64_t kills = 0;
  std::uint64_t supervisor_kills = 0;

  fixtures::manual_pool short_work;
  fixtures::manual_pool long_work;
  fixtures::manual_pool ingest_work;

  std::unique_ptr<http::shared_bounds> bounds;
  std::unique_ptr<http::shared_bounds> ops_bounds;
  std::array<http::transport_metrics, all_loop_count> transport_metrics;
  actors::avatar_metrics avatar_metrics;
  actors::export_metrics export_metrics;
  actors::ingestion_metrics ingestion_metrics;
  actors::latency_metrics latency_metrics;
  /// What the node learned of latencies, and outlives the actor.
  std::shared_ptr<actors::latency_map_state> latencies;
  std::shared_ptr<actors::child_table> children;

  /// Numbers of the GeoIP databases in the order in which they were installed.
  const std::vector<std::size_t>& geoip_history() const noexcept { return geoip_history_; }
  static constexpr std::string_view public_url = "http://simulated.example";

private:
  void choose_limits();
  /// Chooses how latencies are learned, and makes what learns them.
  void choose_latencies();
  /// Whether the actor of `who` was started again, or is not running.
  bool has_died(base::owner who) const;
  void open_exports();
  void make_loops();
  std::vector<actors::child_spec> child_specs();
  /// Sets `services_`.
  void make_services();
  std::shared_ptr<const app::node_layout> layout();
  std::shared_ptr<const http::front_settings> data_settings() const;
  static std::shared_ptr<const http::front_settings> ops_settings();
  actors::supervisor_settings supervisor_settings();
  void start_supervisor();
  void count_crashes(base::fault_point at);
  void move_clocks(std::chrono::nanoseconds by);
  /// The time until the actors' next timer; at most one `time_step`.
  std::chrono::milliseconds until_next_timer() const;
  void wait_in_call(std::chrono::microseconds time);
  void meanwhile();
  void meanwhile_merging();
  bool run_work(fixtures::manual_pool& pool, std::size_t which);
  std::uint64_t progress() const;

  trace* trace_;
  fixtures::temporary_directory directory_;
  std::deque<actors::ranking_metrics> ranking_metrics_{loop_count};
  actors::geoip_metrics geoip_metrics_;
  std::shared_ptr<store::export_objects> exports_;
  /// What the actors share, and outlives them.
  actors::services services_;
  std::shared_ptr<actors::report_gate> latency_gate_;
  std::shared_ptr<store::geoip_files> geoip_files_;
  base::byte_budget no_budget_{0};
  std::shared_ptr<store::stored_images> media_;
  std::vector<std::size_t> geoip_history_{0};
  /// The injected faults, and how many hits of each are already counted.
  std::array<std::optional<base::fault_rule>, base::fault_point_count> armed_{};
  std::array<std::uint64_t, base::fault_point_count> counted_hits_{};
  bool short_work_stalled_ = false;
  bool long_work_stalled_ = false;
  bool ingest_work_stalled_ = false;
  bool calm_ = false;
  bool in_work_ = false;
  bool ending_ = false;
  bool ended_ = false;
  std::chrono::microseconds untended_{0};
  std::uint64_t works_ = 0;
  std::vector<std::string> violations_;
  /// The last known actor of each child.
  std::vector<caf::actor_addr> latest_;
  std::vector<std::string> names_;
  std::uint64_t ingester_kills_ = 0;
  // Declared last to be destroyed first: messages point to all members above.
  fixtures::deterministic_system actors_;
  std::array<std::unique_ptr<http::event_loop>, all_loop_count> loops_;
  caf::actor supervisor_;
  std::size_t running_at_begin_ = 0;

  std::shared_ptr<const http::front_settings> settings_;
  std::shared_ptr<http::head_rules> rules_;
  std::shared_ptr<const http::front_settings> ops_settings_ = ops_settings();
  std::shared_ptr<http::head_rules> ops_rules_ = std::make_shared<http::access_gate>(ops_settings_);

public:
  std::array<std::unique_ptr<http::loop_transport>, all_loop_count> transports;
};

} // namespace matchcloud::simulation
