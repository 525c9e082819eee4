#include "load/io.hpp"

#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/loopback.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Waits for a timer of its own.
void pass(std::chrono::nanoseconds time) {
  const base::file_descriptor timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  REQUIRE(timer);
  const auto until = clock::now() + time;
  set_timer(timer, until);
  pollfd watched{timer.get(), POLLIN, 0};
  REQUIRE(::poll(&watched, 1, 10'000) == 1);
  CHECK(clock::now() >= until);
}

TEST_CASE("no tick comes before its time, and ticks do not drift", "[load]") {
  tick_timer ticks{2ms};
  auto now = clock::now();
  const auto begin = now;
  for (int i = 1; i <= 50; ++i) {
    CAPTURE(i);
    ticks.wait(now);
    now = clock::now();
    CHECK(now >= begin + i * 2ms);
  }
}

TEST_CASE("a tick that has just passed is not waited for", "[load]") {
  tick_timer ticks{400ms};
  const auto begin = clock::now();
  ticks.wait(begin);
  pass(450ms);
  const auto late = clock::now();
  ticks.wait(late);
  const auto done = clock::now();
  // On a machine that was busy for that long, ticks start over.
  if (late < begin + 1'200ms) CHECK(done - late < 350ms);
}

TEST_CASE("ticks start over after a pause: those that were missed do not all come at once",
          "[load]") {
  tick_timer ticks{2ms};
  ticks.wait(clock::now());
  ticks.wait(clock::now());
  pass(20ms);
  const auto again = clock::now();
  ticks.wait(again);
  CHECK(clock::now() >= again + 2ms);
  ticks.wait(clock::now());
  CHECK(clock::now() >= again + 4ms);
}

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
