#include "load/find.hpp"

#include "tests/catch.hpp"

#include <random>

namespace matchcloud::load {
namespace {

/// Searches with measurements of which a part (0 to 1) says the opposite of what is true.
std::size_t search(capacity_search& which, double capacity, double wrong = 0,
                   std::uint64_t seed = 1) {
  std::mt19937_64 engine{seed};
  std::bernoulli_distribution lies{wrong};
  std::size_t steps = 0;
  for (; const auto rate = which.next(); ++steps)
    which.note((*rate <= capacity) != lies(engine));
  return steps;
}

TEST_CASE("the search finds any capacity within its precision", "[load]") {
  for (const double capacity : {1.5, 7.0, 333.0, 999.0, 1'000.0, 12'345.0, 3'000'000.0}) {
    CAPTURE(capacity);
    capacity_search which{{}};
    CHECK(search(which, capacity) <= 40);
    CHECK(which.is_narrow());
    CHECK(which.kept() <= capacity);
    CHECK(which.broken() > capacity);
    CHECK(which.broken() <= which.kept() * 1.03 + 0.01);
  }
}

TEST_CASE("a wrong measurement now and then does not decide", "[load]") {
  int near = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    capacity_search which{{}};
    search(which, 5'000, 0.05, seed);
    near += which.kept() > 5'000 * 0.95 && which.kept() < 5'000 * 1.05 ? 1 : 0;
  }
  // With one measurement for each decision it would be half of them.
  CHECK(near >= 160);
}

TEST_CASE("one broken measurement is repeated", "[load]") {
  capacity_search which{{}};
  REQUIRE(which.next() == 1'000);
  which.note(false);
  REQUIRE(which.next() == 1'000);
  which.note(true);
  REQUIRE(which.next() == 1'000);
  which.note(true);
  CHECK(which.kept() == 1'000);
  CHECK(which.next() == 2'000);
}

TEST_CASE("a search without a bound below or above ends", "[load]") {
  capacity_search none{{}};
  CHECK(search(none, 0) < 30);
  CHECK(none.kept() == 0);
  CHECK(none.broken() == 1);
  CHECK_FALSE(none.is_narrow());
  capacity_search all{{}};
  CHECK(search(all, 1e12) < 30);
  CHECK(all.kept() == 10'000'000);
  CHECK(all.broken() == 0);
  CHECK_FALSE(all.is_narrow());
}

TEST_CASE("a search takes a bounded number of measurements", "[load]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    capacity_search which{{.steps = 25}};
    CHECK(search(which, 7'000, 0.5, seed) <= 25);
  }
}

} // namespace
} // namespace matchcloud::load
