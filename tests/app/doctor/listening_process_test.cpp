#include "app/doctor/health_checks.hpp"

#include "tests/catch.hpp"

#include <unistd.h>

#include <sstream>

namespace matchcloud::app {
namespace {

http::endpoint at(const std::string& text) {
  return http::parse_endpoint(text).value();
}

constexpr const char* v4_table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4711 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4712 1 0000000000000000 100 0 0 10 0\n"
    "   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 "
    "4713 1 0000000000000000 100 0 0 10 0\n"
    "   3: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4714 1 0000000000000000 100 0 0 10 0\n"
    "   4: broken\n";

std::vector<listening_socket> sockets_in(const char* table, const http::endpoint& where) {
  std::istringstream lines{table};
  return listening_sockets(lines, where);
}

TEST_CASE("the sockets that listen at an address are found in the kernel's table") {
  using sockets = std::vector<listening_socket>;
  CHECK(sockets_in(v4_table, at("127.0.0.1:8080")) == sockets{{"0", "4711"}, {"0", "4712"}});
  CHECK(sockets_in(v4_table, at("0.0.0.0:8081")) == sockets{{"0", "4714"}});
  CHECK(sockets_in(v4_table, at("127.0.0.1:8081")).empty());
  CHECK(sockets_in("", at("127.0.0.1:8080")).empty());
  const auto* v6_table =
      "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000     0        0 4720 1\n";
  CHECK(sockets_in(v6_table, at("[::1]:8080")) == sockets{{"0", "4720"}});
}

TEST_CASE("a process is known by the addresses that it listens at") {
  const auto listening = GENERATE(as<std::string>{}, "127.0.0.1:0", "[::1]:0");
  const auto bound = http::listen_on(at(listening), 1, 1);
  if (!bound && listening == "[::1]:0") return; // a machine without IPv6
  REQUIRE(bound);
  const auto user = ::geteuid();
  CHECK(process_listens_at({::getpid(), user}, bound->where));
  CHECK_FALSE(process_listens_at({::getppid(), user}, bound->where));
  CHECK_FALSE(process_listens_at({::getpid(), user}, at("127.0.0.1:1")));
  CHECK_FALSE(process_listens_at({0, user}, bound->where));
}

} // namespace
} // namespace matchcloud::app
