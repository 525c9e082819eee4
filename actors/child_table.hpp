#pragma once

#include "actors/actor_statistics.hpp"
#include "actors/child_spec.hpp"
#include "actors/protocol.hpp"
#include "actors/restart_policy.hpp"
#include "base/clock.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

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
  /// It ended, and is started again when its backoff is over.
  waiting,
  /// It fails so often that the service is not ready.
  storming,
};

constexpr std::string_view name_of(child_state which) noexcept {
  switch (which) {
  case child_state::running: return "running";
  case child_state::waiting: return "waiting";
  case child_state::storming: return "storming";
  }
  return {};
}

/// A child as the operator sees it.
struct child_report {
  std::string name;
  owner role = owner::none;
  child_spec::kind what = child_spec::kind::owner;
  std::size_t loop = child_spec::every_loop;
  child_state state = child_state::running;
  std::uint64_t restarts = 0;
  /// By all its actors.
  std::uint64_t handled = 0;
  /// What the last of them died of; empty: none did.
  std::string last_error;
};

/// The supervisor's state: its children and which actor runs for each. It outlives supervisors, so
/// that the next one finds the actors that the one before it left behind. The reports are for any
/// thread, all else is the supervisor's; it starts no actor and sends nothing, so that tests call
/// it directly.
class child_table {
public:
  /// A child that has not handled anything is well after living for that long.
  static constexpr std::chrono::milliseconds calm_time{10'000};

  child_table(std::vector<child_spec> specs, initial_state initial, std::size_t intensity,
              std::chrono::milliseconds window);

  // -- any thread -------------------------------------------------------------

  std::vector<child_report> report() const;
  /// Whether no actor runs for any child.
  bool is_empty() const;
  /// Whether a child is in a restart storm.
  bool storms() const;
  std::uint64_t restarts() const;
  std::uint64_t supervisor_restarts() const;

  // -- the supervisor ---------------------------------------------------------

  /// A supervisor begins to look after the children.
  void count_supervisor();
  /// What the children that are started next begin with.
  void set_catalog(model::catalog_snapshot catalog) { initial_.catalog = std::move(catalog); }
  void set_geoip(std::shared_ptr<const store::geoip> geoip) { initial_.geoip = std::move(geoip); }

  std::size_t size() const noexcept { return children_.size(); }
  const child_spec& spec(std::size_t index) const { return children_[index].spec; }
  /// Null: none runs.
  const caf::actor& actor(std::size_t index) const { return children_[index].actor; }
  /// What the last of its actors died of; empty: none did.
  const std::string& last_error(std::size_t index) const { return children_[index].last_error; }
  std::optional<std::size_t> find(const caf::actor_addr& actor) const;

  const initial_state& initial() const noexcept { return initial_; }
  /// `actor` runs for the child from now on. `statistics`: its own; null for an actor without.
  void record_start(std::size_t index, caf::actor actor,
                    std::shared_ptr<const actor_statistics> statistics, base::steady_time now);
  /// The child's actor ended, of `reason` where it said nothing itself. Returns how long to wait
  /// before the next is started; `random` spreads it.
  std::chrono::milliseconds record_exit(std::size_t index, const std::string& reason,
                                        base::steady_time now, std::uint32_t random);
  /// From now on exits are no restarts: the service ends.
  void stop() noexcept { stopping_ = true; }
  /// Ends the storms of children that have handled something or live for `calm_time`.
  void end_storms(base::steady_time now);

  /// Whom the catalog tells of changes, besides the supervisor: every owner.
  subscribers catalog_subscribers() const;
  /// Whom the GeoIP watch tells of changes, besides the supervisor: whoever ranks regions.
  subscribers geoip_subscribers() const;
  /// Whom a front of that loop sends requests to.
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
    /// By the actors before this one.
    std::uint64_t handled_before = 0;
    std::string last_error = {};
    base::steady_time since = {};
  };

  /// The handle is what the supervisor alone uses; what reports show changes under the lock.
  mutable std::mutex mutex_;
  std::vector<child> children_;
  initial_state initial_;
  std::uint64_t supervisors_ = 0;
  bool stopping_ = false;
};

} // namespace matchcloud::actors
