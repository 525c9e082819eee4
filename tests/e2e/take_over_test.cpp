// `serve --take-over`: a process replaces another without losing a request.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

const auto asked_to_close = request("GET", regions_target, {}, "Connection: close\r\n");

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

/// Clients that send requests without pause until stopped; every answer must be 200. Keep-alive
/// clients use a connection until the server announces its end, the others use one connection per
/// request.
class load {
public:
  load(const address& to, std::size_t keeping, std::size_t closing) : to_{to} {
    for (std::size_t i = 0; i < keeping + closing; ++i)
      threads_.emplace_back([this, keeps = i < keeping] { ask(keeps); });
  }
  load(const load&) = delete;
  load& operator=(const load&) = delete;
  ~load() { finish(); }

  std::size_t answers() const { return answers_; }
  std::size_t connections() const { return connections_; }
  /// Whether `more` further answers arrive.
  bool goes_on(std::size_t more = 500) const {
    const auto until = answers_ + more;
    return eventually([&] { return answers_ >= until; });
  }
  /// The first failure; empty if there was none.
  std::string finish() {
    stopping_ = true;
    for (auto& each : threads_)
      if (each.joinable()) each.join();
    return failure_;
  }

private:
  void ask(bool keeps) {
    auto answered = clock::now();
    auto sent = answered;
    try {
      while (!stopping_) {
        raw_connection connection{to_};
        ++connections_;
        for (bool open = true; open && !stopping_;) {
          sent = clock::now();
          const auto got = connection.ask(keeps ? regions_request : asked_to_close);
          answered = clock::now();
          if (got.status != 200) throw std::runtime_error{"status " + std::to_string(got.status)};
          ++answers_;
          open = got.header("connection") != "close";
        }
      }
    } catch (const std::exception& broken) {
      if (failed_.exchange(true)) return;
      const auto ms = [](clock::duration of) {
        return std::to_string(std::chrono::duration_cast<milliseconds>(of).count()) + " ms";
      };
      failure_ = std::string{broken.what()} + " (" + ms(clock::now() - sent) +
                 " after its request, which was sent " + ms(sent - answered) +
                 " after the last answer)";
    }
  }

  address to_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> answers_{0};
  std::atomic<std::size_t> connections_{0};
  std::atomic<bool> failed_{false};
  std::string failure_;
  std::list<std::thread> threads_;
};

TEST_CASE("taking over three times in a row under load loses no request and resets nothing",
          "[lifecycle]") {
  const world own;
  auto flags = long_drain;
  flags.insert(flags.end(), {"--loops", "2"});
  auto now = std::make_unique<server>(flags, own);
  load clients{now->data(), 8, 4};
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

  /// Hands over to the next process that connects. Throws what is wrong. Any thread.
  void hand_over() {
    if (!readable_within(local_.get(), patience)) throw std::runtime_error{"nobody connects"};
    const base::file_descriptor to{::accept(local_.get(), nullptr, nullptr)};
    expect(hear(to).text, hello());
    say(to, "matchcloud-take-over/1 offer 2", {local_.get()});
    for (const auto& each : listeners_) {
      std::vector<int> sockets;
      for (const auto& socket : each.sockets)
        sockets.push_back(socket.get());
      say(to, each.text, sockets);
    }
    expect(hear(to).text, "matchcloud-take-over/1 ready");
    say(to, "matchcloud-take-over/1 yours");
    local_.reset();
    listeners_ = {};
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

  static void expect(const std::string& got, const std::string& wanted) {
    if (got != wanted) throw std::runtime_error{"got \"" + got + "\", not \"" + wanted + '"'};
  }

  static void say(const base::file_descriptor& to, std::string text,
                  const std::vector<int>& sockets = {}) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> control{};
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!sockets.empty()) {
      const auto bytes = sockets.size() * sizeof(int);
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(bytes);
      auto* rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(rights), sockets.data(), bytes);
    }
    if (::sendmsg(to.get(), &message, MSG_NOSIGNAL) < 0) throw std::runtime_error{"cannot send"};
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

