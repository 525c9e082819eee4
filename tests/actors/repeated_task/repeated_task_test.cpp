#include "actors/repeated_task/repeated_task.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

struct repeated_task_bench : deterministic_system {
  manual_pool pool;
  int runs = 0;
  caf::actor of = spawn<repeated_task>(repeated_task_settings{[this] { ++runs; }, &pool, 1'000ms});

  ~repeated_task_bench() { pool.tasks.clear(); }

  void pass() {
    advance(1'000ms);
    while (pool.run_one())
      run();
  }
};

TEST_CASE("a task runs once an interval, one run at a time") {
  repeated_task_bench on;
  on.run();
  CHECK(on.runs == 0);
  on.pass();
  CHECK(on.runs == 1);
  on.advance(1'000ms);
  on.advance(5'000ms); // the run waits in the pool
  CHECK(on.pool.tasks.size() == 1);
  on.pool.run_one();
  on.run();
  on.pass();
  CHECK(on.runs == 3);
}

TEST_CASE("a full pool only delays a run") {
  repeated_task_bench on;
  on.run();
  on.pool.full = true;
  on.pass();
  CHECK(on.runs == 0);
  on.pool.full = false;
  on.pass();
  CHECK(on.runs == 1);
}

} // namespace
} // namespace matchcloud::actors
