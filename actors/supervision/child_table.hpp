#pragma once

#include "actors/news/messages.hpp"
#include "actors/request/actor_statistics.hpp"
#include "actors/request/messages.hpp"
#include "actors/supervision/child_spec.hpp"
#include "actors/supervision/restart_policy.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::actors {

enum class child_state : std::uint8_t {
  running,
  /// The actor ended and is restarted when its backoff is over.
  waiting,
  /// The child fails so often that the service is not ready.
  storming,
};

inline constexpr std::array<std::string_view, 3> child_state_names{"running", "waiting",
                                                                   "storming"};

constexpr std::string_view name_of(child_state which) noexcept {
  return child_state_names[static_cast<std::size_t>(which)];
}

/// A child as reported to operators.
struct child_report {
  std::string name;
  base::owner role = base::owner::none;
  child_spec::kind what = child_spec::kind::owner;
  std::size_t loop = child_spec::every_loop;
  child_state state = child_state::running;
  std::uint64_t restarts = 0;
  /// The number of requests that all of the child's actors handled.
  std::uint64_t handled = 0;
  /// Why the most recently ended actor died; empty if none has died.
  std::string last_error;
};

/// The supervisor's state: its children and the actor that runs for each. The table outlives
/// supervisors, so that the next one finds the actors that its predecessor left running. Any thread
/// may call the reports; only the supervisor's thread may call the rest. The table starts no actor
/// and sends nothing, so that tests can call it directly.
class child_table {
public:
  /// A child that has handled nothing leaves its restart storm after living this long.
  static constexpr std::chrono::milliseconds calm_time{10'000};

  child_table(std::vector<child_spec> specs, initial_state initial, std::size_t intensity,
              std::chrono::milliseconds window);

  // -- any thread -------------------------------------------------------------

  std::vector<child_report> report() const;
  /// Whether no child has a running actor.
  bool is_empty() const;
  /// Whether a child is in a restart storm.
  bool storms() const;
  std::uint64_t restarts() const;
  std::uint64_t supervisor_restarts() const;
  /// Adds the restarts.
  void show(base::metric_set& in) const;

  // -- the supervisor ---------------------------------------------------------

  /// Counts a supervisor that takes over the children.
  void count_supervisor();
  /// Sets the initial state of children that are started from now on.
  void set_catalog(model::catalog_snapshot catalog) { initial_.catalog = std::move(catalog); }
  void set_tokens(model::token_snapshot tokens) { initial_.tokens = std::move(tokens); }
  void set_geoip(std::shared_ptr<const store::geoip> geoip) { initial_.geoip = std::move(geoip); }
  void set_latencies(std::shared_ptr<const model::latency_snapshot> latencies) {
    initial_.latencies = std::move(latencies);
  }

  std::size_t size() const noexcept { return children_.size(); }
  const child_spec& spec(std::size_t index) const { return children_[index].spec; }
  /// The child's running actor; null if there is none.
  const caf::actor& actor(std::size_t index) const { return children_[index].actor; }
  /// Why the child's most recently ended actor died; empty if none has died.
  const std::string& last_error(std::size_t index) const { return children_[index].last_error; }
  std::optional<std::size_t> find(const caf::actor_addr& actor) const;

  const initial_state& initial() const noexcept { return initial_; }
  /// Records that `actor` now runs for the child. `statistics`: the actor's own; null if it has
  /// none.
  void record_start(std::size_t index, caf::actor actor,
                    std::shared_ptr<const actor_statistics> statistics, base::steady_time now);
  /// Records that the child's actor ended. `reason` is used as its last error if the actor recorded
  /// none itself. Returns the delay before the restart; `random` spreads it.
  std::chrono::milliseconds record_exit(std::size_t index, const std::string& reason,
                                        base::steady_time now, std::uint32_t random);
  /// The service is stopping: exits no longer count as restarts.
  void stop() noexcept { stopping_ = true; }
  bool is_stopping() const noexcept { return stopping_; }
  /// Ends the storms of children that have handled something or have lived for `calm_time`.
  void end_storms(base::steady_time now);

  /// The actors, besides the supervisor, that receive the news in the set of `base::news`.
  subscribers subscribers_to(std::uint8_t which) const;
  /// The owners that a front of that loop sends requests to: those that serve all and its own. A
  /// front that serves all loops has no owners of loops.
  owners owners_of(std::size_t loop) const;

private:
  struct child {
    child_spec spec;
    restart_policy policy;
    caf::actor actor = {};
    std::shared_ptr<const actor_statistics> statistics = {};
    child_state state = child_state::running;
    bool storms = false;
    std::uint64_t restarts = 0;
    /// Requests handled by the child's earlier actors.
    std::uint64_t handled_before = 0;
    std::string last_error = {};
    base::steady_time since = {};
  };

  /// Guards what other threads read. The supervisor's thread writes it under the lock and reads it
  /// without.
  mutable std::mutex mutex_;
  std::vector<child> children_;
  initial_state initial_;
  std::uint64_t supervisors_ = 0;
  bool stopping_ = false;
};

} // namespace matchcloud::actors
