// `serve --take-over`: a process replaces another without losing a request.
#include "tests/catch.hpp"
#include "tests/service/load.hpp"
#include "tests/service/server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

/// Flags for a successor with the listeners of `of`.
arguments same_as(const server& of, const arguments& more = {}) {
  arguments all{"--ops-listen", of.ops().authority(), "--take-over"};
  for (const auto& each : of.listeners())
    all.insert(all.end(), {"--listen", each.authority()});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

arguments command_of(const world& in, const arguments& flags) {
  arguments all{"serve", "--data-dir", in.data_dir()};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

/// The drain time of a server under load. On a busy machine a client may be held up for longer than
/// a third of the default, and then its idle connection is closed under it, as it should be.
const arguments long_drain{"--drain-timeout-ms", "60000"};

TEST_CASE("taking over three times in a row under load loses no request and resets nothing",
          "[lifecycle]") {
  const world own;
  auto flags = long_drain;
  flags.insert(flags.end(), {"--loops", "2"});
  auto now = std::make_unique<server>(flags, own);
  visiting_load clients{now->data(), 8, 4};
  // More loops than sockets, fewer loops, and as many.
  for (const auto* loops : {"5", "1", "2"}) {
    REQUIRE(clients.goes_on());
    flags.back() = loops;
    auto next = std::make_unique<server>(same_as(*now, flags), own);
    CHECK(next->took_over_from() == now->process().pid());
    // The predecessor ends by itself within its drain time.
    CHECK(now->process().exit_code() == 0);
    CHECK(now->process().says("has taken over"));
    CHECK(next->ready_status() == 200);
    CHECK(next->listeners().size() == 1);
    now = std::move(next);
  }
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
  CHECK(clients.connections() > 12);
  now->process().signal(SIGTERM);
  CHECK(now->process().exit_code() == 0);
  CHECK_FALSE(raw_connection::try_connect(now->data()));
  CHECK_FALSE(raw_connection::try_connect(now->ops()));
}

/// A process of version 0.2.0, by exactly the bytes that it sends and expects, as its source has
/// them. It accepts no connections: they wait in the kernel's queues.
class version_0_2_0 {
public:
  /// Takes over from `of`.
  version_0_2_0(const server& of, const world& in) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    const auto name = in.data_dir() + "/take-over-" + of.data().authority() + ".sock";
    REQUIRE(name.size() < sizeof at.sun_path);
    name.copy(&at.sun_path[0], name.size());
    const base::file_descriptor to{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    REQUIRE(::connect(to.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    say(to, hello());
    auto offer = hear(to);
    CHECK(offer.text == "matchcloud-take-over/1 offer 2");
    REQUIRE(offer.sockets.size() == 1);
    for (auto& each : listeners_)
      each = hear(to);
    const auto start = "matchcloud-take-over/1 listener ";
    CHECK(std::set{listeners_[0].text, listeners_[1].text} ==
          std::set{start + of.data().authority(), start + ("ops " + of.ops().authority())});
    say(to, "matchcloud-take-over/1 ready");
    CHECK(hear(to).text == "matchcloud-take-over/1 yours");
    // It goes on to listen on the socket that came with the offer, in its own name.
    local_ = std::move(offer.sockets.front());
    REQUIRE(::listen(local_.get(), 4) == 0);
  }

private:
  struct message {
    std::string text;
    std::vector<base::file_descriptor> sockets;
  };

  static std::string hello() {
    struct stat network {};
    ::stat("/proc/self/ns/net", &network);
    return "matchcloud-take-over/1 hello " + std::to_string(network.st_dev) + ":" +
           std::to_string(network.st_ino);
  }

  static void say(const base::file_descriptor& to, const std::string& text) {
    if (::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error{"cannot send"};
  }

  static message hear(const base::file_descriptor& from) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> control{};
    std::array<char, 1'024> text;
    iovec part{text.data(), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    if (!readable_within(from.get(), patience)) throw std::runtime_error{"nothing is said"};
    const auto got = ::recvmsg(from.get(), &header, MSG_CMSG_CLOEXEC);
    if (got < 0) throw std::runtime_error{"cannot receive"};
    message heard{{text.data(), static_cast<std::size_t>(got)}, {}};
    const auto* rights = CMSG_FIRSTHDR(&header);
    if (rights == nullptr) return heard;
    std::vector<int> numbers((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(rights), numbers.size() * sizeof(int));
    for (const auto each : numbers)
      heard.sockets.emplace_back(each);
    return heard;
  }

  base::file_descriptor local_;
  std::array<message, 2> listeners_;
};

TEST_CASE("version 0.2.0 takes over by exactly the messages that it knows", "[lifecycle]") {
  const world own;
  server first{{}, own};
  const version_0_2_0 older{first, own};
  CHECK(first.process().exit_code() == 0);
  CHECK(first.process().says("process " + std::to_string(::getpid()) + " has taken over"));
}

TEST_CASE("an upgrade from the previous release and back under load loses no request",
          "[.earlier]") {
  const char* earlier = std::getenv("MATCHCLOUD_EARLIER_PROGRAM");
  REQUIRE(earlier != nullptr);
  const world own;
  auto now = std::make_unique<server>(long_drain, own);
  visiting_load clients{now->data(), 8, 4};
  for (const auto& program :
       {std::string{earlier}, fixtures::service_program(), std::string{earlier}}) {
    REQUIRE(clients.goes_on());
    auto next = std::make_unique<server>(program_file{program}, same_as(*now, long_drain), own);
    CHECK(next->took_over_from() == now->process().pid());
    CHECK(now->process().exit_code() == 0);
    now = std::move(next);
  }
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
}

/// The process that `by` says it started.
pid_t started_by(const server& by) {
  const std::string before = "SIGUSR2: started process ";
  REQUIRE(by.process().says(before));
  const auto log = by.process().errors();
  return std::stoi(log.substr(log.rfind(before) + before.size()));
}

/// Ends a process that is not a child of this one.
void end(pid_t which) {
  REQUIRE(::kill(which, SIGTERM) == 0);
  CHECK(eventually([which] { return ::kill(which, 0) != 0; }));
}

TEST_CASE("SIGUSR2 starts a successor, which takes over under load without losing a request",
          "[lifecycle][shipped]") {
  const world own;
  const auto first = std::make_unique<server>(arguments{}, own);
  // With real ports, by which a successor finds it.
  server second{same_as(*first, long_drain), own};
  CHECK(first->process().exit_code() == 0);
  visiting_load clients{second.data(), 8, 4};
  REQUIRE(clients.goes_on());
  second.process().signal(SIGUSR2);
  const auto next = started_by(second);
  // The successor takes its time to start, and the drain takes its own.
  REQUIRE(second.process().says("process " + std::to_string(next) + " has taken over",
                                deadline{milliseconds{60'000}}));
  CHECK(second.process().exit_code() == 0);
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
  check_serves(second.data());
  end(next);
}

TEST_CASE("a successor that cannot start leaves its predecessor serving", "[lifecycle]") {
  const world own;
  const auto first = std::make_unique<server>(arguments{}, own);
  const auto file = own.directory().path("service.toml");
  std::ofstream{file} << "";
  server second{same_as(*first, {"--config", file}), own};
  CHECK(first->process().exit_code() == 0);
  std::ofstream{file} << "no-such-key = 1\n";
  second.process().signal(SIGUSR2);
  const auto started = std::to_string(started_by(second));
  CHECK(second.process().says("process " + started +
                              ", which should have taken over, ended with exit code 2"));
  check_serves(second.data());
  second.process().signal(SIGTERM);
  CHECK(second.process().exit_code() == 0);
}

TEST_CASE("SIGUSR2 starts nothing where no successor could find this process", "[lifecycle]") {
  server of;
  of.process().signal(SIGUSR2);
  CHECK(of.process().says("SIGUSR2: no successor is started"));
  check_serves(of.data());
}

TEST_CASE("several listeners are handed over, those behind proxies with what they expect",
          "[lifecycle]") {
  const world own;
  server first{{"--listen", "127.0.0.1:0,127.0.0.2:0,[::1]:0", "--listen", "127.0.0.1:0/proxy",
                "--trusted-proxies", "127.0.0.1"},
               own};
  REQUIRE(first.listeners().size() == 4);
  auto flags = same_as(first, {"--trusted-proxies", "127.0.0.1"});
  // The last listener lacks its suffix, so the set differs.
  const auto refused = run(command_of(own, flags));
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find(first.listeners()[3].authority() + "/proxy") != std::string::npos);
  for (auto& each : flags)
    if (each == first.listeners()[3].authority()) each += "/proxy";
  server second{flags, own};
  CHECK(first.process().exit_code() == 0);
  for (std::size_t i = 0; i < 3; ++i)
    check_serves(second.listeners()[i]);
  raw_connection behind{second.listeners()[3]};
  CHECK(behind.ask("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + regions_request).status == 200);
}

TEST_CASE("a successor that is killed when it serves does not keep the other from draining",
          "[lifecycle]") {
  const world own;
  server first{{"--loops", "2", "--drain-timeout-ms", "600000"}, own};
  raw_connection kept{first.data()};
  CHECK(kept.ask(regions_request).status == 200);
  server second{same_as(first), own};
  check_serves(second.data());
  second.process().signal(SIGKILL);
  CHECK(second.process().exit_code() == 128 + SIGKILL);
  CHECK(kept.ask(regions_request).header("connection") == "close");
  kept.reset();
  CHECK(first.process().exit_code() == 0);
  // The killed process's socket file is still there and does not prevent the next start.
  server third{same_as(first), own};
  CHECK_FALSE(third.took_over_from());
  check_serves(third.data());
}

TEST_CASE("a predecessor that is killed leaves its sockets to its successor", "[lifecycle]") {
  const world own;
  auto first = std::make_unique<server>(arguments{"--loops", "2"}, own);
  server second{same_as(*first), own};
  first->process().signal(SIGKILL);
  check_serves(second.data());
  server third{same_as(second), own};
  CHECK(third.took_over_from() == second.process().pid());
  CHECK(second.process().exit_code() == 0);
}

TEST_CASE("a take-over that is refused says why, and the running process keeps serving",
          "[lifecycle]") {
  const world own;
  const auto refused = [&](const arguments& flags, const std::vector<std::string>& said) {
    const auto got = run(command_of(own, flags));
    CHECK(got.exit_code != 0);
    CHECK(got.out.empty());
    for (const auto& each : said) {
      CAPTURE(each, got.errors);
      CHECK(got.errors.find(each) != std::string::npos);
    }
  };
  server first{{}, own};
  const auto data = first.data().authority();
  const auto ops = first.ops().authority();
  const auto pid = "process " + std::to_string(first.process().pid());
  // Without the flag, a port in use is an error that names the port.
  refused({"--listen", data, "--ops-listen", ops}, {data, "--take-over"});
  refused({"--listen", data, "--ops-listen", "127.0.0.1:0", "--take-over"},
          {pid, "only it has ops " + ops, "only this process has ops 127.0.0.1:0"});
  const world other;
  const auto elsewhere =
      run(command_of(other, {"--listen", data, "--ops-listen", "127.0.0.1:0", "--take-over"}));
  CHECK(elsewhere.exit_code == 1);
  CHECK(elsewhere.errors.find("found no process") != std::string::npos);
  CHECK(elsewhere.errors.find(other.data_dir()) != std::string::npos);
  CHECK(first.process().running());
  check_serves(first.data());
}

TEST_CASE("with --take-over, a server that finds no process to replace starts as usual and says so",
          "[lifecycle]") {
  const world own;
  server of{{"--take-over"}, own};
  CHECK(of.process().says("starting as usual"));
  CHECK_FALSE(of.took_over_from());
  check_serves(of.data());
  const auto file = own.data_dir() + "/take-over-" + of.data().authority() + ".sock";
  CHECK(std::filesystem::is_socket(file));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
  CHECK_FALSE(std::filesystem::exists(file));
}

} // namespace
