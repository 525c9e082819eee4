// The sessions of a database at their limits, with a fake store; its clock, and where it is.
#include "store/database.hpp"

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "store/engines/store_place.hpp"
#include "store/replica_lease.hpp"
#include "store/sql/schema_versions.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/fake_store.hpp"
#include "tests/fixtures/shown_metrics.hpp"
#include "tests/store/store_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace matchcloud::store {
namespace {

using base::errc;
using std::chrono::milliseconds;

constexpr milliseconds at_once{0};

struct database_bench {
  std::shared_ptr<fixtures::fake_database> behind = std::make_shared<fixtures::fake_database>();
  std::shared_ptr<database> of;

  explicit database_bench(const session_limits& limits) : of{fixtures::open_fake(behind, limits)} {}
};

/// Sessions of a database now, and since the start.
struct session_counts {
  double limit, lent, idle, opened, open_failures, timeouts;
};

session_counts sessions_of(const database& from) {
  auto shown = fixtures::shown_by(from);
  const auto get = [&](const std::string& name) {
    return shown.at("matchcloud_store_sessions_" + name);
  };
  return {get("limit"),        get("used"),         get("idle"),
          get("opened_total"), get("failed_total"), get("missed_total")};
}

TEST_CASE("a session is opened when none is there, and given to the next whatever role it takes") {
  const database_bench on{{2, 2, at_once}};
  CHECK(on.behind->opened == 0);
  CHECK(on.of->catalog().has_value());
  CHECK(on.of->history().has_value());
  CHECK(on.behind->opened == 1);
  {
    const auto catalog = on.of->catalog();
    const auto avatars = on.of->avatars();
    CHECK(on.behind->opened == 2);
  }
  CHECK(on.of->sink().has_value());
  CHECK(on.behind->opened == 2);
}

TEST_CASE("of the sessions that are given back, no more than the limit of idle ones are kept") {
  const std::size_t idle = GENERATE(0, 1, 3);
  const database_bench on{{3, idle, at_once}};
  for (int round = 1; round <= 2; ++round) {
    const auto first = on.of->catalog();
    const auto second = on.of->catalog();
    const auto third = on.of->catalog();
    CHECK(third.has_value());
    CHECK(on.behind->opened == 3 + (round - 1) * static_cast<int>(3 - idle));
  }
}

TEST_CASE("beyond the limit a caller that does not wait is refused, until one is given back") {
  const database_bench on{{2, 1, at_once}};
  auto first = on.of->catalog();
  const auto second = on.of->avatars();
  const auto refused = on.of->sink();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK(on.behind->opened == 2);
  first = tl::unexpected(base::error{});
  CHECK(on.of->sink().has_value());
}

TEST_CASE("a caller's patience ends, and a session in time ends its waiting") {
  const database_bench on{{1, 1, milliseconds{20}}};
  const auto held = on.of->catalog();
  CHECK(on.of->catalog().error().code == errc::overloaded);

  const database_bench patient{{1, 1, std::chrono::minutes{5}}};
  auto kept = std::make_optional(patient.of->catalog());
  std::atomic<bool> got{false};
  std::jthread waiting{[&] { got = patient.of->catalog().has_value(); }};
  kept.reset();
  waiting.join();
  CHECK(got);
  CHECK(patient.behind->opened == 1);
}

TEST_CASE("a session is replaced once its lifetime is over") {
  const database_bench on{{1, 1, at_once, milliseconds{1}}};
  const auto until = base::machine_clock().now() + milliseconds{2};
  {
    const auto held = on.of->catalog();
    CHECK(e2e::eventually([&] { return base::machine_clock().now() >= until; }));
  }
  CHECK(sessions_of(*on.of).idle == 0);
  CHECK(on.of->catalog().has_value());
  CHECK(on.behind->opened == 2);
}

TEST_CASE("a session that failed takes the idle ones with it, which may have ended like it") {
  const database_bench on{{3, 3, at_once}};
  {
    const auto one = on.of->catalog();
    const auto other = on.of->catalog();
  }
  CHECK(sessions_of(*on.of).idle == 2);
  {
    const auto failing = on.of->feed();
    on.behind->failure = base::error{errc::store_failed, "gone"};
    CHECK_FALSE((*failing)->changed().has_value());
  }
  on.behind->failure.reset();
  const auto counts = sessions_of(*on.of);
  CHECK(counts.idle == 0);
  CHECK(counts.lent == 0);
  CHECK(counts.opened == 2);
}

TEST_CASE("sessions are counted, and so are failures to open one and waits that timed out") {
  const database_bench on{{1, 1, at_once}};
  {
    const auto held = on.of->catalog();
    CHECK_FALSE(on.of->sink().has_value());
    CHECK(sessions_of(*on.of).lent == 1);
  }
  const database_bench broken{{1, 1, at_once}};
  broken.behind->open_failure = base::error{errc::store_failed, "locked"};
  CHECK_FALSE(broken.of->sink().has_value());
  CHECK(sessions_of(*on.of).timeouts == 1);
  CHECK(sessions_of(*on.of).limit == 1);
  CHECK(sessions_of(*broken.of).open_failures == 1);
}

TEST_CASE("a session that failed is not given to the next, though it may fail its holder again") {
  const database_bench on{{1, 1, at_once}};
  {
    const auto avatars = on.of->avatars();
    const auto read = [&] { return (*avatars)->read({}, [](const auto&) { return true; }); };
    on.behind->failure = base::error{errc::store_failed, "disk on fire"};
    CHECK_FALSE(read().has_value());
    on.behind->failure.reset();
    CHECK(read().has_value());
  }
  CHECK(on.of->catalog().has_value());
  CHECK(on.behind->opened == 2);
}

TEST_CASE("a feed that was looked at is nobody's afterwards, so that each first look is news") {
  const database_bench on{{1, 1, at_once}};
  for (int i = 1; i <= 3; ++i) {
    on.behind->changed = false;
    const auto feed = on.of->feed();
    CHECK((*feed)->changed() == true);
    CHECK((*feed)->changed() == false);
    CHECK(on.behind->opened == i);
  }
}

TEST_CASE("a lease keeps its database, and moves with its place") {
  database_bench on{{1, 1, at_once}};
  auto lease = on.of->catalog().value();
  const std::weak_ptr<database> database = on.of;
  on.of.reset();
  {
    const auto moved = std::move(lease);
    CHECK(moved->revision().has_value());
    CHECK_FALSE(database.expired());
  }
  CHECK(database.expired());
}

TEST_CASE("however many threads take sessions, no more than the limit have one, each its own") {
  constexpr std::size_t limit = 3;
  std::mutex mutex;
  std::vector<catalog_store*> held;
  std::size_t most = 0;
  bool shared = false;
  const auto open = [behind = std::make_shared<fixtures::fake_database>()] {
    return std::make_unique<fixtures::fake_session>(behind);
  };
  const auto of =
      std::make_shared<database>(open, session_limits{limit, 1, std::chrono::minutes{5}});
  std::atomic<int> refused{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          const auto lease = of->catalog();
          if (!lease) {
            ++refused;
            continue;
          }
          {
            const std::lock_guard lock{mutex};
            shared = shared || std::ranges::find(held, &**lease) != held.end();
            held.push_back(&**lease);
            most = std::max(most, held.size());
          }
          std::this_thread::yield();
          const std::lock_guard lock{mutex};
          std::erase(held, &**lease);
        }
      });
  }
  CHECK(refused == 0);
  CHECK_FALSE(shared);
  CHECK(most <= limit);
}

