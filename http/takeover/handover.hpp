#pragma once

#include "http/takeover/handover_channel.hpp"
#include "http/transport/listener.hpp"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::http {

/// The listening sockets that a process hands to its successor, by `listener_name`.
using handed_listeners = std::map<std::string, std::vector<base::file_descriptor>>;

/// An endpoint and its purpose: `127.0.0.1:8080`, `127.0.0.1:8080/proxy/tls` or
/// `ops 127.0.0.1:8081/tls`.
std::string listener_name(const endpoint& where, listener_kind kind, bool is_ops = false);

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
  handover(local_listener at, handed_listeners offered, const handover_settings& settings = {});
  ~handover() { stop(); }
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  /// Readable once a ready successor was told that the listeners are its own: this process must
  /// stop accepting now, without shutdown(2).
  int handed_over_fd() const noexcept { return handed_over_.get(); }

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
  base::expected<void> serve(const handover_channel& channel, pid_t who) const;
  void send_offer(const handover_channel& channel) const;
  /// Refuses other processes that connect in the meantime.
  void await_ready(const handover_channel& starting) const;
  /// Without a connection if none waits.
  handover_channel next_connection() const;
  /// Closes the sockets, and removes the name if it goes to nobody.
  void let_go(bool with_file);

  local_listener at_;
  handed_listeners offered_;
  handover_settings settings_;
  base::file_descriptor handed_over_;
  base::file_descriptor stop_;
  std::atomic<pid_t> successor_{nobody};
  std::thread thread_;
};

/// The name of the socket at which the process that serves an endpoint offers its listeners. It
/// contains the endpoint because several processes may share a data directory.
std::string take_over_name(const endpoint& first_listener);

/// The successor's side of a take-over: a running process and the listening sockets that it offers.
/// Until `take_over` the running process accepts connections as before; if this is destroyed
/// earlier, it continues to. One thread.
class predecessor {
public:
  /// Requests the listeners of the process that listens under `name` in the directory; nothing if
  /// no process does. Fails with `address_unavailable` and the reason if that process refuses, does
  /// not answer in time, or hands over sockets that do not match its description.
  static base::expected<std::optional<predecessor>> ask(const std::string& directory,
                                                        const std::string& name);

  /// 0: a process in another pid namespace.
  pid_t pid() const noexcept { return pid_; }
  /// Each with at least one socket. The caller may move the sockets away.
  handed_listeners& listeners() noexcept { return listeners_; }

  /// Says that this process is ready to serve. On success only this process may accept: the other
  /// one has stopped (or died). Fails with `address_unavailable`: the other process continues and
  /// this one must not accept.
  base::expected<void> take_over();

  /// Waits until the other process no longer listens under its name, where the next successor looks
  /// for this one, but not for long. Call after `take_over`.
  void await_name() { static_cast<void>(to_.hear()); }

private:
  predecessor(handover_channel to, pid_t pid) noexcept : to_{std::move(to)}, pid_{pid} {}

  /// Whether there is an offer: not if the other process is elsewhere.
  bool receive_offer();
  void receive_listener();

  handover_channel to_;
  pid_t pid_;
  handed_listeners listeners_;
};

} // namespace matchcloud::http
