#pragma once

#include "actors/lobby_export/export_job.hpp"
#include "actors/lobby_export/messages.hpp"
#include "actors/request/waiter.hpp"
#include "base/blocking_pool.hpp"
#include "model/lobbies/export_query.hpp"
#include "store/secrets/secret_store.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace matchcloud::actors {

/// How the export actor reaches what it needs. The objects pointed to must outlive the actor.
struct lobby_export_settings {
  export_job_settings job;
  model::export_body_rules body_rules;
  /// The prefix of `/exports/..` in the URLs.
  std::string public_url;
  /// Export jobs that run at the same time, each on a thread of `services::long_work`.
  std::size_t jobs_limit = 2;
  /// Export jobs that wait to run.
  std::size_t queue_limit = 64;
  /// The limit on all waiting requests.
  std::size_t waiting_limit = 1'024;
  /// The percentage of `queue_limit` and of `waiting_limit` that one game may take, at least 1 of
  /// each.
  std::size_t game_share_percent = 100;
  /// The interval of housekeeping, which removes files whose links have expired.
  std::chrono::milliseconds tick{1'000};
  /// The interval between checks of exports that other processes write.
  std::chrono::milliseconds follow_interval{250};
  /// The interval between counts of the files in the folder, which other processes write to as
  /// well.
  std::chrono::milliseconds sweep_interval{60'000};
};

/// Queries whose requests need the store's state, each with the finished file that may be reused.
using files_by_query = std::map<model::export_query, std::optional<model::uuid>>;

/// A job of another process.
struct follow_request {
  std::uint64_t job = 0;
  store::export_record record;
};

/// A request for an export, and the kind of link it needs.
struct export_waiter : waiter {
  export_waiter(waiter who, bool for_operator = false)
      : waiter{std::move(who)}, is_operator{for_operator} {}

  /// Whether it gets a link on the ops plane, for a minute.
  bool is_operator = false;
};

/// Removing and counting files, one task at a time for all successive actors: the task of an actor
/// that died continues on its thread, and each successor would start another.
struct export_tidying {
  /// Any thread.
  std::atomic<bool> is_under_way{false};
  /// When the files are counted next. The export actor only.
  base::steady_time next_sweep{};
};

/// The side effects that the state of exports requests from its actor.
class export_effects {
public:
  virtual ~export_effects() = default;

  /// Reads the store's state and sends the result (`history_looked`). Returns false if the pool is
  /// full.
  virtual bool look(files_by_query queries) = 0;
  /// Runs an export, which reports to `reports`. Returns false if the pool is full.
  virtual bool run(std::uint64_t job, const model::export_query& query) = 0;
  /// Checks the state of jobs of other processes and sends the result (`exports_followed`). Returns
  /// false if the pool is full.
  virtual bool follow(std::vector<follow_request> jobs) = 0;
  /// See `export_linked`.
  virtual void answer(const waiter& who, const std::shared_ptr<const std::string>& json,
                      std::int64_t complete_from_ts) = 0;
  virtual void fail(const waiter& who, const base::error& why) = 0;
};

/// The exports: the running and queued jobs, the requests that wait for each, and the files with
/// their expiry. No threads and no actor, so that tests can call it directly.
///
/// It outlives an export actor that dies: jobs continue and files remain. Waiting requests and
/// queued jobs are forgotten with the actor, because fronts send such requests again. Successive
/// actors never overlap, so only `reports` and `tidying` are shared with other threads.
///
/// A request for an export that is running joins it, and a request for a finished export gets its
/// file, if the export covers the same lobbies and names. Whether it does is read from the store
/// after the request arrived.
///
/// Games take turns: the next job is from the game with the fewest running jobs; among games with
/// the same number, from the one whose last turn is longest ago. If a job fails for lack of space
/// while another one of its game runs, it runs again alone: together they may have had too little.
///
/// If processes share exports, this includes the exports of the others. A job of another process is
/// followed until it is complete, or becomes a job of this process if the other one stops.
class lobby_export_state {
public:
  /// Serves the actor that `effects` belongs to. Both must stay valid until the next `end`.
  void begin(const services& with, const lobby_export_settings& settings, export_effects& effects);
  /// The actor ends. Forgets requests, and jobs that are not running.
  void end();
  /// The jobs' reports. Always the same object; any thread.
  const std::shared_ptr<export_reports>& reports() const noexcept { return reports_; }
  /// Always the same object.
  const std::shared_ptr<export_tidying>& tidying() const noexcept { return tidying_; }

  /// Handles a request for an export of an existing game.
  void ask(const model::export_query& query, const export_waiter& who);

  void on(const history_looked& looked);
  void on(const export_begun& begun);
  void on(const export_ended& ended);
  void on(const exports_followed& news);

  /// Checks the jobs of other processes. Call this from time to time while `is_following`.
  void follow();
  bool is_following() const { return sum_of().followed > 0; }
  /// The exports that are queued, running (here or in another process) or complete, as JSON; of the
  /// complete ones the newest, at most `listed_limit`.
  std::string list() const;
  static constexpr std::size_t listed_limit = 100;
  /// Returns the files whose last possible link has expired.
  std::vector<model::uuid> over_at(std::int64_t now_ts) const;
  /// Forgets a file that no longer exists.
  void forget(const model::uuid& export_id);
  /// Forgets requests that no longer wait.
  void forget_gone();
  /// Updates the metrics.
  void count() const;

private:
  /// A request that may join a job once it is known whether the job's snapshot is recent enough.
  struct undecided_waiter {
    export_waiter who;
    store::history_revisions needs;
  };
  // The states of a job. One whose file is complete becomes a `finished_export`, and one that fails
  // is gone. See docs/images/diagrams/export-life.svg.

  /// It is in `queue_`.
  struct queued {};
  struct running {
    /// Whether another job of its game ran at the same time.
    bool had_company = false;
  };
  /// It is a job of another process, with this record.
  struct followed {
    store::export_record record;
  };

  struct job {
    model::export_query query;
    std::variant<queued, running, followed> state = {};
    /// Whether no other job of its game may run at the same time.
    bool runs_alone = false;
    /// Known once the job has begun to read.
    std::optional<store::history_snapshot> snapshot = {};
    std::vector<export_waiter> waiters = {};
    std::vector<undecided_waiter> undecided = {};

    bool is_queued() const noexcept { return std::holds_alternative<queued>(state); }
    bool is_running() const noexcept { return std::holds_alternative<running>(state); }
    bool is_followed() const noexcept { return std::holds_alternative<followed>(state); }
  };
  struct looking {
    model::export_query query;
    export_waiter who;
  };
  struct finished_export {
    store::export_facts facts;
    store::history_summary summary;
  };
  /// Numbers of jobs, and of waiting requests.
  struct sums {
    std::size_t running = 0;
    std::size_t queued = 0;
    /// Jobs of other processes.
    std::size_t followed = 0;
    std::size_t waiting = 0;
  };

  /// The sums of one game, or of all.
  sums sum_of(const model::uuid* game_id = nullptr) const;
  std::size_t share_of(std::size_t limit) const noexcept;
  void start_looking();
  void decide(const model::export_query& query, export_waiter who,
              const store::history_revisions& needs);
  void decide(const model::export_query& query, std::vector<undecided_waiter>&& all);
  bool join_queued(const model::export_query& query, const export_waiter& who);
  bool join_running(const model::export_query& query, const export_waiter& who,
                    const store::history_revisions& needs);
  bool give_finished(const model::export_query& query, const export_waiter& who,
                     const store::history_revisions& needs);
  void add_job(const model::export_query& query, export_waiter who);
  void start_queued();
  /// Drops the queued jobs that no request waits for any more.
  void forget_unwanted();
  /// Takes the number of the job whose turn it is out of the queue; nothing: all have to wait.
  std::optional<std::uint64_t> take_next();
  bool may_start(const job& which) const;
  /// Records that it was the game's turn, so its next one comes after those of all others.
  void note_turn(const model::uuid& game_id) { turns_[game_id] = ++last_turn_; }
  void run(std::uint64_t number);
  void fail_all(const std::vector<export_waiter>& waiters, const base::error& why);
  /// Ends a job whose file is complete.
  void finish(std::uint64_t number, const store::export_facts& facts,
              const store::history_summary& summary);
  /// Frees a job's place and leaves the job to another process.
  void leave_to(const store::other_export& other, job& which);
  /// Queues a job that another process stopped, or that lacked the space which another one had
  /// taken, to run as soon as there is room.
  void take_back(std::uint64_t number);
  /// Lets later requests find an export of another process.
  void note_found(const store::export_record& found);
  /// Null if there is none.
  finished_export* newest_of(const model::export_query& query);
  finished_export& keep(const store::export_facts& facts, const store::history_summary& summary);
  void give(const finished_export& file, const std::vector<export_waiter>& waiters);
  /// Issues a link that is valid from now on. Returns the response body.
  std::string issue_link(const finished_export& file, bool is_operator);

  /// Null while there is no actor.
  const services* with_ = nullptr;
  const lobby_export_settings* settings_ = nullptr;
  export_effects* effects_ = nullptr;
  std::shared_ptr<export_reports> reports_ = std::make_shared<export_reports>();
  std::shared_ptr<export_tidying> tidying_ = std::make_shared<export_tidying>();
  /// Queued and running jobs, by number.
  std::map<std::uint64_t, job> jobs_;
  std::uint64_t last_number_ = 0;
  std::deque<std::uint64_t> queue_;
  /// The last turn of each game with queued or running jobs, or else when it began to wait.
  std::unordered_map<model::uuid, std::uint64_t> turns_;
  std::uint64_t last_turn_ = 0;
  /// Requests that wait for the running read of the store, and those that arrived after it began.
  std::vector<looking> looking_;
  std::vector<looking> next_look_;
  bool look_under_way_ = false;
  bool follow_under_way_ = false;
  std::unordered_map<model::uuid, finished_export> finished_;
  /// The newest file for each query.
  std::map<model::export_query, model::uuid> newest_;
};

} // namespace matchcloud::actors
