#pragma once

#include "actors/avatar/messages.hpp"
#include "actors/request/waiter.hpp"
#include "store/moved_games.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// The requests of an event loop that wait for avatar lists. One list is loaded at a time; all
/// requests that arrive during a load wait for that load. No threads and no actor, so that tests
/// can call it directly.
class avatar_state {
public:
  /// Adds a request that waits for a list that is not kept.
  void wait(const model::uuid& game_id, waiter who);

  /// Returns the game whose list is to be loaded now; nothing if a load runs or no request waits.
  std::optional<model::uuid> next() const;
  /// Marks the load of `next` as running.
  void begin();
  /// Drops the load of `next`, which cannot begin. Returns the requests that waited for it.
  std::vector<waiter> refuse();
  /// Ends the load that was running. Returns the requests to answer, and queues another load for
  /// those for which the result is too old.
  std::vector<waiter> end(const avatars_loaded& loaded);

  /// Notes that lists moved: what is being loaded may be too old for requests from now on.
  void on(const store::moved_games& moved);
  void clear();

private:
  struct load {
    std::vector<waiter> waiters;
    /// Requests that came after the list had changed during the load, whose result may be too old
    /// for them.
    std::vector<waiter> late;
    /// The revision that the list moved to during the load; 0 if it did not move.
    std::int64_t moved_to = 0;
  };

  std::unordered_map<model::uuid, load> loads_;
  /// Games whose load has not begun, in order of arrival. Such a load will see every change.
  std::deque<model::uuid> queue_;
  /// The game whose load is running.
  std::optional<model::uuid> loading_;
};

} // namespace matchcloud::actors
