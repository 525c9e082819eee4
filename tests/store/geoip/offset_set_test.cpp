#include "store/geoip/offset_set.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>
#include <set>
#include <vector>

namespace matchcloud::store {
namespace {

TEST_CASE("Ranks are those of an ordered set") {
  REQUIRE(rc::check("after any insertions and a filter", [] {
    const auto limit = *rc::gen::inRange<std::uint32_t>(1, 300);
    const auto inserted =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, limit));
    offset_set offsets{limit};
    std::set<std::uint32_t> expected;
    for (const auto each : inserted) {
      offsets.insert(each);
      if (each % 3 != 0) expected.insert(each);
    }
    std::vector<std::uint32_t> visited;
    offsets.filter([&](std::uint32_t each) {
      visited.push_back(each);
      return each % 3 != 0;
    });
    const std::set<std::uint32_t> all{inserted.begin(), inserted.end()};
    RC_ASSERT(visited == std::vector<std::uint32_t>(all.begin(), all.end()));
    offsets.count();
    for (std::uint32_t each = 0; each < limit + 100; ++each) {
      const auto found = expected.find(each);
      const auto rank = offsets.rank(each);
      RC_ASSERT(rank.has_value() == (found != expected.end()));
      if (rank) RC_ASSERT(*rank == std::distance(expected.begin(), found));
    }
  }));
}

} // namespace
} // namespace matchcloud::store
