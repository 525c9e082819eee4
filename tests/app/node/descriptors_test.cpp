#include "app/node/descriptors.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

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

} // namespace
} // namespace matchcloud::app
