#pragma once

#include "actors/export_book.hpp"
#include "actors/export_job.hpp"
#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "actors/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "store/exports/signing_key_ring.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// How the export actor reaches what it needs. What is pointed at must outlive the actor.
struct lobby_export_settings {
  export_job_settings job;
  /// Shared by all actors of the place.
  std::shared_ptr<export_book> book = std::make_shared<export_book>();
  store::signing_key_ring* keys = nullptr;
  /// For looking at revisions, which clients wait for.
  base::blocking_pool* short_work = nullptr;
  /// For the exports themselves: threads of low priority, at least `jobs_limit` of them.
  base::blocking_pool* long_work = nullptr;
  /// For removing and counting files, which may take long: one job at a time.
  base::blocking_pool* tidy_work = nullptr;
  /// Put before `/exports/..` in the URLs.
  std::string public_url;
  /// Exports that run at once.
  std::size_t jobs_limit = 2;
  /// Exports that wait for that.
  std::size_t queue_limit = 64;
  /// Requests that wait, all together.
  std::size_t waiting_limit = 1'024;
  /// Between looks for files whose time is over.
  std::chrono::milliseconds tick{1'000};
  /// Between counts of what lies in the folder, which other processes write to as well.
  std::chrono::milliseconds sweep_interval{60'000};
};

/// Owns the exports: which run, which wait, who waits for them, which files there are and until
/// when. One, on the pool; the work itself is done on other threads.
///
/// Who asks for what is being exported joins that, and who asks for what was exported gets the
/// file, where both would be of the same lobbies and names: the store is asked for that, after the
/// request came.
class lobby_export final : public supervised_actor {
public:
  lobby_export(caf::actor_config& cfg, lobby_export_settings settings,
               model::catalog_snapshot catalog);

  const char* name() const override { return "lobby_export"; }

protected:
  caf::behavior make_behavior() override;
  /// Handles may keep the ended actor: what it owns goes now. Its jobs go on, for its successor.
  void on_exit() override;

private:
  /// Wants to join a job of which nobody knows yet whether it is recent enough.
  struct undecided_waiter {
    waiter who;
    store::history_revisions needs;
  };
  struct job {
    model::export_query query;
    bool running = false;
    /// Known once it has begun to read.
    std::optional<store::history_snapshot> snapshot;
    std::vector<waiter> waiters;
    std::vector<undecided_waiter> undecided;
  };
  struct looking {
    model::export_query query;
    waiter who;
  };
  using finished_export = export_book::finished_export;

  /// Takes over the jobs of the actor that was here before.
  void adopt_jobs();
  void handle(const export_lobbies& asked);
  void look(const model::export_query& query, waiter who);
  void start_looking();
  void take(const history_looked& looked);
  void decide(const model::export_query& query, waiter who, const store::history_revisions& needs);
  bool join_queued(const model::export_query& query, const waiter& who);
  bool join_running(const model::export_query& query, const waiter& who,
                    const store::history_revisions& needs);
  bool give_finished(const model::export_query& query, const waiter& who,
                     const store::history_revisions& needs);
  bool is_known(const model::export_query& query) const;

  void forget(const model::uuid& export_id);
  void add_job(const model::export_query& query, waiter who);
  void start_queued();
  void run(std::uint64_t number);
  void take(const export_begun& begun);
  void take(const export_ended& ended);
  void keep(const export_ended& ended, const std::vector<waiter>& waiters);
  /// When a URL ends that begins to live now, in seconds since 1970.
  std::int64_t promise_end_s() const;
  /// The answer with a URL that begins to live now.
  std::string promise(finished_export& file);
  void answer(const waiter& who, const std::shared_ptr<const std::string>& json);
  void fail(const waiter& who, const base::error& why);

  void tend();
  void remove_expired(std::int64_t now_ts);
  void sweep(std::int64_t now_ts);
  /// False where what was begun before is not done, or the pool is full: at the next tick.
  bool tidy(std::function<void(store::export_files&)> work);
  std::size_t waiting_count() const;
  void forget_gone();
  void count();

  lobby_export_settings settings_;
  model::catalog_snapshot catalog_;
  /// Queued and running, by number.
  std::map<std::uint64_t, job> jobs_;
  std::deque<std::uint64_t> queue_;
  std::size_t running_ = 0;
  /// Requests that wait for a look at the store, by number.
  std::map<std::uint64_t, looking> looking_;
  /// Of those, the ones that came after the look that is under way.
  std::vector<std::uint64_t> next_look_;
  bool look_under_way_ = false;
  base::steady_time next_sweep_;
  /// Files are being removed or counted.
  std::shared_ptr<std::atomic<bool>> tidying_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace matchcloud::actors
