#include "app/process/service_manager.hpp"

#include "base/events/log.hpp"
#include "tests/app/process/manager_socket.hpp"
#include "tests/catch.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <unistd.h>

namespace matchcloud::app {
namespace {

TEST_CASE("what a service manager wants is in the environment; what is empty or wrong is not") {
  const auto with = [](const char* socket, const char* usec, const char* pid) {
    ::setenv("NOTIFY_SOCKET", socket, 1);
    ::setenv("WATCHDOG_USEC", usec, 1);
    ::setenv("WATCHDOG_PID", pid, 1);
    auto read = manager_settings::take_from_environment();
    // A successor inherits this.
    if (read.watched != 0) CHECK(std::getenv("WATCHDOG_PID") == std::to_string(::getpid()));
    for (const auto* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
      ::unsetenv(name);
    return read;
  };
  const auto all = with("/run/notify", "2000000", "12");
  CHECK(all.socket == "/run/notify");
  CHECK(all.watchdog == std::chrono::seconds{2});
  CHECK(all.watched == 12);
  for (const auto* wrong : {"", "x", "-1 ", "2s", "99999999999999999999"}) {
    CHECK(with("/run/notify", wrong, "12").watchdog.count() == 0);
    CHECK(with("/run/notify", "1", wrong).watched == 0);
  }
  CHECK(with("/run/notify", "18446744073709551615", "").watchdog.count() > 0);
}

TEST_CASE("only the process that is watched, or its successor, is to give signs of life") {
  const manager_socket there;
  const std::chrono::seconds two{2};
  CHECK(service_manager{{there.path, two, 0}}.watchdog() == two);
  CHECK(service_manager{{there.path, two, ::getpid()}}.watchdog() == two);
  CHECK(service_manager{{"", two, 0}}.watchdog().count() == 0);
  service_manager other{{there.path, two, 1}};
  CHECK(other.watchdog().count() == 0);
  other.succeed(2);
  CHECK(other.watchdog().count() == 0);
  other.succeed(1);
  CHECK(other.watchdog() == two);
}

TEST_CASE("what finds no room is told later, in order and within a bound") {
  const manager_socket there;
  service_manager manager{{there.path, {}, 0}};
  std::size_t fitting = 0;
  while (!manager.has_unsent())
    manager.tell(std::to_string(fitting++));
  CHECK_FALSE(manager.tell_now("WATCHDOG=1"));
  for (std::size_t i = 0; i < service_manager::unsent_limit; ++i)
    manager.tell("more " + std::to_string(i));
  for (std::size_t i = 0; i + 1 < fitting; ++i)
    CHECK(there.next() == std::to_string(i));
  CHECK_FALSE(there.next());
  manager.send_unsent();
  CHECK_FALSE(manager.has_unsent());
  // The oldest one has made room.
  for (std::size_t i = 0; i < service_manager::unsent_limit; ++i)
    CHECK(there.next() == "more " + std::to_string(i));
  CHECK_FALSE(there.next());
  CHECK(manager.tell_now("WATCHDOG=1"));
  CHECK(there.next() == "WATCHDOG=1");
}

TEST_CASE("names of sockets that cannot be used, and sockets of nobody, have no effect") {
  for (const auto& name :
       {std::string{"relative"}, "/" + std::string(200, 'x'), std::string{"vsock:2:1234"}}) {
    service_manager manager{{name, std::chrono::seconds{1}, 0}};
    CHECK_FALSE(manager);
    CHECK(manager.watchdog().count() == 0);
    manager.tell("READY=1");
    CHECK_FALSE(manager.has_unsent());
  }
  service_manager nobody{{"/nowhere/at/all", {}, 0}};
  nobody.tell("READY=1");
  CHECK_FALSE(nobody.has_unsent());
  CHECK_FALSE(nobody.tell_now("WATCHDOG=1"));
}

TEST_CASE("where no socket can be made nothing is told, and a warning says so") {
  const manager_socket there;
  const logged_lines log;
  // UBSan checks what has virtual functions once, and needs a descriptor for it.
  base::log(base::log_event::manager_failed, "{}", "a line before");
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{0, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  service_manager manager{{there.path, std::chrono::seconds{1}, 0}};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK_FALSE(manager);
  CHECK(manager.watchdog().count() == 0);
  CHECK(log.text().find("NOTIFY_SOCKET): a socket cannot be made: ") != std::string::npos);
}

TEST_CASE("a status is one line of a bounded length, and whole characters") {
  CHECK(status_line("serving") == "STATUS=serving");
  CHECK(status_line("a\nREADY=1\r\tb") == "STATUS=a READY=1  b");
  CHECK(status_line(std::string(511, 'x') + "\u00e9") == "STATUS=" + std::string(511, 'x'));
  CHECK(status_line(std::string(510, 'x') + "\u00e9").size() == 7 + 512);
}

} // namespace
} // namespace matchcloud::app
