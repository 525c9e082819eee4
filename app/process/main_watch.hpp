#pragma once

#include "app/process/reload_request.hpp"
#include "app/process/service_manager.hpp"
#include "app/process/service_signals.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

namespace matchcloud::app {

/// What a service reports about itself while it serves, and how it reacts to signals.
struct service_health {
  /// Whether every event loop has turned since the last call.
  std::function<bool()> turns;
  /// A sentence for people.
  std::function<std::string()> describe;
  /// Reads the configuration again (SIGHUP).
  std::function<reload_outcome()> reload = {};
  /// Starts a successor (SIGUSR2), or notes that one has ended (SIGCHLD).
  std::function<void(int signal)> succession = {};
};

/// What a service's main thread does while it waits: it handles signals and informs the service
/// manager. Main thread only.
class main_watch {
public:
  /// The shortest interval between status lines for people.
  static constexpr std::chrono::milliseconds usual_status_interval{10'000};
  /// After the start, when much changes, the state is checked again after this time.
  static constexpr std::chrono::milliseconds first_status_pause{1'000};
  /// A waiting start asks for more time by this much.
  static constexpr std::chrono::seconds start_extension{30};

  enum class wake : std::uint8_t {
    /// One of the descriptors has an event.
    event,
    /// A signal asks the service to end; it is not consumed.
    ending,
    late,
  };

  /// Both must outlive this.
  main_watch(service_signals& signals, service_manager& manager,
             std::chrono::milliseconds status_interval = usual_status_interval)
      : signals_{&signals}, manager_{&manager}, status_interval_{status_interval} {}

  /// Waits until one of `descriptors` (-1: none) is readable, a signal asks to end, or `at_most`
  /// has passed.
  wake wait(std::initializer_list<int> descriptors,
            std::optional<std::chrono::milliseconds> at_most = std::nullopt);

  /// The service cannot start yet and tries again within `start_extension`.
  void tell_waiting(const std::string& why);
  /// The service cannot start.
  void tell_failed(const std::string& why);
  /// Announces this process as the main one in place of `predecessor`, before `take_over`, because
  /// the predecessor may end at once, and the end of the main process is the end of the unit. If
  /// that throws, the predecessor is the main one again.
  void replace(pid_t predecessor, const std::function<void()>& take_over);
  /// The service serves from now on.
  void begin_serving(service_health health);
  /// The service ends, which takes `at_most`, unless it hangs.
  void begin_ending(std::chrono::milliseconds at_most);
  /// Another process serves from now on, and only it reports its state. This process is watched
  /// until it has drained.
  void begin_leaving() { phase_ = phase::leaving; }
  /// Forgets `service_health`, whose sources end.
  void end() { health_ = {}; }

private:
  enum class phase : std::uint8_t { starting, serving, ending, leaving };

  void note(const noted_signal& signal);
  void reload(int asked_with);
  /// Does what is due, and returns when the next thing is due.
  base::steady_time tick();
  void ping(base::steady_time now);
  void tell_status(base::steady_time now);

  service_signals* signals_;
  service_manager* manager_;
  std::chrono::milliseconds status_interval_;
  phase phase_ = phase::starting;
  service_health health_;
  base::steady_time next_ping_{};
  base::steady_time next_status_{};
  std::string told_status_;
  /// The value of a reload signal that arrived before the service could reload.
  std::optional<int> postponed_reload_;
};

} // namespace matchcloud::app
