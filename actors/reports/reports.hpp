#pragma once

#include "actors/reports/lobby_survey.hpp"
#include "actors/reports/messages.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
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

/// The sources of reports. Each is called on the actor's thread and must be safe on any.
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
  /// The kept traces of requests, as JSON.
  std::function<std::string(const trace_query&)> traces = {};
  /// What the process has done, as JSON. Fails with `query_invalid`.
  std::function<base::expected<std::string>(const past_query&)> past = {};
  /// What needs attention, as JSON.
  std::function<std::string()> attention = {};
  /// The processes that serve from the store, as JSON.
  std::function<std::string()> replicas = {};
};

struct reports_settings {
  report_sources from;
  /// The limit on clients watching at the same time.
  std::size_t watchers_limit = 1'024;
  /// Interval of status events, and of samples of the past.
  std::chrono::milliseconds tick{1'000};
};

/// Reports the service's state to operators: metrics, actors, the lobbies that ran, and the status
/// repeatedly as server-sent events (HTML, "Server-sent events"). It passes no fault point.
class reports final : public supervised_actor {
public:
  /// The bytes that a watcher may leave unread; beyond them it misses events until it catches up.
  static constexpr std::size_t unread_limit_bytes = 16UL * 1024;

  reports(caf::actor_config& cfg, const services& with, reports_settings settings);

  const char* name() const override { return "reports"; }

protected:
  caf::behavior make_behavior() override;
  /// Releases the requests, even if others keep this actor in memory.
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

  const services* with_;
  reports_settings settings_;
  /// Watchers by the number of their exchange.
  std::unordered_map<std::uint64_t, watcher> watchers_;
  /// Whether the actor has ended, so surveys may end, because their answers could not be sent.
  std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace matchcloud::actors
