#include "http/loop/byte_stream.hpp"

#include "http/transport/listener.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace matchcloud::http {
namespace {

/// The two ends of a TCP connection: our own, which is non-blocking, and the peer's.
struct connected {
  base::file_descriptor own;
  base::file_descriptor peer;

  connected() {
    const auto listening = listen_on(parse_endpoint("127.0.0.1:0").value(), 1, 8).value();
    sockaddr_in where{};
    socklen_t length = sizeof where;
    ::getsockname(listening.sockets[0].get(), reinterpret_cast<sockaddr*>(&where), &length);
    peer = base::file_descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int bytes = 64 * 1024;
    ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    REQUIRE(::connect(peer.get(), reinterpret_cast<sockaddr*>(&where), length) == 0);
    own = base::file_descriptor{
        ::accept4(listening.sockets[0].get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    REQUIRE(own);
  }
};

TEST_CASE("of a file the kernel takes little more than a slow reader has room for") {
  const fixtures::temporary_directory folder;
  constexpr std::size_t size = 64UL * 1024 * 1024;
  const base::file_descriptor file{
      ::open(folder.path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  REQUIRE(::ftruncate(file.get(), size) == 0);
  connected sockets;
  prepare_client_socket(sockets.own.get());
  socket_stream stream{std::move(sockets.own)};
  std::size_t sent = 0;
  const auto fill = [&] {
    for (;;) {
      const auto result = stream.send_file(file.get(), sent, 64UL * 1024);
      if (result.status != io_status::moved) return;
      sent += result.bytes;
    }
  };
  // The reader keeps up at first, so that the kernel enlarges its receive buffer.
  std::vector<char> buffer(64UL * 1024);
  std::size_t received = 0;
  while (received < size / 2) {
    fill();
    const auto got = ::recv(sockets.peer.get(), buffer.data(), buffer.size(), 0);
    REQUIRE(got > 0);
    received += static_cast<std::size_t>(got);
  }
  fill();
  CHECK(sent - received < 1024UL * 1024);
}

TEST_CASE("a stream knows what its peer's kernel has not acknowledged") {
  connected sockets;
  socket_stream stream{std::move(sockets.own)};
  CHECK(stream.unacknowledged_bytes() == 0);
  const std::string bytes(64UL * 1024, 'x');
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  std::size_t sent = 0;
  for (auto moved = stream.write({&piece, 1}, false); moved.status == io_status::moved;
       moved = stream.write({&piece, 1}, false))
    sent += moved.bytes;
  const auto left = stream.unacknowledged_bytes();
  CHECK(left > 0);
  CHECK(left < sent);
  std::vector<char> buffer(64UL * 1024);
  for (std::size_t received = 0; received < sent;) {
    const auto got = ::recv(sockets.peer.get(), buffer.data(), buffer.size(), 0);
    REQUIRE(got > 0);
    received += static_cast<std::size_t>(got);
  }
  CHECK(stream.unacknowledged_bytes() < left);
}

} // namespace
} // namespace matchcloud::http
