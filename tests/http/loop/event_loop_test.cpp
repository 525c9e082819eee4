#include "http/loop/event_loop.hpp"

#include "http/loop/byte_stream.hpp"
#include "http/transport/listener.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

struct event_loop_bench {
  deterministic_system actors;
  manual_clock clock;
  event_loop loop{actors.system, clock};

  std::vector<caf::actor> residents;

  /// Ends the residents while their loop can still run them.
  ~event_loop_bench() {
    for (const auto& one : residents)
      caf::anon_send_exit(one, caf::exit_reason::kill);
    for (std::size_t i = 0; i <= residents.size() / event_loop::resumes_per_turn; ++i)
      turn();
  }
  template <class Actor, class... Args>
  caf::actor spawn(Args&&... args) {
    residents.push_back(matchcloud::actors::spawn_resident<Actor>(actors.system, loop,
                                                                  std::forward<Args>(args)...));
    return residents.back();
  }
  /// Runs one turn without waiting, even if there is nothing to do.
  void turn() {
    loop.post([] {});
    loop.run_once();
  }
};

struct loop_alarm final : timer {
  int fired = 0;
  void on_deadline() override { ++fired; }
};

struct counting_handler final : io_handler {
  std::vector<std::uint32_t> seen;
  std::function<void()> action;
  void on_events(std::uint32_t events) override {
    seen.push_back(events);
    if (action) action();
  }
};

/// Sends itself the next message until it has handled `until` messages.
class restless final : public actors::resident {
public:
  restless(caf::actor_config& cfg, int& handled, int until)
      : resident{cfg, fixtures::some_gate_points}, handled_{&handled}, until_{until} {}

protected:
  caf::behavior make_behavior() override {
    return {[this](int) {
      if (++*handled_ < until_) send(this, 1);
    }};
  }

private:
  int* handled_;
  int until_;
};

/// Counts its messages and ends when a message says so.
class counting final : public actors::resident {
public:
  counting(caf::actor_config& cfg, int& handled)
      : resident{cfg, fixtures::some_gate_points}, handled_{&handled} {}

protected:
  caf::behavior make_behavior() override {
    return {[this](int) { ++*handled_; }, [this](bool) { quit(); }};
  }

private:
  int* handled_;
};

TEST_CASE("posted tasks run in order, once, on the loop's thread") {
  event_loop_bench on;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i)
    on.loop.post([&order, &on, i] {
      CHECK(on.loop.in_loop());
      order.push_back(i);
    });
  CHECK(order.empty());
  on.loop.run_once();
  CHECK(order == std::vector{0, 1, 2});
  on.turn();
  CHECK(order.size() == 3);
}

TEST_CASE("a task posted by a task runs in the next turn") {
  event_loop_bench on;
  int ran = 0;
  on.loop.post([&] { on.loop.post([&] { ++ran; }); });
  on.loop.run_once();
  CHECK(ran == 0);
  on.loop.run_once();
  CHECK(ran == 1);
}

TEST_CASE("tasks posted by many threads all run") {
  event_loop_bench on;
  constexpr int threads = 4;
  constexpr int tasks = 1'000;
  int ran = 0; // only the loop's thread touches it
  std::thread turning{[&] { on.loop.run(); }};
  std::vector<std::thread> posting;
  for (int i = 0; i < threads; ++i)
    posting.emplace_back([&] {
      for (int j = 0; j < tasks; ++j)
        on.loop.post([&ran] { ++ran; });
    });
  for (auto& thread : posting)
    thread.join();
  on.loop.post([&] { on.loop.stop(); });
  turning.join();
  CHECK(ran == threads * tasks);
}

TEST_CASE("stop ends a loop that sleeps") {
  event_loop_bench on;
  std::promise<void> runs;
  std::thread turning{[&] { on.loop.run(); }};
  on.loop.post([&] { runs.set_value(); });
  runs.get_future().wait();
  on.loop.stop();
  turning.join();
}

TEST_CASE("turn-end tasks run at the turn's end, new ones in the next turn") {
  event_loop_bench on;
  std::vector<std::string> order;
  on.loop.post([&] {
    on.loop.at_turn_end([&] {
      order.push_back("end");
      on.loop.at_turn_end([&] { order.push_back("next end"); });
    });
    order.push_back("task");
  });
  on.loop.run_once();
  CHECK(order == std::vector<std::string>{"task", "end"});
  on.loop.run_once(); // must not sleep: a task is left
  CHECK(order.back() == "next end");
}

