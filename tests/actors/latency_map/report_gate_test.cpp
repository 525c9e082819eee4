#include "actors/latency_map/report_gate.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using std::chrono::seconds;

constexpr std::size_t gate_prefix = 64;

struct report_gate_bench {
  manual_clock clock;
  report_gate gate{seconds{60}, gate_prefix, clock};

  bool takes(std::string_view address) { return gate.takes(*model::parse_ip_address(address)); }
};

TEST_CASE("a client has one report in an interval") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.clock.advance(seconds{59});
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.clock.advance(seconds{1});
  CHECK(on.takes("192.0.2.1"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  // What is refused does not begin an interval.
  on.clock.advance(seconds{60});
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("a client whose report had nothing usable may report again") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  on.gate.forget(*model::parse_ip_address("192.0.2.2"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.gate.forget(*model::parse_ip_address("192.0.2.1"));
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("the time of day may jump without a client having more reports") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  on.clock.jump(std::chrono::hours{24});
  CHECK_FALSE(on.takes("192.0.2.1"));
}

TEST_CASE("each IPv4 address is a client, and each block of IPv6 addresses") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  CHECK(on.takes("192.0.2.2"));
  CHECK(on.takes("2001:db8:0:1::1"));
  CHECK_FALSE(on.takes("2001:db8:0:1:ffff::2"));
  CHECK(on.takes("2001:db8:0:2::1"));
  CHECK_FALSE(on.takes("::ffff:192.0.2.1"));
}

TEST_CASE("clients push out each other, so memory is bounded and nobody is refused for others") {
  report_gate_bench on;
  constexpr std::uint32_t others = 20 * report_gate::clients_remembered;
  CHECK(on.takes("192.0.2.1"));
  std::uint32_t refused = 0;
  for (std::uint32_t i = 0; i < others; ++i) {
    const std::array<std::uint8_t, 4> octets{10, static_cast<std::uint8_t>(i >> 16U),
                                             static_cast<std::uint8_t>(i >> 8U),
                                             static_cast<std::uint8_t>(i)};
    refused += on.gate.takes(model::ip_address::from_v4(octets)) ? 0 : 1;
  }
  // Two clients are taken for one where 32 bits of their hashes agree, too.
  CHECK(refused <= 3);
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("of reports that arrive at once, one is taken") {
  report_gate_bench on;
  for (std::uint8_t round = 0; round < 100; ++round) {
    std::atomic<int> taken{0};
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i)
      loops.emplace_back([&] { taken += on.gate.takes(address_of(round)) ? 1 : 0; });
    for (auto& each : loops)
      each.join();
    CHECK(taken == 1);
  }
}

TEST_CASE("reports that nobody waits for are bounded, and a new latency_map begins with none") {
  report_gate_bench on;
  for (std::int64_t i = 0; i < report_gate::waiting_limit; ++i)
    REQUIRE(on.gate.enter());
  CHECK_FALSE(on.gate.enter());
  CHECK(on.gate.waiting() == report_gate::waiting_limit);
  on.gate.leave();
  CHECK(on.gate.enter());
  CHECK_FALSE(on.gate.enter());
  on.gate.free_places();
  CHECK(on.gate.waiting() == 0);
  CHECK(on.gate.enter());
}

} // namespace
} // namespace matchcloud::actors
