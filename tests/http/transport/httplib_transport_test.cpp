#include "http/transport/httplib_transport.hpp"

#include "http/transport/listener.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

using namespace matchcloud;

/// A transport without a front, so that each request is answered at its deadline.
struct running {
  http::shared_bounds bounds;
  http::transport_metrics metrics;
  std::atomic<int> endings{0};
  std::optional<http::httplib_transport> transport;
  http::endpoint bound;

  explicit running(const http::limits& limits = {},
                   std::size_t threads = http::httplib_transport::threads_per_listener)
      : bounds{limits, {}} {
    transport.emplace(base::machine_clock(), bounds, metrics, 1, [this] { ++endings; });
    auto listening = http::listen_on(http::parse_endpoint("127.0.0.1:0").value(), 1, 64).value();
    bound = listening.where;
    transport->serve(std::move(listening.sockets[0]), threads);
  }
};

/// Limits with which only requests end, and those at once.
http::limits patient() {
  http::limits limits;
  limits.idle_timeout = limits.write_timeout = 1h;
  limits.request_timeout = 10ms;
  return limits;
}

TEST_CASE("a server that is ended as soon as it was started ends") {
  running one;
  one.transport.reset();
  CHECK(one.endings == 1);
}

TEST_CASE("a server ends at once despite idle connections and unfinished requests") {
  running one{patient()};
  httplib::Client idle{"127.0.0.1", one.bound.port};
  idle.set_keep_alive(true);
  const auto late = idle.Get("/");
  REQUIRE(late);
  CHECK(late->status == 504);
  e2e::raw_connection unfinished{e2e::address{"127.0.0.1", one.bound.port}};
  unfinished.send("GET / HTTP/1.1\r\n");
  const auto begun = std::chrono::steady_clock::now();
  one.transport.reset();
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
  CHECK(one.endings == 1);
}

TEST_CASE("a draining httplib server serves open connections only") {
  running one{patient()};
  e2e::raw_connection open{e2e::address{"127.0.0.1", one.bound.port}};
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  CHECK(open.ask(get).status == 504);
  one.transport->begin_drain();
  CHECK_FALSE(httplib::Client{"127.0.0.1", one.bound.port}.Get("/"));
  const auto last = open.ask(get);
  CHECK(last.status == 504);
  CHECK(last.header("connection") == "close");
  // It was the only connection, so the server is empty now.
  CHECK(e2e::eventually([&] { return one.endings == 1; }));
}

TEST_CASE("silent connections take few descriptors and delay no end") {
  running one{patient(), 1};
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open{"/proc/self/fd"};
    return std::distance(begin(open), end(open));
  };
  const auto before = descriptors();
  constexpr std::ptrdiff_t clients = 20;
  std::vector<e2e::raw_connection> silent;
  for (std::ptrdiff_t i = 0; i < clients; ++i)
    silent.emplace_back(e2e::address{"127.0.0.1", one.bound.port});
  // The connection being served; the kernel has the others.
  CHECK_FALSE(e2e::eventually([&] { return descriptors() > before + clients + 1; },
                              e2e::deadline{e2e::milliseconds{500}}));
  one.transport.reset();
  CHECK(one.endings == 1);
}

} // namespace