/// Advances by 10 microseconds each time it is read.
struct ticking_clock final : base::clock {
  mutable int reads = 0;
  base::steady_time now() const noexcept override {
    return base::steady_time{} + std::chrono::microseconds{10 * ++reads};
  }
  std::int64_t unix_ms() const noexcept override { return 0; }
};

TEST_CASE("a loop that polls looks again until its time is over, then sleeps") {
  deterministic_system actors;
  const auto reads_of_a_turn = [&](std::chrono::microseconds busy_poll) {
    const ticking_clock clock;
    event_loop loop{actors.system, clock, busy_poll};
    loop_alarm soon;
    loop.timers().arm(soon, loop.now() + 1ms);
    const auto before = clock.reads;
    loop.run_once(); // returns only when it has slept until the alarm
    return clock.reads - before;
  };
  const auto asleep = reads_of_a_turn({});
  CHECK(reads_of_a_turn(1'000us) >= asleep + 100);
  CHECK(reads_of_a_turn(1'000us) <= asleep + 102);
}

TEST_CASE("a loop that polls hears of events and of other threads at once") {
  deterministic_system actors;
  const manual_clock stopped; // the loop would poll for ever
  event_loop loop{actors.system, stopped, 1'000us};
  const base::file_descriptor signal{eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)};
  counting_handler handler;
  REQUIRE(loop.watch(signal.get(), EPOLLIN | EPOLLET, handler) == 0);
  loop.run_once();
  CHECK(handler.seen.size() == 1);
  bool ran = false;
  std::thread other{[&] { loop.post([&ran] { ran = true; }); }};
  loop.run_once();
  other.join();
  CHECK(ran);
}

TEST_CASE("handlers get the events of a watched descriptor until it is unwatched") {
  event_loop_bench on;
  const base::file_descriptor fd{::eventfd(0, EFD_NONBLOCK)};
  counting_handler handler;
  REQUIRE(on.loop.watch(fd.get(), EPOLLIN, handler) == 0);
  CHECK(on.loop.watch(fd.get(), EPOLLIN, handler) == EEXIST);
  on.turn();
  CHECK(handler.seen.empty());
  REQUIRE(::eventfd_write(fd.get(), 1) == 0);
  on.loop.run_once();
  CHECK(handler.seen == std::vector<std::uint32_t>{EPOLLIN});
  REQUIRE(on.loop.modify(fd.get(), 0, handler) == 0);
  on.turn();
  CHECK(handler.seen.size() == 1);
  REQUIRE(on.loop.modify(fd.get(), EPOLLIN, handler) == 0);
  on.loop.run_once();
  CHECK(handler.seen.size() == 2);
  on.loop.unwatch(fd.get());
  on.turn();
  CHECK(handler.seen.size() == 2);
  CHECK(on.loop.watch(-1, EPOLLIN, handler) == EBADF);
}

TEST_CASE("a task may destroy a handler whose event comes in the same turn") {
  event_loop_bench at;
  const base::file_descriptor readable{::eventfd(1, EFD_NONBLOCK)};
  auto handler = std::make_unique<counting_handler>();
  // The wake-up event comes first.
  at.loop.post([&] {
    at.loop.unwatch(readable.get());
    handler.reset();
  });
  REQUIRE(at.loop.watch(readable.get(), EPOLLIN, *handler) == 0);
  at.loop.run_once();
  CHECK(handler == nullptr);
}

TEST_CASE("timers fire by the clock that was handed in") {
  event_loop_bench on;
  loop_alarm one;
  on.loop.timers().arm(one, on.loop.now() + 100ms);
  on.clock.advance(100ms);
  on.turn();
  CHECK(one.fired == 0);
  on.clock.advance(timer_queue::tick);
  on.turn();
  CHECK(one.fired == 1);
  CHECK(on.loop.now() == on.clock.now());
}

TEST_CASE("a timer that is due wakes the loop without anything else happening") {
  deterministic_system actors;
  event_loop loop{actors.system, base::machine_clock()};
  loop_alarm one;
  loop.timers().arm(one, loop.now() + 20ms);
  const auto begin = base::machine_clock().now();
  while (one.fired == 0)
    loop.run_once();
  CHECK(base::machine_clock().now() - begin >= 19ms);
  CHECK(base::machine_clock().now() - begin < 5'000ms);
}

TEST_CASE("an actor that floods itself leaves sockets their turns") {
  event_loop_bench on;
  int handled = 0;
  constexpr int all = 100'000;
  const auto flooding = on.spawn<restless>(handled, all);
  const base::file_descriptor fd{::eventfd(1, EFD_NONBLOCK)};
  counting_handler handler;
  REQUIRE(on.loop.watch(fd.get(), EPOLLIN, handler) == 0);
  caf::anon_send(flooding, 1);
  int most = 0;
  for (int turns = 1; turns <= 5; ++turns) {
    const int before = handled;
    on.loop.run_once();
    most = std::max(most, handled - before);
    CHECK(handler.seen.size() == static_cast<std::size_t>(turns));
  }
  CHECK(most > 0);
  CHECK(most <= static_cast<int>(event_loop::resumes_per_turn * event_loop::messages_per_resume));
  CHECK(handled < all);
  on.loop.unwatch(fd.get());
  while (handled < all)
    on.loop.run_once(); // never sleeps while an actor is ready
}

TEST_CASE("a turn resumes 64 actors, the next one the others") {
  event_loop_bench on;
  constexpr std::size_t count = 100;
  std::vector<int> handled(count, 0);
  std::vector<caf::actor> many;
  for (std::size_t i = 0; i < count; ++i)
    many.push_back(on.spawn<counting>(handled[i]));
  on.turn();
  on.turn(); // initialises all of them
  for (const auto& one : many)
    caf::anon_send(one, 1);
  on.turn();
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK(handled[i] == (i < event_loop::resumes_per_turn ? 1 : 0));
  }
  on.turn();
  CHECK(handled.back() == 1);
}

/// Takes half a millisecond per message.
class slow final : public actors::resident {
public:
  slow(caf::actor_config& cfg, manual_clock& clock, int& handled)
      : resident{cfg, fixtures::some_gate_points}, clock_{&clock}, handled_{&handled} {}

protected:
  caf::behavior make_behavior() override {
    return {[this](int) {
      clock_->advance(http::event_loop::turn_slice / 2);
      ++*handled_;
    }};
  }

private:
  manual_clock* clock_;
  int* handled_;
};

TEST_CASE("slow residents end the turn early, and all get theirs") {
  event_loop_bench on;
  constexpr int count = 10;
  int handled = 0;
  std::vector<caf::actor> many;
  for (int i = 0; i < count; ++i)
    many.push_back(on.spawn<slow>(on.clock, handled));
  on.turn(); // initialises all of them
  for (const auto& one : many)
    caf::anon_send(one, 1);
  for (int turns = 1; turns <= count / 2; ++turns) {
    on.loop.run_once();
    CHECK(handled == 2 * turns);
  }
}

TEST_CASE("an actor with many slow messages keeps the loop for one resume") {
  event_loop_bench on;
  int handled = 0;
  const auto one = on.spawn<slow>(on.clock, handled);
  on.turn();
  for (int i = 0; i < 100; ++i)
    caf::anon_send(one, 1);
  on.loop.run_once();
  CHECK(handled > 0);
  CHECK(handled <= static_cast<int>(event_loop::messages_per_resume));
  while (handled < 100)
    on.loop.run_once();
}

TEST_CASE("a loop that ends with actors still queued gives them up") {
  deterministic_system actors;
  manual_clock clock;
  int handled = 0;
  {
    event_loop loop{actors.system, clock};
    caf::anon_send(matchcloud::actors::spawn_resident<counting>(actors.system, loop, handled), 1);
  }
  CHECK(handled == 0);
}

TEST_CASE("each turn's stall is measured") {
  event_loop_bench on;
  on.loop.post([&] { on.clock.advance(30ms); });
  on.loop.run_once();
  CHECK(on.loop.metrics().stall.sum_ns() == 30'000'000);
}

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

TEST_CASE("the kernel buffers little of a file for a slow reader") {
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
