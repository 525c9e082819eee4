#pragma once

#include "actors/protocol.hpp"
#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// What outlives an export actor that dies: the jobs under way, which go on, and the files that can
/// be given again. One for all actors of the place, shared with the jobs' threads.
class export_registry {
public:
  struct running_job {
    model::export_query query;
    std::optional<store::history_snapshot> snapshot;
    /// How it ended; until then null.
    std::shared_ptr<const export_ended> end;
  };
  struct finished_export {
    store::export_facts facts;
    store::history_summary summary;
    /// Milliseconds since 1970: when the last URL that was given out ends.
    std::int64_t linked_until_ts = 0;
  };

  // -- for the jobs, any thread -----------------------------------------------

  void note_begin(std::uint64_t number, const store::history_snapshot& snapshot);
  void note_end(export_ended end);
  /// Turns true when the jobs are to give up.
  const std::atomic<bool>& closing() const noexcept { return closing_; }
  /// The service ends: the jobs give up. Any thread.
  void close() noexcept { closing_ = true; }

  // -- for the actor that is in the place -------------------------------------

  /// From now on `who` is told of begins and ends; null: nobody. Returns what is under way.
  std::map<std::uint64_t, running_job> hand_to(caf::actor who);
  /// `who` is told no more, unless somebody else is by now.
  void take_from(const caf::actor_addr& who);
  /// A new number, never used by an actor before.
  std::uint64_t next_number() noexcept { return ++last_number_; }
  void add(std::uint64_t number, const model::export_query& query);
  void remove(std::uint64_t number);
  /// The time, in milliseconds since 1970, to remove files by. It is the time of day, but a jump
  /// ahead is believed only once it has lasted `patience`: the clock may be set right again, and
  /// files that were removed do not come back.
  std::int64_t removal_ts(const base::clock& clock, std::chrono::milliseconds patience);

  std::unordered_map<model::uuid, finished_export> finished;
  /// The newest file of each query.
  std::map<model::export_query, model::uuid> newest;

private:
  struct moment {
    base::steady_time at;
    std::int64_t ts;
  };

  std::optional<moment> believed_;
  std::optional<base::steady_time> ahead_since_;
  std::atomic<bool> closing_{false};
  std::uint64_t last_number_ = 0;
  std::mutex mutex_;
  std::map<std::uint64_t, running_job> running_;
  caf::actor reader_;
};

} // namespace matchcloud::actors
