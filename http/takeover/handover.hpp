#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
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
  /// Why this process refuses to hand over; empty: it does not refuse.
  std::string refusal;
  /// Time from the offer to `ready`: the successor opens the store, which may mean a migration. If
  /// the successor dies, that is noticed at once.
  std::chrono::milliseconds startup_patience{600'000};
  /// Time for the successor's first message.
  std::chrono::milliseconds hello_patience{2'000};
};

/// The running side of a take-over: offers listening sockets to one successor at a time, on a
/// thread of its own, and ends once a successor is ready. Until then it does not affect the
/// service. It holds descriptors of its own for the sockets, so they stay open while this lives.
class handover {
public:
  /// The thread calls `on_handed_over` at most once, after telling a ready successor that the
  /// listeners are its own: this process must stop accepting now, without shutdown(2).
  handover(local_listener at, std::vector<handed_listener> offered,
           const handover_settings& settings, std::function<void()> on_handed_over);
  ~handover() { stop(); }
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  /// Withdraws the offer, and removes the socket's file unless the successor has it; after that
  /// `successor` is final. Closes this object's descriptors of the sockets. Call from the thread
  /// that created this.
  void stop();

  /// The process that got the listeners (0: a process in another pid namespace); nothing: not
  /// handed over yet. Any thread.
  std::optional<pid_t> successor() const noexcept {
    const auto known = successor_.load();
    return known == nobody ? std::nullopt : std::optional{known};
  }

private:
  static constexpr pid_t nobody = -1;

  void run();
  /// Success: the other process took over. `cancelled`: this process ends.
  base::expected<void> serve(descriptor_channel& channel, pid_t who);
  base::expected<void> hear_hello(descriptor_channel& channel);
  base::expected<void> send_offer(descriptor_channel& channel);
  base::expected<void> await_ready(descriptor_channel& starting);
  /// Refuses the next process that connects while another one is starting.
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
