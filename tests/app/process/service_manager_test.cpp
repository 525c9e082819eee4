#include "app/process/service_manager.hpp"

#include "app/process/main_watch.hpp"
#include "base/events/log.hpp"
#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace matchcloud::app {
namespace {

/// The socket of a service manager.
struct manager_socket {
  fixtures::temporary_directory folder;
  std::string path = folder.path("notify");
  base::file_descriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};

  manager_socket() {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(&at.sun_path[0], sizeof at.sun_path - 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  }
  std::optional<std::string> next() const {
    std::array<char, 4096> buffer;
    const auto got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) return std::nullopt;
    return std::string{buffer.data(), static_cast<std::size_t>(got)};
  }
  /// Fills the socket. Returns the number of messages that it takes.
  std::size_t fill() const {
    const base::file_descriptor from{::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)};
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(&at.sun_path[0], sizeof at.sun_path - 1);
    std::size_t count = 0;
    while (::sendto(from.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 1)
      ++count;
    return count;
  }
};

/// What is logged while it exists. Nothing is formatted before it is asked for: UBSan's check of a
/// virtual call needs a descriptor, and there are tests in which none can be had.
class logged_lines {
public:
  logged_lines() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("", seen_)); }
  logged_lines(const logged_lines&) = delete;
  logged_lines& operator=(const logged_lines&) = delete;
  ~logged_lines() { spdlog::set_default_logger(usual_); }

  std::string text() const {
    std::string all;
    for (const auto& line : seen_->last_formatted())
      all += line;
    return all;
  }

private:
  static constexpr std::size_t most_lines = 100;

  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> seen_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(most_lines);
  std::shared_ptr<spdlog::logger> usual_ = spdlog::default_logger();
};

TEST_CASE("the settings of a service manager come from the environment, without wrong values") {
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

TEST_CASE("only the watched process or its successor sends watchdog messages") {
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

TEST_CASE("messages that do not fit the socket are sent later, in order and within a bound") {
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

TEST_CASE("if no socket can be made, nothing is sent, and a warning says so") {
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
