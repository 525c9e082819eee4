#include "http/transport/listener.hpp"

#include "model/net/socket_address.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>

namespace matchcloud::http {
namespace {

using fixtures::contains;

const endpoint loopback{model::ip_address::from_v4(std::array<std::uint8_t, 4>{127, 0, 0, 1}), 0};

TEST_CASE("endpoints are read and written in one form") {
  for (const std::string_view text :
       {"127.0.0.1:8080", "0.0.0.0:0", "[::1]:8080", "[::]:65535", "[2001:db8::1]:1"}) {
    CAPTURE(text);
    const auto read = parse_endpoint(text);
    REQUIRE(read);
    CHECK(to_string(*read) == text);
  }
}

TEST_CASE("anything else is refused with an example of what is right") {
  for (const std::string_view text : {"",
                                      ":",
                                      "8080",
                                      ":8080",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:+1",
                                      "127.0.0.1: 1",
                                      "127.0.0.1:80x",
                                      "localhost:80",
                                      "::1:8080",
                                      "[::1]",
                                      "[::1]:",
                                      "::1]:80",
                                      "[127.0.0.1]:80",
                                      "[]:80",
                                      "127.1:80",
                                      "127.0.0.1:8:0"}) {
    CAPTURE(text);
    const auto read = parse_endpoint(text);
    REQUIRE(!read.has_value());
    CHECK(read.error().code == base::errc::config_invalid);
    CHECK(contains(read.error().detail, "127.0.0.1:8080"));
  }
}

TEST_CASE("several sockets share one endpoint with its real port") {
  const auto opened = listen_on(loopback, 3, 16);
  REQUIRE(opened);
  CHECK(opened->sockets.size() == 3);
  CHECK(opened->where.port != 0);
  CHECK(opened->where.address == loopback.address);
  for (const auto& socket : opened->sockets) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    REQUIRE(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &length) == 0);
    CHECK(endpoint_of(storage) == opened->where);
  }
}

TEST_CASE("an endpoint that is listened on is never shared") {
  const auto first = listen_on(loopback, 2, 16);
  REQUIRE(first);
  const auto second = listen_on(first->where, 2, 16);
  REQUIRE(!second.has_value());
  CHECK(second.error().code == base::errc::address_unavailable);
  CHECK(contains(second.error().detail, to_string(first->where)));
  CHECK(!check_free(first->where).has_value());
}

/// A connection to `where`; the handshake is complete.
base::file_descriptor connected_to(const endpoint& where) {
  base::file_descriptor client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto address = model::socket_address_of(where.address, where.port);
  REQUIRE(::connect(client.get(), address.plain(), address.length) == 0);
  return client;
}

/// Whether a connection can be accepted from `listening` within `wait`.
bool accepts(const base::file_descriptor& listening, std::chrono::milliseconds wait) {
  pollfd watched{listening.get(), POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(wait.count())) == 1;
}

TEST_CASE("an endpoint is free again once its listeners are closed") {
  using namespace std::chrono_literals;
  auto first = listen_on(loopback, 2, 16);
  REQUIRE(first);
  const auto where = first->where;
  // A connection that the server closed first is kept by the kernel for a while, with its address.
  const auto client = connected_to(where);
  const auto& listening = first->sockets[accepts(first->sockets[0], 100ms) ? 0 : 1];
  base::file_descriptor accepted{::accept(listening.get(), nullptr, nullptr)};
  REQUIRE(accepted.get() >= 0);
  accepted.reset();
  first->sockets.clear();
  CHECK(check_free(where).has_value());
  CHECK(listen_on(where, 1, 16).has_value());
}

TEST_CASE("connections are accepted with their first bytes or their end, silent ones later") {
  using namespace std::chrono_literals;
  const auto opened = listen_on(loopback, 1, 16);
  REQUIRE(opened);
  const auto& listening = opened->sockets.front();
  accept_with_first_bytes(listening.get(), true);
  auto client = connected_to(opened->where);
  CHECK_FALSE(accepts(listening, 100ms));
  SECTION("no more") {
    accept_with_first_bytes(listening.get(), false);
    const auto other = connected_to(opened->where);
    CHECK(accepts(listening, 500ms));
  }
  SECTION("bytes") {
    REQUIRE(::send(client.get(), "G", 1, 0) == 1);
    CHECK(accepts(listening, 500ms));
  }
  SECTION("the end") {
    client.reset();
    CHECK(accepts(listening, 500ms));
  }
  SECTION("silence") {
    CHECK_FALSE(accepts(listening, 400ms));
    CHECK(accepts(listening, 5s));
  }
}

TEST_CASE("an address that is not this machine's cannot be listened on") {
  const auto elsewhere = parse_endpoint("192.0.2.1:0").value();
  const auto opened = listen_on(elsewhere, 1, 16);
  REQUIRE(!opened.has_value());
  CHECK(opened.error().code == base::errc::address_unavailable);
}

TEST_CASE("an IPv4 peer is the same client on either family") {
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = htons(80);
  mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
  mapped.sin6_addr.s6_addr[12] = 127;
  mapped.sin6_addr.s6_addr[15] = 1;
  sockaddr_storage storage{};
  std::memcpy(&storage, &mapped, sizeof mapped);
  CHECK(endpoint_of(storage) == endpoint{loopback.address, 80});
}

} // namespace
} // namespace matchcloud::http