TEST_CASE("version 0.2.0 takes over and is taken over under load without losing a request",
          "[lifecycle]") {
  const world own;
  server first{long_drain, own};
  load clients{first.data(), 8, 4};
  REQUIRE(clients.goes_on());
  version_0_2_0 older{first, own};
  CHECK(first.process().exit_code() == 0);
  CHECK(first.process().says("process " + std::to_string(::getpid()) + " has taken over"));
  auto handed = std::async(std::launch::async, [&] { older.hand_over(); });
  const server next{same_as(first, long_drain), own};
  CHECK_NOTHROW(handed.get());
  CHECK(next.took_over_from() == ::getpid());
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
  CHECK(next.ready_status() == 200);
  // The next successor finds it as it always did.
  const server last{same_as(next, long_drain), own};
  CHECK(last.took_over_from() == next.process().pid());
}

TEST_CASE("an upgrade from the previous release and back under load loses no request",
          "[.earlier]") {
  const char* earlier = std::getenv("MATCHCLOUD_EARLIER_PROGRAM");
  REQUIRE(earlier != nullptr);
  const world own;
  auto now = std::make_unique<server>(long_drain, own);
  load clients{now->data(), 8, 4};
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
  load clients{second.data(), 8, 4};
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

TEST_CASE("every loop of a successor serves, however many sockets there are", "[lifecycle]") {
  const auto [before, after] = GENERATE(std::pair{"1", "4"}, std::pair{"4", "1"});
  const world own;
  const server first{{"--loops", before}, own};
  const server second{same_as(first, {"--loops", after}), own};
  // Each socket gets a share of the connections: all are served.
  for (int i = 0; i < 100; ++i)
    check_serves(second.data());
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

TEST_CASE("what is under way in the process that hands over is finished there", "[lifecycle]") {
  const world own;
  server first{{"--loops", "2", "--drain-timeout-ms", "600000"}, own};
  raw_connection kept{first.data()};
  CHECK(kept.ask(regions_request).header("connection") != "close");
  raw_connection in_head{first.data()};
  in_head.send(std::string_view{regions_request}.substr(0, 10));
  REQUIRE(eventually([&] { return first.metric("matchcloud_connections") == 2; }));
  raw_connection operator_asks{first.ops()};
  operator_asks.send("GET /healthz HTTP/1.1\r\n");
  // A later connection is accepted later, so the earlier one has been accepted.
  CHECK(first.ready_status() == 200);

  server second{same_as(first), own};
  REQUIRE(first.process().says("has taken over"));
  // From its first answer on that says so, the process drains.
  REQUIRE(eventually([&] {
    const auto got = kept.ask(regions_request);
    return got.status == 200 && got.header("connection") == "close";
  }));
  CHECK(kept.closed());
  in_head.send(std::string_view{regions_request}.substr(10));
  const auto got = in_head.receive();
  CHECK(got.status == 200);
  CHECK(got.header("connection") == "close");
  CHECK(in_head.closed());
  kept.reset();
  in_head.reset();
  // Requests on the ops plane delay the end as well.
  CHECK(first.process().running());
  operator_asks.send("Host: localhost\r\n\r\n");
  CHECK(operator_asks.receive().status == 200);
  CHECK(first.process().exit_code() == 0);
  check_serves(second.data());
  CHECK(second.ready_status() == 200);
}

TEST_CASE("connections that nobody has accepted yet are the successor's", "[lifecycle]") {
  const world own;
  // The server is full: new connections wait in the kernel's queue beyond the end of this process.
  server full{{"--loops", "2", "--max-connections", "1"}, own};
  raw_connection held{full.data()};
  held.send(std::string_view{regions_request}.substr(0, 10));
  REQUIRE(eventually([&] { return full.metric("matchcloud_received_bytes_total") == 10; }));
  std::vector<raw_connection> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.emplace_back(full.data()).send(regions_request);
  server second{same_as(full), own};
  for (auto& each : waiting)
    CHECK(each.receive().status == 200);
  held.send(std::string_view{regions_request}.substr(10));
  CHECK(held.receive().status == 200);
  held.reset();
  CHECK(full.process().exit_code() == 0);
}

TEST_CASE("a successor that is killed at any moment of its start leaves a service", "[lifecycle]") {
  const world own;
  auto now = std::make_unique<server>(arguments{"--loops", "2"}, own);
  int went_on = 0;
  for (int round = 0; round < 12; ++round) {
    load clients{now->data(), 4, 2};
    REQUIRE(clients.goes_on(50));
    const auto log = now->process().errors().size();
    auto flags = same_as(*now);
    // Every second process has much to read before it is ready.
    for (int files = round % 2 == 0 ? 400 : 1; files > 0; --files)
      flags.insert(flags.end(), {"--geoip", own.geoip()});
    child_process doomed{command_of(own, flags)};
    // Waits until it has the sockets; how far it gets after that is random.
    REQUIRE(eventually([&] {
      return now->process().errors().find("is starting to take over", log) != std::string::npos;
    }));
    doomed.signal(SIGKILL);
    CHECK(doomed.exit_code() == 128 + SIGKILL);
    const auto said = [&](std::string_view text) {
      return now->process().errors().find(text, log) != std::string::npos;
    };
    REQUIRE(eventually([&] { return said("continuing") || said("has taken over"); }));
    if (said("continuing")) {
      ++went_on;
      CHECK(clients.goes_on(200));
      CHECK(clients.finish() == "");
      continue;
    }
    // The successor was ready: it was killed while serving, like any killed process.
    clients.finish();
    CHECK(now->process().exit_code() == 0);
    now = std::make_unique<server>(same_as(*now), own);
  }
  CHECK(went_on > 0);
  auto last = server{same_as(*now), own};
  CHECK(last.took_over_from() == now->process().pid());
  check_serves(last.data());
}

TEST_CASE("a successor that is told to end before it serves leaves the listeners", "[lifecycle]") {
  const world own;
  server now{{}, own};
  now.process().signal(SIGSTOP); // it cannot hand anything over yet
  child_process doomed{command_of(own, same_as(now))};
  const auto holds_sigterm = [&] {
    std::ifstream in{"/proc/" + std::to_string(doomed.pid()) + "/status"};
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("SigBlk:")) {
        const auto blocked = std::stoull(line.substr(7), nullptr, 16);
        const auto has = [&](int signal) { return (blocked >> (signal - 1) & 1) != 0; };
        // All are blocked for the moment in which a thread is started.
        return has(SIGTERM) && !has(SIGWINCH);
      }
    return false;
  };
  REQUIRE(eventually(holds_sigterm));
  doomed.signal(SIGTERM);
  now.process().signal(SIGCONT);
  CHECK(doomed.exit_code() == 0);
  CHECK(now.process().running());
  check_serves(now.data());
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

TEST_CASE("a take-over that cannot be says why, and the running process goes on", "[lifecycle]") {
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
  refused({"--listen", "127.0.0.9:1," + data, "--ops-listen", ops, "--take-over"},
          {pid, "only this process has 127.0.0.9:1"});
  refused({"--listen", data + "/proxy", "--ops-listen", ops, "--take-over"},
          {pid, "only it has " + data, "only this process has " + data + "/proxy"});
  refused({"--listen", data, "--ops-listen", ops, "--take-over", "--transport", "httplib"},
          {"shutdown(2)", "choose loops"});
  const world other;
  const auto elsewhere =
      run(command_of(other, {"--listen", data, "--ops-listen", "127.0.0.1:0", "--take-over"}));
  CHECK(elsewhere.exit_code == 1);
  CHECK(elsewhere.errors.find("found no process") != std::string::npos);
  CHECK(elsewhere.errors.find(other.data_dir()) != std::string::npos);
  CHECK(first.process().running());
  check_serves(first.data());

  server httplib{{"--transport", "httplib"}, own};
  refused({"--listen", httplib.data().authority(), "--ops-listen", httplib.ops().authority(),
           "--take-over"},
          {"process " + std::to_string(httplib.process().pid()), "shutdown(2)"});
  check_serves(httplib.data());
}

TEST_CASE("with --take-over and nobody to replace a server starts as usual and says so",
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

TEST_CASE("processes that share a data directory are replaced one by one", "[lifecycle]") {
  const world own;
  server left{{}, own};
  server right{{}, own};
  server next{same_as(right), own};
  CHECK(next.took_over_from() == right.process().pid());
  CHECK(right.process().exit_code() == 0);
  CHECK(left.process().running());
  check_serves(left.data());
  check_serves(next.data());
}

} // namespace
