#include "load/io.hpp"

#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"

#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>

namespace matchcloud::load {
namespace {

/// Two connected sockets that do not block and hold little.
struct socket_pair {
  std::unique_ptr<http::socket_stream> near;
  base::file_descriptor far;

  socket_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    near = std::make_unique<http::socket_stream>(base::file_descriptor{ends[0]});
    far = base::file_descriptor{ends[1]};
    const int least = 1;
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
  }

  std::string take() const {
    std::array<char, 1'000> block{};
    const auto got = ::recv(far.get(), block.data(), block.size(), 0);
    return {block.data(), static_cast<std::size_t>(got < 0 ? 0 : got)};
  }
};

TEST_CASE("bytes from three places are sent as one text, however little the socket takes",
          "[load]") {
  const socket_pair sockets;
  const std::string first(5'003, 'a');
  const std::string second(7, 'b');
  const std::string third(70'001, 'c');
  unsent_bytes unsent{first, second, third};
  std::string got;
  int refusals = 0;
  while (!unsent.empty()) {
    const auto sent = unsent.send(*sockets.near);
    if (sent == http::io_status::moved) continue;
    REQUIRE(sent == http::io_status::blocked);
    ++refusals;
    got += sockets.take();
  }
  for (auto rest = sockets.take(); !rest.empty(); rest = sockets.take())
    got += rest;
  CHECK(refusals > 1);
  CHECK((got == first + second + third));
}

TEST_CASE("nothing is unsent of no bytes", "[load]") {
  CHECK(unsent_bytes{}.empty());
  CHECK(unsent_bytes{"", "", ""}.empty());
  const socket_pair sockets;
  unsent_bytes unsent{"", "", "c"};
  CHECK_FALSE(unsent.empty());
  REQUIRE(unsent.send(*sockets.near) == http::io_status::moved);
  CHECK(unsent.empty());
  CHECK(sockets.take() == "c");
}

} // namespace
} // namespace matchcloud::load
