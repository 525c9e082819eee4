// What a service tells the service manager that started it (sd_notify(3)).
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/not_tested.hpp"

#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// A service manager's socket, and what was told there.
class notify_socket {
public:
  explicit notify_socket(bool is_abstract = false)
      : name_{is_abstract ? "@" + folder_.path().substr(1) : folder_.path("notify")},
        socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
    REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&where_.first),
                   where_.second) == 0);
  }

  std::string variable() const { return "NOTIFY_SOCKET=" + name_; }
  /// The next message; empty if none comes within `patience`.
  std::string next(milliseconds patience = e2e::patience) {
    std::array<char, 4096> buffer;
    if (!readable_within(socket_.get(), patience)) return {};
    const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    return got < 0 ? std::string{} : std::string{buffer.data(), static_cast<std::size_t>(got)};
  }
  /// The next message with this line; empty if none comes in time.
  std::string next_with(const std::string& line, const deadline& until = deadline{}) {
    while (!until.passed()) {
      const auto message = next(until.left());
      if (contains("\n" + message + "\n", "\n" + line)) return message;
    }
    return {};
  }
  /// All that is told within `pause`.
  std::vector<std::string> all_within(milliseconds pause) {
    std::vector<std::string> all;
    const deadline until{pause};
    while (!until.passed())
      if (auto message = next(until.left()); !message.empty()) all.push_back(std::move(message));
    return all;
  }

private:
  static std::pair<sockaddr_un, socklen_t> address_of(const std::string& name) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    name.copy(&at.sun_path[0], sizeof at.sun_path - 1);
    const bool is_abstract = name.front() == '@';
    if (is_abstract) at.sun_path[0] = '\0';
    return {at, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() +
                                       (is_abstract ? 0 : 1))};
  }

  fixtures::temporary_directory folder_;
  std::string name_;
  std::pair<sockaddr_un, socklen_t> where_ = address_of(name_);
  base::file_descriptor socket_;
};

bool has_pings(const std::vector<std::string>& messages) {
  return std::ranges::find(messages, "WATCHDOG=1") != messages.end();
}

