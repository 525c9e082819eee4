#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "http/takeover/descriptor_channel.hpp"
#include "http/takeover/handed_listener.hpp"
#include "http/takeover/local_socket.hpp"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::http {

struct handover_settings {
  /// Why nothing is handed over; empty: it is.
  std::string refusal;
  /// From the offer to `ready`: the successor opens the store, which may mean a migration. Its
  /// death is noticed at once.
  std::chrono::milliseconds startup_patience{600'000};
  /// For its first word.
  std::chrono::milliseconds hello_patience{2'000};
};

/// The running side of a take-over: offers listening sockets to one successor at a time, on a
/// thread of its own, and is done when one of them is ready. Until then it disturbs nothing.
/// Descriptors of its own lead to the sockets, so that they stay open while this lives.
class handover {
public:
  /// `on_handed_over` is called once at most, by the thread, when a successor that is ready was
  /// told that the listeners are its own: this process must stop accepting now, without
  /// shutdown(2).
  handover(local_listener at, std::vector<handed_listener> offered,
           const handover_settings& settings, std::function<void()> on_handed_over);
  ~handover() { stop(); }
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  /// Withdraws the offer, and the name unless the successor has it; then `successor` is final. The
  /// sockets stay open elsewhere only. Of the thread that made this.
  void stop();

  /// Whom the listeners were handed to (0: a process that cannot be seen from here); nothing:
  /// nobody yet. Any thread.
  std::optional<pid_t> successor() const noexcept {
    const auto known = successor_.load();
    return known == nobody ? std::nullopt : std::optional{known};
  }

private:
  static constexpr pid_t nobody = -1;

  void run();
  /// Back without an error, that one took over; `cancelled`: this process ends meanwhile.
  base::expected<void> serve(descriptor_channel& channel, pid_t who);
  base::expected<void> hear_hello(descriptor_channel& channel);
  base::expected<void> send_offer(descriptor_channel& channel);
  base::expected<void> await_ready(descriptor_channel& starting);
  /// Tells those who ask while another is starting.
  void refuse_next();
  base::file_descriptor next_connection() const;
  void withdraw();

  local_listener at_;
  std::vector<handed_listener> offered_;
  handover_settings settings_;
  std::function<void()> on_handed_over_;
  base::file_descriptor stop_;
  std::atomic<pid_t> successor_{nobody};
  std::thread thread_;
};

} // namespace matchcloud::http
