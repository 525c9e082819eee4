#include "app/process/process_limits.hpp"

#include "tests/catch.hpp"

#include <sched.h>

namespace matchcloud::app {
namespace {

processors with(std::size_t allowed, double quota) {
  return {allowed, control_group_limit{quota, "/sys/fs/cgroup"}};
}

TEST_CASE("as many threads are usable as processors or as the quota keeps busy, rounded up") {
  CHECK(processors{4, {}}.usable() == 4);
  CHECK(processors{0, {}}.usable() == 1);
  CHECK(with(4, 4).usable() == 4);
  CHECK(with(4, 8).usable() == 4);
  CHECK(with(4, 2).usable() == 2);
  CHECK(with(4, 2.00001).usable() == 3);
  CHECK(with(4, 1.5).usable() == 2);
  CHECK(with(4, 1).usable() == 1);
  CHECK(with(4, 0.01).usable() == 1);
  CHECK(with(4, 1e20).usable() == 4);
}

TEST_CASE("what bounds the processors is said") {
  CHECK(processors{1, {}}.describe() == "this process may use 1 processor");
  CHECK(with(4, 1.5).describe() ==
        "this process may use 4 processors, and the CPU quota of /sys/fs/cgroup allows 1.5");
}

TEST_CASE("only processors that the process may run on count") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(find_processors().allowed == static_cast<std::size_t>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(find_processors().allowed == 1);
  CHECK(find_processors().usable() == 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

} // namespace
} // namespace matchcloud::app
