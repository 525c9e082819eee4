#include "app/node/node.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <future>
#include <system_error>
#include <utility>

// How the start waits for a store that is out of reach.
namespace matchcloud::app {

namespace {

/// The pauses between attempts to open it, and between log lines about it.
constexpr std::chrono::milliseconds waiting_pause{1'000};
constexpr std::chrono::minutes waiting_line_interval{1};

} // namespace

void node::open_patiently(main_watch& watch) {
  using wake = main_watch::wake;
  const auto begun = base::machine_clock().now();
  auto next_line = begun;
  std::string why = "the store has not answered yet";
  bool has_waited = false;
  const auto note_waiting = [&] {
    if (!config_.waits_for_store()) return;
    watch.tell_waiting(why);
    if (!std::exchange(has_waited, true) && !listening_.has_predecessor())
      base::log(base::log_event::store_plane_open,
                "waiting for the store; the ops plane on {} answers /healthz and /readyz",
                url_of_ops());
  };
  // A silent store delays neither signals nor answers to health checks.
  const auto ended = std::make_shared<base::file_descriptor>(::eventfd(0, EFD_CLOEXEC));
  if (!*ended) throw std::system_error{errno, std::generic_category(), "eventfd"};
  std::thread opening;
  const auto pause = [&](std::initializer_list<int> until) {
    const auto woken = watch.wait(until, waiting_pause);
    if (woken != wake::ending) return woken;
    // The process ends without this thread.
    if (opening.joinable()) opening.detach();
    throw base::failure{base::errc::cancelled, config_.waits_for_store()
                                                   ? "interrupted while the store was out of reach"
                                                   : "interrupted before serving"};
  };
  while (true) {
    std::packaged_task<void()> attempt{[this] { services_.open(); }};
    auto result = attempt.get_future();
    opening = std::thread{[ended, attempt = std::move(attempt)]() mutable {
      attempt();
      ::eventfd_write(ended->get(), 1);
    }};
    while (pause({ended->get()}) == wake::late)
      note_waiting();
    opening.join();
    eventfd_t once = 0;
    ::eventfd_read(ended->get(), &once);
    auto opened = base::attempt([&] { result.get(); });
    if (opened) break;
    auto& failed = opened.error();
    const auto now = base::machine_clock().now();
    if (!failed.may_pass || !config_.waits_for_store()) throw base::failure{failed};
    if (now - begun >= config_.start_wait) {
      failed.detail += "; gave up after start-wait-ms";
      throw base::failure{failed};
    }
    why = base::to_string(failed);
    note_waiting();
    if (now >= next_line) {
      base::log(base::log_event::store_waiting, "not ready: {}; retrying once a second", why);
      next_line = now + waiting_line_interval;
    }
    pause({});
  }
  if (has_waited) base::log(base::log_event::store_reached, "the store answers");
}

} // namespace matchcloud::app
