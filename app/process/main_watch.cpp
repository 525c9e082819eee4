#include "app/process/main_watch.hpp"

#include "base/events/log.hpp"

#include <poll.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// The pause between attempts to send what the service manager had no room for.
constexpr milliseconds unsent_pause{100};
/// How long the end may take beyond the drain.
constexpr std::chrono::seconds clean_up_time{10};
/// The loops are checked this many times per watchdog interval. sd_notify(3) advises twice; four
/// times gives a loop that is late once another chance.
constexpr int pings_per_watchdog = 4;
constexpr milliseconds shortest_ping_pause{10};

base::steady_time now() {
  return base::machine_clock().now();
}

microseconds since_boot(base::steady_time when) {
  return std::chrono::duration_cast<microseconds>(when.time_since_epoch());
}

/// For poll(2): rounded up, so that nothing is done too early and then waited for with 0.
int milliseconds_until(base::steady_time when) {
  if (when == base::steady_time::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(when - now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

void log_outcome(const reload_outcome& outcome) {
  std::string_view lines = outcome.text;
  lines.remove_suffix(lines.ends_with('\n') ? 1 : 0);
  if (outcome.is_refused)
    base::log(base::log_event::config_refused, "SIGHUP: reload refused, nothing has changed: {}",
              lines);
  else
    base::log(base::log_event::config_reloaded, "SIGHUP: {}", lines);
}

std::string extension(microseconds by) {
  return "EXTEND_TIMEOUT_USEC=" + std::to_string(by.count());
}

} // namespace

main_watch::wake main_watch::wait(std::initializer_list<int> descriptors,
                                  std::optional<milliseconds> at_most) {
  const auto until = at_most ? now() + *at_most : base::steady_time::max();
  std::vector<pollfd> watched{{signals_->ending_fd(), POLLIN, 0},
                              {signals_->noted_fd(), POLLIN, 0}};
  for (const int each : descriptors)
    watched.push_back({each, POLLIN, 0});
  const auto has_event = [](const pollfd& each) { return each.revents != 0; };
  while (true) {
    const auto next = std::min(until, tick());
    const bool woken = ::poll(watched.data(), watched.size(), milliseconds_until(next)) > 0;
    if (woken && has_event(watched[0])) return wake::ending;
    // One at a time, so that a storm of signals delays neither the end nor timers.
    if (const auto noted = signals_->take_noted()) note(*noted);
    if (woken && std::any_of(watched.begin() + 2, watched.end(), has_event)) return wake::event;
    if (now() >= until) return wake::late;
  }
}

void main_watch::note(const noted_signal& signal) {
  if (signal.number == SIGHUP) return reload(signal.value);
  const bool is_of_succession = signal.number == SIGUSR2 || signal.number == SIGCHLD;
  if (is_of_succession && phase_ == phase::serving && health_.succession)
    return health_.succession(signal.number);
  if (signal.number != SIGCHLD)
    base::log(base::log_event::signal_ignored, "{} is ignored: {}", name_of_signal(signal.number),
              is_of_succession ? "this process does not serve" : "it has no meaning here");
}

void main_watch::reload(int asked_with) {
  if (phase_ == phase::starting) {
    postponed_reload_ = asked_with;
    return base::log(base::log_event::config_reloaded,
                     "SIGHUP: this process will reload its configuration once it serves");
  }
  if (phase_ != phase::serving || !health_.reload) {
    const reload_outcome late{true, "this process no longer serves\n"};
    log_outcome(late);
    return answer_reload(asked_with, late);
  }
  // A manager that sent the signal waits for both messages.
  manager_->tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(since_boot(now()).count()));
  const auto outcome = health_.reload();
  log_outcome(outcome);
  answer_reload(asked_with, outcome);
  manager_->tell("READY=1");
}

base::steady_time main_watch::tick() {
  auto next = base::steady_time::max();
  if (!*manager_) return next;
  const auto at = now();
  if (health_.turns && manager_->watchdog().count() > 0) {
    if (at >= next_ping_) ping(at);
    next = next_ping_;
  }
  if (health_.describe && phase_ != phase::leaving) {
    if (at >= next_status_) tell_status(at);
    next = std::min(next, next_status_);
  }
  manager_->send_unsent();
  return manager_->has_unsent() ? std::min(next, at + unsent_pause) : next;
}

void main_watch::ping(base::steady_time at) {
  if (health_.turns()) manager_->tell_now("WATCHDOG=1");
  const auto part = std::chrono::floor<milliseconds>(manager_->watchdog() / pings_per_watchdog);
  next_ping_ = at + std::max(part, shortest_ping_pause);
}

void main_watch::tell_status(base::steady_time at) {
  next_status_ = at + status_interval_;
  auto status = status_line(health_.describe());
  if (status == told_status_) return;
  if (manager_->tell_now(status)) told_status_ = std::move(status);
}

void main_watch::tell_waiting(const std::string& why) {
  manager_->tell_now(status_line("waiting: " + why) + "\n" + extension(start_extension));
}

void main_watch::tell_failed(const std::string& why) {
  manager_->tell_now(status_line("could not start: " + why));
}

void main_watch::replace(pid_t predecessor, const std::function<void()>& take_over) {
  manager_->tell("MAINPID=" + std::to_string(::getpid()));
  try {
    take_over();
  } catch (...) {
    manager_->tell("MAINPID=" + std::to_string(predecessor));
    throw;
  }
  manager_->succeed(predecessor);
}

void main_watch::begin_serving(service_health health) {
  phase_ = phase::serving;
  health_ = std::move(health);
  told_status_ = status_line(health_.describe());
  next_status_ = now() + std::min(first_status_pause, status_interval_);
  manager_->tell("READY=1\n" + told_status_);
  if (const auto asked_with = std::exchange(postponed_reload_, std::nullopt)) reload(*asked_with);
}

void main_watch::begin_ending(milliseconds at_most) {
  phase_ = phase::ending;
  manager_->tell("STOPPING=1\n" + extension(at_most + clean_up_time));
}

} // namespace matchcloud::app
