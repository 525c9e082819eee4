#pragma once

#include "actors/request/messages.hpp"
#include "base/clock.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/httplib_server.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/request_id.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/transport/transport_metrics.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace matchcloud::http {

/// The `httplib` transport: stock cpp-httplib, with a thread per connection that waits for its
/// exchange. Simple, and the baseline of every benchmark; not for the open internet (see
/// docs/architecture.md). Its front runs on the actors' pool, so one mutex guards every call.
class httplib_transport final : public exchange_sink {
public:
  /// `bounds` and `metrics` must outlive every message that holds a request. `on_empty` is called
  /// when draining has ended the last connection.
  httplib_transport(const base::clock& clock, shared_bounds& bounds, transport_metrics& metrics,
                    std::uint64_t seed, std::function<void()> on_empty);
  ~httplib_transport() override;
  httplib_transport(const httplib_transport&) = delete;
  httplib_transport& operator=(const httplib_transport&) = delete;

  /// Binds one more listener; the endpoint with its real port.
  base::expected<endpoint> bind(const endpoint& where);
  /// Serves all listeners.
  void start();
  /// Stops accepting; from now on each answer closes its connection.
  void begin_drain();
  /// Closes connections that wait for a request. Connections that are being answered close after
  /// their answer, as `begin_drain` has them do.
  void close_idle();
  /// Answers open requests with `draining` and waits up to 500 ms for the answers to be written.
  void end_now();

  void attach(caf::actor front) override;
  bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void redispatch(base::owner owner) override;

private:
  struct waiting_exchange {
    std::uint64_t id = 0;
    exchange_state state;
    request_ptr request;
    bool answered = false;
    response answer;
    std::condition_variable done;

    actors::exchange_ref ref() const noexcept { return {id, state.attempt}; }
  };

  void serve(const httplib::Request& request, httplib::Response& into);
  /// Records that this client is being answered.
  void begin_answering(const httplib::Request& request);
  /// The answer is written, or, with `as_file`, its sending as a file begins.
  void end_answering(const httplib::Request& request, bool as_file);
  /// The request, unless httplib refused it with a `status` other than 404 (no handler).
  base::expected<std::shared_ptr<admitted_request>> read(const httplib::Request& request,
                                                         int status);
  response await(waiting_exchange& waiting);
  waiting_exchange* current(actors::exchange_ref ref) const;
  void dispatch(waiting_exchange& waiting);
  void settle(waiting_exchange& waiting, response&& with);
  template <class Condition>
  void redispatch_where(actors::handler dead, Condition&& condition);

  const base::clock* clock_;
  shared_bounds* bounds_;
  transport_metrics* metrics_;
  std::function<void()> on_empty_;
  std::vector<std::unique_ptr<httplib_server>> servers_;
  std::atomic<std::size_t> serving_{0};
  std::atomic<bool> draining_{false};

  mutable std::mutex mutex_;
  request_id_source ids_;
  caf::actor front_;
  std::uint64_t last_id_ = 0;
  /// In the order of their ids, so that a new front gets them in arrival order.
  std::map<std::uint64_t, waiting_exchange*> waiting_;
  /// Clients whose request was read and whose answer is not written yet. True where the answer is a
  /// file, which need not be sent whole at shutdown: clients resume.
  std::map<endpoint, bool> answering_;
  std::condition_variable written_;
  /// Further requests are answered with `draining`: there is no front any more.
  bool ended_ = false;
};

} // namespace matchcloud::http
