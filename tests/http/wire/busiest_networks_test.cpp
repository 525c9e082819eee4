#include "http/wire/client_address.hpp"

#include "tests/catch.hpp"

#include <map>
#include <string>

namespace matchcloud::http {
namespace {

using namespace std::chrono_literals;
using sums = std::map<std::string, std::uint64_t>;

struct network_bench {
  busiest_networks of;
  base::steady_time now{1h};

  void note(const std::string& address) { of.note(*model::parse_ip_address(address), now); }
  sums read() const {
    sums made;
    of.add_to(made, now);
    return made;
  }
};

TEST_CASE("addresses count by their network") {
  network_bench of;
  for (const auto* each : {"192.0.2.1", "192.0.2.255", "::ffff:192.0.2.7", "192.0.3.1",
                           "2001:db8:1:2::3", "2001:db8:1:ffff::", "2001:db8:2::"})
    of.note(each);
  CHECK(of.read() == sums{{"192.0.2.0/24", 3},
                          {"192.0.3.0/24", 1},
                          {"2001:db8:1::/48", 2},
                          {"2001:db8:2::/48", 1}});
}

TEST_CASE("a minute is forgotten after the next one") {
  network_bench of;
  of.note("192.0.2.1");
  of.now += 61s;
  of.note("192.0.2.1");
  CHECK(of.read() == sums{{"192.0.2.0/24", 2}});
  of.now += 61s;
  of.note("192.0.3.1");
  CHECK(of.read() == sums{{"192.0.2.0/24", 1}, {"192.0.3.0/24", 1}});
  of.now += 119s;
  CHECK_FALSE(of.read().empty());
  of.now += 1s;
  CHECK(of.read().empty());
  of.note("192.0.4.1");
  CHECK(of.read() == sums{{"192.0.4.0/24", 1}});
}

TEST_CASE("a busy network is found among many, and no count is too high") {
  network_bench of;
  constexpr int others = 1'000;
  constexpr int busy = 200;
  for (int i = 0; i < others; ++i) {
    of.note("10." + std::to_string(i % 250) + "." + std::to_string(i / 250) + ".1");
    if (i % (others / busy) == 0) of.note("192.0.2.1");
  }
  const auto read = of.read();
  CHECK(read.size() <= busiest_networks::slots);
  REQUIRE(read.count("192.0.2.0/24") == 1);
  CHECK(read.at("192.0.2.0/24") <= busy);
  CHECK(read.at("192.0.2.0/24") > busy / 2);
  for (const auto& [network, count] : read)
    CHECK(count <= (network == "192.0.2.0/24" ? busy : 1));
}

} // namespace
} // namespace matchcloud::http
