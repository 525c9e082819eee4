// Parts of a node: its listeners, descriptors, readiness and certificates.
#include "app/node/listening.hpp"

#include "app/certificates/new_certificate.hpp"
#include "app/node/node_services.hpp"
#include "app/node/resources.hpp"
#include "app/node/tls_renewal.hpp"
#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>
#include <utility>
#include <vector>

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

TEST_CASE(
    "no predecessor is found in another directory, on other ports or on ports yet to be chosen") {
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

using state = readiness::state;

TEST_CASE("the service is ready while it serves and no storm rages") {
  std::vector<state> told;
  readiness of{[&](state now) { told.push_back(now); }};
  of.set_storming(true);
  of.set_serving();
  of.set_storming(false);
  of.set_draining();
  CHECK(told == std::vector{state::starting, state::restart_storm, state::ready, state::draining});
}

TEST_CASE("a service whose store is for newer programs is not ready, whatever else comes") {
  state last = state::starting;
  readiness of{[&](state now) { last = now; }};
  of.set_serving();
  of.set_fenced();
  CHECK(last == state::store_newer);
  of.set_storming(true);
  of.set_storming(false);
  of.set_serving();
  CHECK(last == state::store_newer);
  of.set_draining();
  CHECK(last == state::draining);
}

TEST_CASE("a service whose store is gone is not ready until the store is there again") {
  state last = state::starting;
  readiness of{[&](state now) { last = now; }};
  of.set_lost(true);
  CHECK(last == state::starting);
  of.set_serving();
  CHECK(last == state::store_gone);
  of.set_storming(true);
  CHECK(last == state::store_gone);
  of.set_lost(false);
  CHECK(last == state::restart_storm);
  of.set_storming(false);
  CHECK(last == state::ready);
}

TEST_CASE("a storm that ends while draining begins does not leave the service ready") {
  // The report that the storm is over is held up until the other report has been made or, as it
  // must be, cannot be made.
  constexpr std::chrono::milliseconds patience{100};
  std::atomic<bool> last{false};
  std::promise<void> storm_over;
  std::promise<void> drained;
  int told = 0;
  readiness of{[&](state now) {
    if (++told == 3) {
      storm_over.set_value();
      drained.get_future().wait_for(patience);
    }
    last = now == state::ready;
    if (told == 4) drained.set_value();
  }};
  of.set_serving();
  of.set_storming(true);
  std::thread ending{[&] { of.set_storming(false); }};
  storm_over.get_future().wait();
  of.set_draining();
  ending.join();
  CHECK(told == 4);
  CHECK(!last);
}

TEST_CASE("connections leave descriptors for store and images, however few there are") {
  http::limits many;
  many.connection_limit = SIZE_MAX;
  const auto most = [&](std::size_t all) {
    return bounded_by_descriptors(many, all).connection_limit;
  };
  for (const std::size_t all : {64, 128, 256, 700, 1'024, 1'100, 1'300, 4'096, 20'000, 1'048'576}) {
    CAPTURE(all);
    CHECK(most(all) >= all / 2);
    // Measured with two loops: 60 descriptors without a client, including the avatar actors'
    // connections to the store.
    if (all >= 128) CHECK(most(all) + 60 <= all);
  }
  CHECK(most(100'000) == 100'000 - 512 - 4'096 - 2'048 - 2'048);
  CHECK(most(SIZE_MAX) > 1'000'000);
  many.connection_limit = 10;
  CHECK(most(100'000) == 10);
}

using std::chrono::hours;
using std::chrono::minutes;

/// What a node with TLS has in force, on a clock that only the test moves.
struct tls_renewal_bench {
  fixtures::temporary_directory in;
  fixtures::manual_clock clock;
  http::tls_files files{{{in.path("cert.pem"), in.path("key.pem")}}, {}};
  std::unique_ptr<tls_renewal> of;
  int contexts = 0;

  tls_renewal_bench() {
    replace(make_pair());
    of = std::make_unique<tls_renewal>(files, clock);
    of->follow(http::tls_purpose::data, [this](const auto& context) {
      CHECK(context != nullptr);
      ++contexts;
    });
  }

  static certificate_pair make_pair() {
    const auto now_s = 1'700'000'000;
    const auto made = make_self_signed({parse_certificate_host("localhost").value()},
                                       {now_s, now_s + 86'400 * 9});
    REQUIRE(made);
    return *made;
  }
  void replace(const certificate_pair& by) const {
    in.file("cert.pem", by.certificate_pem);
    in.file("key.pem", by.key_pem);
  }
};

TEST_CASE("the key of tickets is replaced once a day") {
  tls_renewal_bench on;
  on.clock.advance(hours{24});
  on.of->reload();
  CHECK(on.contexts == 0); // not older than a day
  on.clock.advance(minutes{1});
  on.of->reload();
  CHECK(on.contexts == 1);
  on.of->reload();
  CHECK(on.contexts == 1);
  on.clock.jump(-hours{48});
  on.clock.advance(hours{24} + minutes{1});
  on.of->reload();
  CHECK(on.contexts == 2);
}

TEST_CASE("replaced certificates are taken up, broken ones are refused once and keep the last") {
  tls_renewal_bench on;
  const auto taken_within = [&](std::uint64_t count) {
    return e2e::eventually([&] {
      on.of->reload();
      return on.of->metrics().taken.get() == count;
    });
  };
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(1));
  CHECK(on.contexts == 1);
  on.in.file("key.pem", "nothing");
  CHECK(e2e::eventually([&] {
    on.of->reload();
    return on.of->metrics().refused.get() == 1;
  }));
  on.of->reload();
  CHECK(on.of->metrics().refused.get() == 1);
  CHECK(on.contexts == 1);
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(2));
  CHECK(on.contexts == 2);
  CHECK(on.of->metrics().first_expiry_s.get() == 1'700'000'000 + 86'400 * 9);
}

} // namespace
} // namespace matchcloud::app
