#pragma once

#include "http/transport/listener.hpp"
#include "http/transport/loop_transport.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::fixtures {

inline const http::endpoint loopback{
    model::ip_address::from_v4(std::array<std::uint8_t, 4>{127, 0, 0, 1}), 0};
inline const std::string get = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

/// A front that records the requests that wait for it.
class recording_front final : public caf::event_based_actor {
public:
  recording_front(caf::actor_config& cfg, http::exchange_sink& sink,
                  std::shared_ptr<std::vector<http::dispatch>> seen)
      : caf::event_based_actor{cfg}, sink_{&sink}, seen_{std::move(seen)} {}

protected:
  caf::behavior make_behavior() override {
    return {[this](http::requests_wait) {
      while (auto next = sink_->take_waiting())
        seen_->push_back(*std::move(next));
    }};
  }

private:
  http::exchange_sink* sink_;
  std::shared_ptr<std::vector<http::dispatch>> seen_;
};

/// Takes every body, in memory.
class lenient_rules final : public http::head_rules {
public:
  http::head_verdict judge(const http::request&, http::caller_facts&, std::uint64_t) override {
    return &http::row_of(http::operation::unmatched);
  }
};

/// A blocking client on loopback, with a timeout.
class client {
public:
  explicit client(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    auto to = fixtures::loopback_address(port);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }

  void send(std::string_view bytes) {
    REQUIRE(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }

  void send_urgent(char byte) { REQUIRE(::send(socket_.get(), &byte, 1, MSG_OOB) == 1); }
  /// Everything received so far, including what can be read now.
  std::string received() {
    char buffer[4'096];
    for (;;) {
      const auto got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (got == 0) ended_ = true;
      if (got <= 0) return all_;
      all_.append(buffer, static_cast<std::size_t>(got));
    }
  }
  /// Discards what can be read now and returns its length.
  std::size_t taken() {
    char buffer[64 * 1'024];
    std::size_t all = 0;
    for (;;) {
      const auto got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (got <= 0) return all;
      all += static_cast<std::size_t>(got);
    }
  }
  bool ended() {
    received();
    return ended_;
  }
  void close() { socket_.reset(); }
  /// Closes with a reset.
  void reset() {
    const linger at_once{1, 0};
    REQUIRE(::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
    close();
  }
  /// No more is sent.
  void finish() { REQUIRE(::shutdown(socket_.get(), SHUT_WR) == 0); }

private:
  base::file_descriptor socket_;
  std::string all_;
  bool ended_ = false;
};

/// A transport on one event loop that the test drives, and its clients.
struct transport_bench {
  http::shared_bounds bounds;
  http::transport_metrics metrics;
  deterministic_system actors;
  manual_clock clock;
  manual_pool pool;
  http::event_loop loop{actors.system, clock};
  std::shared_ptr<http::head_rules> rules = std::make_shared<lenient_rules>();
  int emptied = 0;
  std::unique_ptr<http::loop_transport> transport;
  std::shared_ptr<std::vector<http::dispatch>> seen =
      std::make_shared<std::vector<http::dispatch>>();
  std::uint16_t port = 0;
  /// The last request that was answered.
  std::weak_ptr<const http::admitted_request> last_request;

  explicit transport_bench(const http::limits& configured = {},
                           const http::proxy_trust& trusted = {})
      : bounds{configured, trusted} {
    transport = std::make_unique<http::loop_transport>(loop, clock, pool, bounds, rules, metrics, 1,
                                                       [this] { ++emptied; });
    auto sockets = http::listen_on(loopback, 1, 64);
    REQUIRE(sockets);
    port = sockets->where.port;
    transport->acceptor().listen(std::move(sockets->sockets[0]));
  }
  ~transport_bench() {
    transport->end_now();
    actors.run(); // the front is told of places that became free
  }

  const http::transport_metrics& counted() const { return metrics; }
  caf::actor attach() {
    const auto front = actors.spawn<recording_front>(std::ref(transport->exchanges()), seen);
    transport->exchanges().attach(front);
    actors.run();
    return front;
  }
  void turn() {
    loop.post([] {});
    loop.run_once();
    actors.run();
  }
  /// Runs turns until `condition` holds: the kernel delivers bytes at its own pace.
  template <class Condition>
  bool turn_until(Condition&& condition) {
    for (int i = 0; i < 200'000; ++i) {
      if (condition()) return true;
      turn();
    }
    return false;
  }
  bool see(std::size_t dispatches) {
    return turn_until([&] { return seen->size() == dispatches; });
  }
  bool sees(client& from, std::string_view what) {
    return turn_until([&] { return from.received().find(what) != std::string::npos; });
  }
  /// Runs some turns to give what must not happen time to happen.
  void settle() {
    for (int i = 0; i < 20; ++i)
      turn();
  }
  /// Answers a dispatched request and drops the reference to it, as an actor does.
  void answer(const http::dispatch& dispatched, std::string body) {
    const auto ref = dispatched.exchange;
    last_request = dispatched.request;
    http::response with;
    with.body = std::move(body);
    for (auto& held : *seen)
      if (held.exchange == ref) held.request = nullptr;
    transport->exchanges().answer(ref, std::move(with));
  }
  void routed(const http::dispatch& dispatched, base::owner waits_for) {
    transport->exchanges().routed(dispatched.exchange, http::operation::list_regions, waits_for);
  }
};

/// Clients of a trusted proxy, each with an address of its own.
struct named_clients {
  transport_bench on{{}, http::proxy_trust{{*model::parse_cidr("127.0.0.0/8")}}};
  std::uint16_t port = 0;
  std::vector<std::unique_ptr<client>> all;

  named_clients() {
    auto sockets = http::listen_on(loopback, 1, 256);
    REQUIRE(sockets);
    port = sockets->where.port;
    on.transport->acceptor().listen(std::move(sockets->sockets[0]), {true, false});
  }
  void ask_as(const std::string& address, const std::string& what = get) {
    all.push_back(std::make_unique<client>(port));
    all.back()->send("PROXY TCP4 " + address + " 10.0.0.1 1 2\r\n" + what);
    if (all.size() % 50 == 0) on.turn(); // the backlog is not for so many
  }
  bool arrived(std::size_t requests) {
    return on.turn_until([&] { return on.counted().in_flight.load() == requests; });
  }
  std::string peer_of(std::size_t seen) const {
    return model::to_string(on.seen->at(seen).request->peer);
  }
};

} // namespace matchcloud::fixtures
