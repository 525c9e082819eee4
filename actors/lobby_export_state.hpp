#pragma once

#include "actors/export_job.hpp"
#include "actors/export_registry.hpp"
#include "actors/protocol.hpp"
#include "actors/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "store/exports/signing_key_ring.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// How the export actor reaches what it needs. What is pointed at must outlive the actor.
struct lobby_export_settings {
  export_job_settings job;
  /// Shared by all actors of the place.
  std::shared_ptr<export_registry> book = std::make_shared<export_registry>();
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

/// What a request wants to know of the store.
struct look_request {
  std::uint64_t number = 0;
  model::uuid game_id;
  /// The file that may be given.
  std::optional<model::uuid> file;
};

/// What the state of exports has others do.
class export_effects {
public:
  virtual ~export_effects() = default;

  /// Looks at the store, and tells what it found (`history_looked`). False: no more work may wait.
  virtual bool look(std::vector<look_request> requests) = 0;
  /// Runs an export, and tells of its begin and its end. False: likewise.
  virtual bool run(std::uint64_t job, const model::export_query& query) = 0;
  virtual void answer(const waiter& who, const std::shared_ptr<const std::string>& json) = 0;
  virtual void fail(const waiter& who, const base::error& why) = 0;
};

/// The exports: which run, which wait, who waits for them, which files there are and until when. No
/// threads, no actor: tests call it directly.
///
/// Who asks for what is being exported joins that, and who asks for what was exported gets the
/// file, where both would be of the same lobbies and names: the store is asked for that, after the
/// request came.
class lobby_export_state {
public:
  /// Both outlive this.
  lobby_export_state(const lobby_export_settings& settings, export_effects& effects)
      : settings_{&settings}, effects_{&effects} {}

  /// Takes over a job that runs already.
  void adopt(std::uint64_t number, const model::export_query& query,
             const std::optional<store::history_snapshot>& snapshot);
  /// Somebody asks for an export of a game that there is.
  void ask(const model::export_query& query, const waiter& who);

  void on(const history_looked& looked);
  void on(const export_begun& begun);
  void on(const export_ended& ended);

  /// Files whose last URL is over.
  std::vector<model::uuid> over_at(std::int64_t now_ts) const;
  /// A file is not there any more.
  void forget(const model::uuid& export_id);
  /// Forgets those who wait no longer.
  void forget_gone();
  /// Forgets jobs and waiters: others take them over.
  void clear();
  /// Brings the metrics up to date.
  void count() const;

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
  using finished_export = export_registry::finished_export;

  void look(const model::export_query& query, waiter who);
  void start_looking();
  void decide(const model::export_query& query, waiter who, const store::history_revisions& needs);
  bool join_queued(const model::export_query& query, const waiter& who);
  bool join_running(const model::export_query& query, const waiter& who,
                    const store::history_revisions& needs);
  bool give_finished(const model::export_query& query, const waiter& who,
                     const store::history_revisions& needs);
  bool is_known(const model::export_query& query) const;
  void add_job(const model::export_query& query, waiter who);
  void start_queued();
  void run(std::uint64_t number);
  void keep(const export_ended& ended, const std::vector<waiter>& waiters);
  /// When a URL ends that begins to live now, in seconds since 1970.
  std::int64_t link_end_s() const;
  /// The answer with a URL that begins to live now.
  std::string issue_link(finished_export& file);
  std::size_t waiting_count() const;

  const lobby_export_settings* settings_;
  export_effects* effects_;
  /// Queued and running, by number.
  std::map<std::uint64_t, job> jobs_;
  std::deque<std::uint64_t> queue_;
  std::size_t running_ = 0;
  /// Requests that wait for a look at the store, by number.
  std::map<std::uint64_t, looking> looking_;
  /// Of those, the ones that came after the look that is under way.
  std::vector<std::uint64_t> next_look_;
  bool look_under_way_ = false;
};

} // namespace matchcloud::actors