TEST_CASE("behind a fence that closes, no session is lent any more") {
  const database_bench on{{}};
  int told = 0;
  const auto fence = std::make_shared<store_fence>([&](const base::error&) { ++told; });
  on.of->stand_behind(fence);
  CHECK(on.of->catalog().has_value());
  for (int i = 0; i < 2; ++i)
    fence->close({errc::store_newer, "for newer programs"});
  CHECK(told == 1);
  const auto refused = on.of->catalog();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::store_newer);
}

TEST_CASE("a store's clock is the machine's until it is measured") {
  moved_clock machine;
  const store_clock clock{machine};
  machine.move(milliseconds{7});
  CHECK(clock.unix_ms() == machine.unix_ms());
  CHECK(clock.now() == machine.now());
}

TEST_CASE("a store's clock shows the store's time, and advances with the machine's") {
  moved_clock machine;
  store_clock clock{machine};
  const auto right_ts = machine.unix_ms();
  machine.move(std::chrono::hours{3});
  clock.note(right_ts, milliseconds{10});
  CHECK(clock.unix_ms() == right_ts + 5);
  machine.move(milliseconds{100});
  CHECK(clock.unix_ms() == right_ts + 105);
}

TEST_CASE("a measurement that took long does not replace a better one") {
  moved_clock machine;
  store_clock clock{machine};
  clock.note(1'000'000, milliseconds{4'000});
  CHECK(clock.unix_ms() == 1'002'000); // better than none
  clock.note(2'000'000, milliseconds{0});
  clock.note(3'000'000, milliseconds{4'000});
  CHECK(clock.unix_ms() == 2'000'000);
}

/// Why a store on a server cannot be opened.
base::error why_closed(const std::string& url) {
  store_place place;
  place.url = url;
  const auto opened = open_store(place);
  REQUIRE_FALSE(opened.has_value());
  return opened.error();
}

TEST_CASE("a server that cannot be reached may come back by itself") {
  // Nobody listens at port 1.
  const auto gone = why_closed("postgresql://127.0.0.1:1/x");
  CHECK(gone.code == base::errc::store_failed);
  CHECK(gone.may_pass);
}

TEST_CASE("what somebody has to change is not waited for") {
  CHECK_FALSE(why_closed("postgresql://db.example/x?sslmode=disable").may_pass);
  const auto old = base::attempt([] { schema_versions{{}}.check(9, 0, "/data"); });
  REQUIRE_FALSE(old);
  CHECK_FALSE(old.error().may_pass);
}

} // namespace
} // namespace matchcloud::store
