#include "app/process/main_watch.hpp"

#include "tests/app/process/manager_socket.hpp"
#include "tests/catch.hpp"

#include <csignal>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;

/// Signals are blocked in the thread of the tests only while one runs.
class kept_signals {
public:
  kept_signals() { pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  kept_signals(const kept_signals&) = delete;
  kept_signals& operator=(const kept_signals&) = delete;
  ~kept_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

struct watched_process {
  kept_signals kept;
  manager_socket there;
  service_signals signals;
  service_manager manager{{there.path, {}, 0}};
  main_watch watch{signals, manager, milliseconds{1}};
};

TEST_CASE("a state that the service manager had no room for is told once it has") {
  watched_process of;
  std::string state = "one";
  of.watch.begin_serving({[] { return true; }, [&] { return state; }});
  CHECK(of.there.next() == "READY=1\nSTATUS=one");
  const auto filling = of.there.fill();
  REQUIRE(filling > 0);
  state = "two";
  CHECK(of.watch.wait({}, milliseconds{20}) == main_watch::wake::late);
  for (std::size_t i = 0; i < filling; ++i)
    CHECK(of.there.next() == "x");
  CHECK_FALSE(of.there.next());
  CHECK(of.watch.wait({}, milliseconds{20}) == main_watch::wake::late);
  CHECK(of.there.next() == "STATUS=two");
  // Once: it has not changed since.
  CHECK(of.watch.wait({}, milliseconds{20}) == main_watch::wake::late);
  CHECK_FALSE(of.there.next());
}

TEST_CASE("a process that cannot take over after all gives the unit back to the other one") {
  watched_process of;
  const auto own = "MAINPID=" + std::to_string(::getpid());
  const auto fails = [&] {
    CHECK(of.there.next() == own);
    CHECK_FALSE(of.there.next());
    throw std::runtime_error{"it cannot"};
  };
  CHECK_THROWS_AS(of.watch.replace(4'242, fails), std::runtime_error);
  CHECK(of.there.next() == "MAINPID=4242");
  of.watch.replace(4'242, [] {});
  CHECK(of.there.next() == own);
  CHECK_FALSE(of.there.next());
}

TEST_CASE("a signal to end waits to be taken from the beginning on") {
  watched_process of;
  const auto number = GENERATE(SIGTERM, SIGINT, SIGQUIT);
  REQUIRE(::raise(number) == 0);
  CHECK(of.watch.wait({}) == main_watch::wake::ending);
  CHECK(of.signals.take_ending() == number);
  CHECK_FALSE(of.signals.ends());
  CHECK_FALSE(of.signals.take_ending());
}

} // namespace
} // namespace matchcloud::app
