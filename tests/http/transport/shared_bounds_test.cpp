#include "http/transport/shared_bounds.hpp"

#include "tests/catch.hpp"

#include <thread>
#include <vector>

namespace matchcloud::http {
namespace {

model::ip_address address(std::string_view text) {
  return *model::parse_ip_address(text);
}

TEST_CASE("an address has as many connections as it may and not one more") {
  connection_shares shares;
  const auto client = address("192.0.2.1");
  CHECK(shares.enter(client, 2));
  CHECK(shares.enter(client, 2));
  CHECK(!shares.enter(client, 2));
  CHECK(shares.count_of(client) == 2);
  CHECK(shares.count_of(address("192.0.2.2")) == 0);
  CHECK(shares.enter(address("192.0.2.2"), 2));
  shares.leave(client);
  CHECK(shares.enter(client, 2));
  CHECK(!shares.enter(client, 2));
}

TEST_CASE("of IPv6 the first 64 bits are one client") {
  connection_shares shares;
  CHECK(shares.enter(address("2001:db8:1:2::1"), 1));
  CHECK(!shares.enter(address("2001:db8:1:2:ffff::"), 1));
  CHECK(shares.enter(address("2001:db8:1:3::1"), 1));
}

TEST_CASE("shares are counted by several threads at once") {
  connection_shares shares;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        const bool entered = shares.enter(address("192.0.2.1"), 1'000);
        if (entered) shares.leave(address("192.0.2.1"));
      }
    });
  for (auto& each : threads)
    each.join();
  CHECK(shares.enter(address("192.0.2.1"), 1));
}

} // namespace
} // namespace matchcloud::http