TEST_CASE("a service manager is told of the start and of the end", "[lifecycle]") {
  notify_socket manager{GENERATE(false, true)};
  server of{{"--drain-delay-ms", "50"}, shared_world(), {manager.variable()}};
  const auto ready = manager.next();
  CHECK(ready == "READY=1\nSTATUS=serving, 0 connections");
  CHECK(manager.all_within(milliseconds{50}).empty());
  of.process().signal(SIGTERM);
  // From the signal on: the delay, the drain, and what is left to do.
  CHECK(manager.next() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=18050000");
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("SIGHUP is a reload to the service manager, which ends at once", "[lifecycle]") {
  notify_socket manager;
  server of{{}, shared_world(), {manager.variable()}};
  CHECK(manager.next().starts_with("READY=1\n"));
  const auto before = clock::now().time_since_epoch();
  of.process().signal(SIGHUP);
  const auto reloading = manager.next();
  const std::string start = "RELOADING=1\nMONOTONIC_USEC=";
  REQUIRE(reloading.starts_with(start));
  const std::chrono::microseconds since{std::stoll(reloading.substr(start.size()))};
  CHECK(since >= std::chrono::duration_cast<std::chrono::microseconds>(before));
  CHECK(since <= clock::now().time_since_epoch());
  CHECK(manager.next() == "READY=1");
  // Not while it ends.
  raw_connection half{of.data()};
  half.send("GET /");
  REQUIRE(eventually([&] { return of.metric("matchcloud_received_bytes_total") == 5; }));
  of.process().signal(SIGTERM);
  CHECK(manager.next().starts_with("STOPPING=1\n"));
  of.process().signal(SIGHUP);
  of.process().signal(SIGUSR1);
  REQUIRE(eventually([&] { return contains(of.process().errors(), "SIGUSR1 is ignored"); }));
  CHECK_FALSE(contains(manager.next(milliseconds{0}), "RELOADING=1"));
}

TEST_CASE("while a service waits for its store the service manager waits, too", "[lifecycle]") {
  notify_socket manager;
  const fixtures::temporary_directory folder;
  child_process waits{arguments{"serve", "--data-dir", folder.path(), "--listen", "127.0.0.1:0",
                                "--ops-listen", "127.0.0.1:0", "--start-wait-ms", "5000"} +
                          waits_for_store,
                      {manager.variable()}};
  auto told = manager.next();
  int waits_told = 0;
  for (; told.starts_with("STATUS=waiting: "); ++waits_told, told = manager.next())
    CHECK(told.ends_with("\nEXTEND_TIMEOUT_USEC=30000000"));
  CHECK(waits_told >= 2);
  CHECK(told.starts_with("STATUS=could not start: "));
  CHECK(waits.exit_code() == 1);
}

TEST_CASE("the watchdog gets a sign of life only from the process that it watches", "[lifecycle]") {
  notify_socket manager;
  const environment both{manager.variable(), "WATCHDOG_USEC=400000"};
  const auto& folder = shared_world().data_dir();
  const wrapped_service own{after_commands("export WATCHDOG_PID=$$"), folder, {}, both};
  CHECK_FALSE(manager.next_with("WATCHDOG=1").empty());
  notify_socket other;
  const wrapped_service another{
      {"/usr/bin/env", "WATCHDOG_PID=1"}, folder, {}, {other.variable(), "WATCHDOG_USEC=400000"}};
  CHECK_FALSE(has_pings(other.all_within(milliseconds{400})));
}

/// The event loops of a process: its threads that wait in epoll.
std::vector<pid_t> loops_of(pid_t process) {
  std::vector<pid_t> found;
  for (const auto& each :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(process) + "/task"}) {
    std::ifstream in{each.path() / "wchan"};
    const std::string where{std::istreambuf_iterator<char>{in}, {}};
    if (contains(where, "ep_poll") || contains(where, "epoll"))
      found.push_back(static_cast<pid_t>(std::stoi(each.path().filename().string())));
  }
  return found;
}

TEST_CASE("an event loop that hangs gives no sign of life, of either plane", "[lifecycle]") {
  notify_socket manager;
  const server of{{"--loops", "1"}, shared_world(), {manager.variable(), "WATCHDOG_USEC=400000"}};
  REQUIRE_FALSE(manager.next_with("WATCHDOG=1").empty());
  std::vector<pid_t> loops;
  REQUIRE(eventually([&] { return (loops = loops_of(of.process().pid())).size() == 2; }));
  for (const auto loop : loops) {
    if (::ptrace(PTRACE_SEIZE, loop, nullptr, nullptr) != 0)
      return fixtures::not_tested("this user may trace no process");
    REQUIRE(::ptrace(PTRACE_INTERRUPT, loop, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(loop, nullptr, __WALL) == loop);
    // One may be under way, for what the loop did before.
    manager.all_within(milliseconds{200});
    CHECK_FALSE(has_pings(manager.all_within(milliseconds{600})));
    REQUIRE(::ptrace(PTRACE_DETACH, loop, nullptr, nullptr) == 0);
    CHECK_FALSE(manager.next_with("WATCHDOG=1").empty());
  }
}

TEST_CASE("at a take-over the new process is the main one, and the old one does not stop the unit",
          "[lifecycle]") {
  notify_socket manager;
  const world own;
  server first{{}, own, {manager.variable(), "WATCHDOG_USEC=400000"}};
  CHECK(manager.next().starts_with("READY=1\n"));
  raw_connection keeps_first{first.data()};
  REQUIRE(keeps_first.ask(request("GET", regions_target)).status == 200);
  // With the environment of the first.
  server second{{"--listen", first.data().authority(), "--ops-listen", first.ops().authority(),
                 "--take-over"},
                own,
                {manager.variable(), "WATCHDOG_USEC=400000",
                 "WATCHDOG_PID=" + std::to_string(first.process().pid())}};
  // While the first one still serves: its end would be that of the unit.
  CHECK(manager.next_with("MAINPID=") == "MAINPID=" + std::to_string(second.process().pid()));
  CHECK(manager.next_with("READY=1") == "READY=1\nSTATUS=serving, 0 connections");
  CHECK(first.process().running());
  keeps_first.reset();
  CHECK(first.process().exit_code() == 0);
  // Signs of life go on, and nothing else was told.
  for (auto before = manager.next(milliseconds{0}); !before.empty();
       before = manager.next(milliseconds{0}))
    CHECK(before == "WATCHDOG=1");
  CHECK(manager.next() == "WATCHDOG=1");
}

} // namespace
