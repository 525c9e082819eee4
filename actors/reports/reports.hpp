#pragma once

#include "actors/reports/lobby_survey.hpp"
#include "actors/reports/messages.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "store/database.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace matchcloud::actors {

/// Where reports come from. Each is called on the actor's thread and must be safe on any.
struct report_sources {
  /// The metrics in the Prometheus text format.
  std::function<std::string()> metrics;
  /// All actors, as JSON.
  std::function<std::string()> actors;
  /// What changes from second to second, as one line of JSON.
  std::function<std::string()> status;
  /// Notes what happened since the last call; called at each tick.
  std::function<void()> sample = {};
  /// Where clients come from, as JSON.
  std::function<std::string()> places = {};
  /// The requests that were kept, as JSON.
  std::function<std::string(const trace_query&)> traces = {};
  /// What the process has done, as JSON. Fails with `query_invalid`.
  std::function<base::expected<std::string>(const past_query&)> past = {};
  /// What needs attention, as JSON.
  std::function<std::string()> attention = {};
  /// The processes that serve from the store, as JSON.
  std::function<std::string()> replicas = {};
};

/// What surveys of lobbies read. All of it outlives the actor.
struct survey_settings {
  std::shared_ptr<store::database> database;
  /// Null: whoever asks for one is told that there are none now.
  base::blocking_pool* pool = nullptr;
};

struct reports_settings {
  report_sources from;
  survey_settings surveys;
  /// Clients that may watch at once.
  std::size_t watchers_limit = 1'024;
  /// Interval of the status that watchers get, and of samples of the past.
  std::chrono::milliseconds tick{1'000};
};

/// Reports to operators how the service is: metrics, actors, the lobbies that ran, and the status
/// again and again as server-sent events (HTML, "Server-sent events"). It passes no fault point.
class reports final : public supervised_actor {
public:
  /// Bytes that a watcher may have left unread; it misses what comes until it has read them.
  static constexpr std::size_t unread_limit_bytes = 16UL * 1024;

  reports(caf::actor_config& cfg, reports_settings settings);

  const char* name() const override { return "reports"; }

protected:
  caf::behavior make_behavior() override;
  /// Lets go of the requests, however long others hold this actor.
  void on_exit() override {
    watchers_.clear();
    *ended_ = true;
  }

private:
  struct watcher {
    caf::actor front;
    exchange_ref exchange;
    ticket_ptr ticket;
    std::size_t unread_bytes = 0;
  };

  void handle(const render_report& request);
  void handle(const survey_lobbies& request);
  void handle(const watch_status& request);
  void on(const answer_taken& taken);
  void send_to(watcher& to, const std::shared_ptr<const std::string>& event);
  void on_tick();
  std::shared_ptr<const std::string> status_event() const;

  reports_settings settings_;
  /// By the number of their exchange.
  std::unordered_map<std::uint64_t, watcher> watchers_;
  /// Whether surveys may end: nobody is there to send their answers.
  std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace matchcloud::actors
