#include "load/io.hpp"

#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/loopback.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// A TCP connection of this process to itself.
struct connection {
  base::file_descriptor near;
  base::file_descriptor far;

  connection() {
    const base::file_descriptor listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    auto address = fixtures::loopback_address(0);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener.get(), any, size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    REQUIRE(::getsockname(listener.get(), any, &size) == 0);
    near = base::file_descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    REQUIRE(::connect(near.get(), any, size) == 0);
    far = base::file_descriptor{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    REQUIRE(far);
  }

  void send(std::string_view bytes) const {
    REQUIRE(::send(far.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

  /// Waits, up to 10 s, until something can be read.
  void await() const {
    pollfd watched{near.get(), POLLIN, 0};
    REQUIRE(::poll(&watched, 1, 10'000) == 1);
  }
};

/// Lets time pass, for which nothing is there to wait.
void spend(std::chrono::milliseconds time) {
  const auto until = clock::now() + time;
  while (clock::now() < until)
    ::poll(nullptr, 0, 1);
}

TEST_CASE("a read says for how long the last of its bytes had been there", "[load]") {
  const connection between;
  note_arrivals(between.near.get());
  std::array<char, 100> buffer{};
  const auto begin = clock::now();
  between.send("first, ");
  spend(60ms);
  const auto sent = clock::now();
  between.send("second");
  spend(30ms);
  const auto got = read_timed(between.near.get(), buffer);
  REQUIRE(got.of.status == http::io_status::moved);
  CHECK(std::string_view{buffer.data(), got.of.bytes} == "first, second");
  CHECK_FALSE(got.of.more);
  // Both clocks may be slewed, by less than 1 ms in that time.
  CHECK(got.age >= 29ms);
  CHECK(got.age <= clock::now() - sent + 1ms);
  CHECK(got.age < clock::now() - begin);
}

TEST_CASE("without noting arrivals a read says no age", "[load]") {
  const connection between;
  between.send("bytes");
  between.await();
  std::array<char, 3> buffer{};
  const auto got = read_timed(between.near.get(), buffer);
  CHECK(got.of.bytes == 3);
  CHECK(got.of.more);
  CHECK(got.age == 0ns);
}

TEST_CASE("a timed read that moves nothing says why", "[load]") {
  connection between;
  note_arrivals(between.near.get());
  std::array<char, 3> buffer{};
  const auto read = [&](int flags) {
    REQUIRE(::fcntl(between.near.get(), F_SETFL, flags) == 0);
    return read_timed(between.near.get(), buffer).of.status;
  };
  CHECK(read(O_NONBLOCK) == http::io_status::blocked);
  SECTION("its peer has ended") {
    between.far = {};
    between.await();
    CHECK(read(0) == http::io_status::ended);
  }
  SECTION("its peer is gone") {
    const linger at_once{1, 0};
    ::setsockopt(between.far.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    between.far = {};
    between.await();
    CHECK(read(0) == http::io_status::failed);
  }
}

} // namespace
} // namespace matchcloud::load
