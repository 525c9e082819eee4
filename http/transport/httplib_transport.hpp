#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/transport/client_exchange.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/shared_bounds.hpp"

#include <httplib.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace matchcloud::http {

/// The `httplib` transport: cpp-httplib parses requests and writes answers, with a thread per
/// connection that waits for its exchange. Simple, and the baseline of every benchmark; not for the
/// open internet (see docs/architecture.md). Its front runs on an event loop, so one mutex guards
/// every call.
///
/// It accepts, waits and ends connections itself, because cpp-httplib cannot be told to end one.
class httplib_transport final : public exchange_sink, private httplib::Server {
public:
  /// Connections of a listener that are served at once; the kernel's backlog has the rest.
  static constexpr std::size_t threads_per_listener = 64;

  /// `bounds` and `metrics` must outlive every message that holds a request. `on_empty` is called
  /// when draining has ended the last connection.
  httplib_transport(const base::clock& clock, shared_bounds& bounds, transport_metrics& metrics,
                    std::uint64_t seed, std::function<void()> on_empty);
  ~httplib_transport() override;

  /// Serves connections to this socket, too, on threads of its own.
  void serve(base::file_descriptor listener, std::size_t threads = threads_per_listener);
  /// Ends the listening sockets; from now on each answer closes its connection.
  void begin_drain();
  /// Closes connections that are not being answered.
  void close_idle();
  /// Answers open requests with `draining` and waits up to 500 ms for the answers to be written.
  void end_now();

  void attach(caf::actor front) override;
  bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void redispatch(base::owner owner) override;

private:
  class stream;

  struct waiting_exchange {
    std::uint64_t id = 0;
    exchange_state state;
    request_ptr request = std::make_shared<admitted_request>();
    std::optional<response> answer;
    std::condition_variable done;
  };

  void converse(base::file_descriptor socket);
  void answer(const httplib::Request& request, httplib::Response& into);
  waiting_exchange* current(actors::exchange_ref ref) const;
  void dispatch(waiting_exchange& waiting);
  void settle(waiting_exchange& waiting, response&& with);
  void refuse(waiting_exchange& waiting, const base::error& why);
  /// Dispatches the exchanges that wait for `owner` (`none`: all) again, because `dead` died.
  void redispatch(base::owner owner, actors::handler dead);

  const base::clock* clock_;
  shared_bounds* bounds_;
  transport_metrics* metrics_;
  std::function<void()> on_empty_;
  // Eventfds that become readable for good.
  base::file_descriptor draining_;
  base::file_descriptor closing_;
  base::file_descriptor cut_;
  std::vector<base::file_descriptor> listeners_;

  mutable std::mutex mutex_;
  request_id_source ids_;
  caf::actor front_;
  std::uint64_t last_id_ = 0;
  /// In the order of their ids, so that a new front gets them in arrival order.
  std::map<std::uint64_t, waiting_exchange*> waiting_;
  /// Further requests are answered with `draining`: there is no front any more.
  bool ended_ = false;
  /// Threads that have not ended.
  std::size_t running_ = 0;
  std::condition_variable stopped_;
  /// They use all of this, so they are joined first.
  std::vector<std::jthread> threads_;
};

} // namespace matchcloud::http
