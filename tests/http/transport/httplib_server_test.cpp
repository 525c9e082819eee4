#include "http/transport/httplib_server.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <vector>

namespace {

using namespace matchcloud;

struct running {
  http::httplib_server server;
  http::endpoint bound;
  std::atomic<int> endings{0};

  explicit running(const http::limits& limits = {}, std::size_t waiting_limit = 128)
      : server{limits, waiting_limit} {
    bound = server.bind(http::parse_endpoint("127.0.0.1:0").value()).value();
    server.start([this] { ++endings; });
  }
};

TEST_CASE("a server that is ended as soon as it was started ends") {
  running one;
  one.server.end();
  CHECK(one.endings == 1);
  CHECK_FALSE(one.server.is_running());
  one.server.end(); // a second call has no effect
  CHECK(one.endings == 1);
}

TEST_CASE("a server ends at once despite idle connections and unfinished requests") {
  http::limits limits;
  limits.idle_timeout = limits.write_timeout = std::chrono::hours{1};
  running one{limits};
  httplib::Client idle{"127.0.0.1", one.bound.port};
  idle.set_keep_alive(true);
  REQUIRE(idle.Get("/"));
  const auto begun = std::chrono::steady_clock::now();
  one.server.end();
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{10});
  CHECK(one.endings == 1);
}

TEST_CASE(
    "silent connections take a bounded number of descriptors, and the server ends despite them") {
  http::limits limits;
  limits.httplib_threads = 1;
  limits.idle_timeout = limits.write_timeout = std::chrono::hours{1};
  running one{limits, 2};
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open{"/proc/self/fd"};
    return std::distance(begin(open), end(open));
  };
  const auto before = descriptors();
  constexpr std::ptrdiff_t clients = 20;
  std::vector<e2e::raw_connection> silent;
  for (std::ptrdiff_t i = 0; i < clients; ++i)
    silent.emplace_back(e2e::address{"127.0.0.1", one.bound.port});
  // The connection being served, those that wait, and one between accept and the queue.
  CHECK_FALSE(e2e::eventually([&] { return descriptors() > before + clients + 4; },
                              e2e::deadline{e2e::milliseconds{500}}));
  one.server.end();
  CHECK(one.endings == 1);
}

TEST_CASE("a port that another server has is refused") {
  running one;
  http::httplib_server second{http::limits{}};
  const auto refused = second.bind(one.bound);
  REQUIRE(!refused);
  CHECK(refused.error().code == base::errc::address_unavailable);
}

} // namespace
