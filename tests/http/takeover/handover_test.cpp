#include "http/takeover/handover.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

namespace matchcloud::http {
namespace {

namespace protocol = handover_protocol;
using namespace std::chrono_literals;
using base::errc;
using e2e::eventually;
using fixtures::contains;
using std::chrono::milliseconds;

const endpoint loopback{model::ip_address::from_v4(std::array<std::uint8_t, 4>{127, 0, 0, 1}), 0};

listeners listener(std::size_t sockets) {
  auto opened = listen_on(loopback, sockets, 64);
  REQUIRE(opened);
  return *std::move(opened);
}

bool send_bytes(const handover_channel& to, const std::string& bytes) {
  return ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

/// A process that offers its listeners.
struct running {
  fixtures::temporary_directory in;
  std::string name = "take-over-1.sock";
  std::vector<endpoint> where;
  std::unique_ptr<handover> offers;

  explicit running(const handover_settings& settings = {}, std::size_t sockets = 3) {
    handed_listeners all;
    const auto offer = [&](std::size_t count, listener_kind kind, bool is_ops = false) {
      auto opened = listener(count);
      where.push_back(opened.where);
      all[listener_name(opened.where, kind, is_ops)] = std::move(opened.sockets);
    };
    offer(sockets, {});
    offer(2, {true, true});
    offer(1, {false, true}, true);
    offers =
        std::make_unique<handover>(listen_local(in.path(), name).value(), std::move(all), settings);
  }

  auto ask() const { return predecessor::ask(in.path(), name); }
  handover_channel connect() const {
    return handover_channel{connect_local(in.path(), name).value().value()};
  }
  bool has_handed_over(milliseconds within = 0ms) const {
    return e2e::readable_within(offers->handed_over_fd(), within);
  }
  /// Whether all of its addresses still have a listener.
  bool listens() const {
    return std::ranges::none_of(where,
                                [](const auto& each) { return check_free(each).has_value(); });
  }
};

TEST_CASE("a successor gets every listening socket and the name, and the offer ends") {
  running of{{}, 150};
  auto found = of.ask();
  REQUIRE(found);
  REQUIRE(*found);
  auto& before = **found;
  CHECK(before.pid() == ::getpid());
  REQUIRE(before.listeners().size() == 3);
  const auto sockets_of = [&](const std::string& offered) {
    return before.listeners().at(offered).size();
  };
  CHECK(sockets_of(to_string(of.where[0])) == 150);
  CHECK(sockets_of(to_string(of.where[1]) + "/proxy/tls") == 2);
  CHECK(sockets_of("ops " + to_string(of.where[2]) + "/tls") == 1);
  CHECK_FALSE(of.has_handed_over());
  REQUIRE(before.take_over());
  CHECK(of.has_handed_over(e2e::patience));
  CHECK(of.offers->successor() == ::getpid());
  of.offers.reset();
  CHECK(of.listens());
  // The successor gets the name, where its own successor finds it.
  before.await_name();
  handover next{listen_local(of.in.path(), of.name).value(), std::move(before.listeners())};
  CHECK(of.ask().value()->listeners().size() == 3);
  CHECK_FALSE(next.successor());
}

TEST_CASE("an offer that ends takes its sockets and its name with it") {
  running of;
  CHECK(of.listens());
  of.offers->stop();
  CHECK(check_free(of.where[0]));
  CHECK_FALSE(std::filesystem::exists(of.in.path(of.name)));
  CHECK_FALSE(of.ask().value());
  CHECK_FALSE(of.offers->successor());
  CHECK_FALSE(of.has_handed_over());
}

TEST_CASE("successors that die before they are ready change nothing") {
  running of;
  for (int i = 0; i < 3; ++i) {
    // The previous candidate may not be cleaned up yet; the new one is then told to retry.
    base::expected<std::optional<predecessor>> found = std::nullopt;
    REQUIRE(eventually([&] { return (found = of.ask()).has_value(); }));
    REQUIRE(*found);
    CHECK((*found)->listeners().size() == 3);
  }
  CHECK_FALSE(of.has_handed_over());
  CHECK(of.listens());
  base::expected<std::optional<predecessor>> found = std::nullopt;
  REQUIRE(eventually([&] { return (found = of.ask()).has_value(); }));
  CHECK((*found)->take_over());
}

TEST_CASE("too many listeners are refused with their number and the limit") {
  const fixtures::temporary_directory in;
  handed_listeners all;
  for (int i = 0; i < 257; ++i)
    all[std::to_string(i)].emplace_back(::dup(STDERR_FILENO));
  const handover offers{listen_local(in.path(), "x").value(), std::move(all)};
  const auto refused = predecessor::ask(in.path(), "x");
  REQUIRE(!refused);
  CHECK(contains(refused.error().detail, "257 listening sockets"));
  CHECK(contains(refused.error().detail, "at most 256 are possible"));
}

TEST_CASE("one successor at a time: another is told so") {
  running of;
  auto first = of.ask();
  REQUIRE(first);
  const auto second = of.ask();
  REQUIRE(!second);
  CHECK(second.error().code == errc::address_unavailable);
  CHECK(contains(second.error().detail, "try again"));
  CHECK((*first)->take_over());
}

TEST_CASE("a process that cannot hand over says why") {
  handover_settings settings;
  settings.refusal = "because of the moon";
  running of{settings};
  const auto refused = of.ask();
  REQUIRE(!refused);
  CHECK(contains(refused.error().detail, "because of the moon"));
  CHECK(of.listens());
}

TEST_CASE("a successor that is not ready in time is too late") {
  handover_settings settings;
  settings.startup_patience = 30ms;
  running of{settings};
  auto slow = of.ask();
  REQUIRE(slow);
  // The refusal is complete when the next candidate gets an offer.
  base::expected<std::optional<predecessor>> next = std::nullopt;
  REQUIRE(eventually([&] { return (next = of.ask()).has_value(); }));
  next = std::nullopt;
  const auto late = (*slow)->take_over();
  REQUIRE(!late);
  CHECK(late.error().code == errc::address_unavailable);
  CHECK_FALSE(of.has_handed_over());
  CHECK(of.listens());
}

TEST_CASE("a process that ends while its successor starts leaves it the listeners") {
  running of;
  auto found = of.ask();
  REQUIRE(found);
  of.offers->stop();
  CHECK(of.listens());
  CHECK((*found)->take_over());
  (*found)->await_name();
  CHECK(listen_local(of.in.path(), of.name));
}

TEST_CASE("silent, foreign and malformed peers are refused and harm nothing") {
  handover_settings settings;
  settings.hello_patience = 50ms;
  running of{settings};
  auto peer = of.connect();
  std::string answer = "refused";
  bool gone = false;
  const base::file_descriptor some{::dup(STDERR_FILENO)};
  const int fd = some.get();
  SECTION("silent") {}
  SECTION("gone at once") {
    gone = true;
  }
  SECTION("another version") {
    REQUIRE(send_bytes(peer, "matchcloud-take-over/2 hello 1:2"));
  }
  SECTION("not the protocol") {
    REQUIRE(send_bytes(peer, std::string(1'000, '\0')));
  }
  SECTION("ready without an offer") {
    REQUIRE(peer.say(protocol::ready));
  }
  SECTION("a hello with descriptors") {
    REQUIRE(peer.say(protocol::hello, protocol::network_namespace(), {&fd, 1}));
  }
  SECTION("too long") {
    REQUIRE(send_bytes(peer, std::string(100'000, 'x')));
  }
  SECTION("another network namespace") {
    answer = "elsewhere";
    REQUIRE(peer.say(protocol::hello, "1:1"));
  }
  if (gone) {
    peer = handover_channel{base::file_descriptor{}};
  } else {
    const auto said = peer.hear();
    REQUIRE(said);
    CHECK(said->verb == answer);
    CHECK(said->descriptors.empty());
    CHECK(peer.hear().error().code == errc::unavailable);
  }
  CHECK_FALSE(of.has_handed_over());
  CHECK(of.listens());
  CHECK(of.ask().value()->take_over());
}

/// A successor that has read the whole offer and has not yet said that it is ready.
handover_channel starting_successor(const running& of) {
  auto peer = of.connect();
  REQUIRE(peer.say(protocol::hello, protocol::network_namespace()));
  REQUIRE(peer.hear()->verb == protocol::offer);
  for (int i = 0; i < 3; ++i)
    REQUIRE(peer.hear()->verb == protocol::listener);
  return peer;
}

TEST_CASE("a successor that says something else than ready is refused") {
  running of;
  auto peer = starting_successor(of);
  REQUIRE(peer.say("steady"));
  CHECK(peer.hear()->verb == protocol::refused);
  CHECK_FALSE(of.has_handed_over());
  CHECK(of.listens());
}

TEST_CASE("a successor that has given up is not handed over to") {
  running of;
  auto peer = starting_successor(of);
  // Does what `predecessor::take_over` does after its timeout.
  REQUIRE(::shutdown(peer.get(), SHUT_RD) == 0);
  REQUIRE(peer.say(protocol::ready));
  // Once this is handled, the process accepts the next candidate; until then it tells it to retry.
  base::expected<std::optional<predecessor>> found = std::nullopt;
  REQUIRE(eventually([&] { return (found = of.ask()).has_value(); }));
  REQUIRE(*found);
  CHECK((*found)->listeners().size() == 3);
  CHECK_FALSE(of.has_handed_over());
  CHECK_FALSE(of.offers->successor());
  CHECK(of.listens());
}

/// A process that answers any candidate with `speak`.
struct impostor {
  fixtures::temporary_directory in;
  local_listener at = listen_local(in.path(), "x").value();
  std::jthread thread;

  explicit impostor(const std::function<void(handover_channel&, int own)>& speak)
      : thread{[this, speak] {
          pollfd waiting{at.socket.get(), POLLIN, 0};
          ::poll(&waiting, 1, 10'000);
          handover_channel to{base::file_descriptor{
              ::accept4(at.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)}};
          static_cast<void>(to.hear());
          speak(to, at.socket.get());
        }} {}
  auto ask() const { return predecessor::ask(in.path(), "x"); }
};

TEST_CASE("only sockets that listen where the offer says are accepted") {
  const auto tcp = listener(1);
  const auto other = listener(1);
  std::string claimed = to_string(tcp.where);
  int handed = tcp.sockets[0].get();
  bool sound = false;
  SECTION("sound") {
    sound = true;
  }
  SECTION("another port") {
    handed = other.sockets[0].get();
  }
  SECTION("not listening") {
    handed = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); // NOLINT: closed below
  }
  SECTION("no socket") {
    handed = STDERR_FILENO;
  }
  SECTION("no descriptor at all") {
    handed = -1;
  }
  SECTION("no address") {
    claimed = "somewhere";
  }
  const impostor says{[&](handover_channel& to, int own) {
    static_cast<void>(to.say(protocol::offer, "1", {&own, 1}));
    const std::span<const int> sent{&handed, handed < 0 ? 0UL : 1UL};
    static_cast<void>(to.say(protocol::listener, claimed, sent));
  }};
  const auto found = says.ask();
  CHECK(found.has_value() == sound);
  if (!found) CHECK(found.error().code == errc::address_unavailable);
}

TEST_CASE("offers that make no sense are refused") {
  std::string text;
  SECTION("another version") {
    text = "matchcloud-take-over/2 offer 1";
  }
  SECTION("no number") {
    text = "matchcloud-take-over/1 offer many";
  }
  SECTION("too many listeners") {
    text = "matchcloud-take-over/1 offer 257";
  }
  SECTION("without the socket") {
    text = "matchcloud-take-over/1 offer 1";
  }
  SECTION("nothing known") {
    text = "matchcloud-take-over/1 please";
  }
  const impostor says{[&](handover_channel& to, int) { send_bytes(to, text); }};
  const auto found = says.ask();
  REQUIRE(!found);
  CHECK(found.error().code == errc::address_unavailable);
}

} // namespace
} // namespace matchcloud::http
