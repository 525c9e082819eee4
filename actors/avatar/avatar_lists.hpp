#pragma once

#include "actors/avatar/avatar_limits.hpp"
#include "actors/request/request_trace.hpp"
#include "actors/request/ticket.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "base/error.hpp"
#include "base/events/about_request.hpp"
#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "model/avatars/avatar.hpp"
#include "store/change_feed.hpp"
#include "store/database.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// Counts of avatar lists. Any thread.
struct avatar_metrics : base::metric_set {
  base::counter cache_hits{
      *this,
      {"matchcloud_avatar_cache_hits_total", "Requests for avatar lists served from the cache."}};
  base::counter loads{
      *this, {"matchcloud_avatar_loads_total", "Avatar lists read from the store and rendered."}};
  base::gauge cached_bytes{
      *this, {"matchcloud_avatar_cached_bytes", "Rendered avatar lists held by the cache."}};
};

/// What avatar lists need. The objects pointed to must outlive the lists and all responses.
struct avatar_settings : avatar_limits {
  std::shared_ptr<store::database> database = {};
  base::blocking_pool* pool = nullptr;
  /// Accounts for the bytes of every list that is cached or being sent, each list once.
  base::byte_budget* budget = nullptr;
  avatar_metrics* metrics = nullptr;
  model::image_url_maker image_url = {};
};

/// The rendered avatar lists of a process, shared by the avatar actors of all event loops. Lists
/// that are not cached are read and rendered on the blocking pool: one load per list serves all
/// waiting requests, and several lists load at the same time, so that a long one delays few others.
/// Held by `std::shared_ptr`. Any thread; the lock is never held while the store is read.
class avatar_lists : public std::enable_shared_from_this<avatar_lists> {
public:
  /// The limit on lists loaded at the same time; further ones wait.
  static constexpr std::size_t loads_at_once = 4;

  explicit avatar_lists(avatar_settings settings);

  /// Returns the list of a game and notes its use; null if it has to be loaded.
  std::shared_ptr<const std::string> find(const model::uuid& game_id);
  /// Starts a load of a list, or joins one that is recent enough. `whom` receives `avatars_loaded`
  /// with the returned number. The load is skipped if all requests `of` it are over before it
  /// begins.
  std::uint64_t load(const model::uuid& game_id, const caf::actor& whom,
                     const ticket_ptr& of = nullptr);
  /// Drops the lists of games whose avatars changed; later calls of `find` and `load` return
  /// nothing older. Frees the lists, which may take long.
  void forget(const store::moved_games& moved);

private:
  struct kept_list {
    std::shared_ptr<const std::string> json = {};
    /// The revision of the game's avatars; the list is at least this new.
    std::int64_t revision = 0;
  };
  struct running {
    std::uint64_t number = 0;
    model::uuid game_id;
    /// Marks of the request that started the load.
    base::kept_marks marks;
    std::vector<caf::actor> listeners;
    /// Weak, because those who wait hold the requests.
    std::vector<std::weak_ptr<ticket>> tickets;
    /// Whether it is already reading; until then it will see every move.
    bool has_begun = false;
    /// The revision that the game has moved to since the load began.
    std::int64_t moved_to = 0;
  };
  using load_ptr = std::shared_ptr<running>;
  using cache = base::second_chance_cache<model::uuid, kept_list>;

  /// Submits loads for as long as more may run.
  void start_loads();
  void run(const load_ptr& which);
  kept_list read(const model::uuid& game_id) const;
  void end(const load_ptr& which, const base::expected<kept_list>& loaded, const work_time& read);
  void count_bytes();

  avatar_settings settings_;
  std::mutex mutex_;
  cache cache_;
  /// For each game, the load that new requests can join.
  std::unordered_map<model::uuid, load_ptr> open_;
  std::deque<load_ptr> queue_;
  std::size_t running_ = 0;
  std::uint64_t last_number_ = 0;
};

} // namespace matchcloud::actors
