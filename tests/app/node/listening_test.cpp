#include "app/node/listening.hpp"
#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <set>
#include <utility>

namespace matchcloud::app {
namespace {

const auto loopback_endpoint = http::parse_endpoint("127.0.0.1:0").value();

http::listeners listener(std::size_t sockets = 1) {
  auto opened = http::listen_on(loopback_endpoint, sockets, 64);
  REQUIRE(opened);
  return *std::move(opened);
}

/// A process with two data listeners, the second behind a proxy, and the configuration of a
/// matching successor.
struct running {
  fixtures::temporary_directory in;
  serve_config fitting;
  std::unique_ptr<http::handover> offers;

  running() {
    http::handed_listeners all;
    const auto offer = [&](http::listener_kind kind, bool is_ops) {
      auto opened = listener();
      all[http::listener_name(opened.where, kind, is_ops)] = std::move(opened.sockets);
      return opened.where;
    };
    fitting.store.data_dir = in.path();
    fitting.listen = {{offer({}, false)}, {offer({true, false}, false), {true, false}}};
    fitting.ops_listen = offer({}, true);
    auto local = http::listen_local(in.path(), http::take_over_name(fitting.listen[0].where));
    offers = std::make_unique<http::handover>(std::move(local).value(), std::move(all));
  }
};

TEST_CASE("a process with the same listeners is found, in whatever order they are given") {
  running of;
  if (GENERATE(false, true)) std::swap(of.fitting.listen[0], of.fitting.listen[1]);
  CHECK(find_predecessor(of.fitting));
}

TEST_CASE("nobody is found in another directory, on other ports or on ports yet to be chosen") {
  running of;
  SECTION("directory") {
    of.fitting.store.data_dir = of.in.path("other");
  }
  SECTION("port") {
    of.fitting.listen = {{listener().where}};
  }
  SECTION("port 0") {
    of.fitting.listen = {{loopback_endpoint, false}};
  }
  CHECK_FALSE(find_predecessor(of.fitting));
}

TEST_CASE("a process with other listeners is not taken over, and the error names the difference") {
  running of;
  const auto first = http::to_string(of.fitting.listen[0].where);
  const auto second = http::to_string(of.fitting.listen[1].where);
  const auto ops = http::to_string(of.fitting.ops_listen);
  std::string said;
  SECTION("less") {
    of.fitting.listen.pop_back();
    said = "only it has " + second + "/proxy.";
  }
  SECTION("more") {
    of.fitting.listen.push_back({http::parse_endpoint("[::1]:9").value()});
    said = "only this process has [::1]:9.";
  }
  SECTION("without what it expects") {
    of.fitting.listen[1].kind = {};
    said = "only it has " + second + "/proxy; only this process has " + second + ".";
  }
  SECTION("with TLS") {
    of.fitting.listen[1].kind.tls = true;
    said = "only it has " + second + "/proxy; only this process has " + second + "/proxy/tls.";
  }
  SECTION("another ops plane") {
    of.fitting.ops_listen.port = 9;
    said = "only it has ops " + ops + "; only this process has ops 127.0.0.1:9.";
  }
  const auto refused = base::attempt([&] { return find_predecessor(of.fitting); });
  REQUIRE(!refused);
  CAPTURE(refused.error().detail);
  CHECK(refused.error().code == base::errc::address_unavailable);
  CHECK(refused.error().detail.find(said) != std::string::npos);
}

TEST_CASE("sockets are spread over more loops by duplicates, each of them as often as the others") {
  auto all = listener(3).sockets;
  const auto identity = [](const base::file_descriptor& fd) {
    struct stat found {};
    REQUIRE(::fstat(fd.get(), &found) == 0);
    return found.st_ino;
  };
  spread(all, 2, 16);
  CHECK(all.size() == 3);
  spread(all, 6, 16);
  REQUIRE(all.size() == 6);
  std::multiset<ino_t> seen;
  for (const auto& each : all)
    seen.insert(identity(each));
  for (const auto each : seen)
    CHECK(seen.count(each) == 2);
}

} // namespace
} // namespace matchcloud::app
