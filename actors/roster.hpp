#pragma once

#include "actors/place.hpp"
#include "actors/restart_policy.hpp"
#include "actors/vitals.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// What a place's actor is doing.
enum class place_state : std::uint8_t {
  running,
  /// Its next actor comes when its backoff is over.
  waiting,
  /// Likewise, and it fails so often that the service is not ready.
  storming,
};

constexpr std::string_view name_of(place_state which) noexcept {
  switch (which) {
  case place_state::running: return "running";
  case place_state::waiting: return "waiting";
  case place_state::storming: return "storming";
  }
  return {};
}

/// A place as the operator sees it.
struct place_report {
  std::string name;
  owner role = owner::none;
  place::kind what = place::kind::owner;
  std::size_t loop = place::every_loop;
  place_state state = place_state::running;
  std::uint64_t restarts = 0;
  /// Of all its actors.
  std::uint64_t handled = 0;
  /// What the last of them died of; empty: none did.
  std::string last_error;
};

/// Who is in which place. Outlives supervisors: the next one finds the actors that the one before
/// it left behind. Written by the supervisor; reports are for any thread.
class roster {
public:
  roster(std::vector<place> places, standing in_force, std::size_t intensity,
         std::chrono::milliseconds window);

  std::vector<place_report> report() const;
  /// Whether nobody is in any place.
  bool is_empty() const;
  /// Whether a place is in a restart storm.
  bool storms() const;
  std::uint64_t restarts() const;
  std::uint64_t supervisor_restarts() const;

private:
  friend class supervisor;

  struct seat {
    place where;
    caf::actor occupant;
    std::shared_ptr<const vitals> of_occupant;
    restart_policy policy;
    place_state state = place_state::running;
    bool storms = false;
    std::uint64_t restarts = 0;
    /// By earlier occupants.
    std::uint64_t handled_before = 0;
    std::string last_error;
    base::steady_time since;
  };

  mutable std::mutex mutex_;
  std::vector<seat> seats_;
  /// The supervisor's alone.
  standing in_force_;
  std::uint64_t supervisors_ = 0;
};

} // namespace matchcloud::actors
