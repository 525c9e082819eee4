#include "actors/tls_watch.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using std::chrono::milliseconds;

struct bench : deterministic_system {
  manual_pool pool;
  int looks = 0;
  caf::actor of =
      spawn<tls_watch>(tls_watch_settings{[this] { ++looks; }, &pool, milliseconds{1'000}});

  ~bench() { pool.tasks.clear(); }

  void pass() {
    advance(milliseconds{1'000});
    while (pool.run_one())
      run();
  }
};

TEST_CASE("certificates are looked at once an interval, one look at a time") {
  bench on;
  on.run();
  CHECK(on.looks == 0);
  on.pass();
  CHECK(on.looks == 1);
  on.advance(milliseconds{1'000});
  on.advance(milliseconds{5'000}); // the look waits in the pool
  CHECK(on.pool.tasks.size() == 1);
  on.pool.run_one();
  on.run();
  on.pass();
  CHECK(on.looks == 3);
}

TEST_CASE("a full pool only delays a look at the certificates") {
  bench on;
  on.run();
  on.pool.full = true;
  on.pass();
  CHECK(on.looks == 0);
  on.pool.full = false;
  on.pass();
  CHECK(on.looks == 1);
}

} // namespace
} // namespace matchcloud::actors
