#include "store/geoip/node_entries.hpp"

#include "tests/catch.hpp"

#include <map>
#include <random>

namespace matchcloud::store {
namespace {

TEST_CASE("Each node has the entry that it was given last, and others none") {
  std::mt19937 random{4};
  std::map<std::uint32_t, std::uint32_t> expected;
  node_entries entries;
  CHECK_FALSE(entries.find(0));
  for (int i = 0; i < 20'000; ++i) {
    // Some close together, as nodes of a path are, and some anywhere.
    const auto node = static_cast<std::uint32_t>(i % 2 == 0 ? i / 4 : random() % 1'000'000'000);
    const auto entry = static_cast<std::uint32_t>(random());
    entries.set(node, entry);
    expected[node] = entry;
  }
  for (const auto& [node, entry] : expected)
    if (entries.find(node) != entry) FAIL("another entry for " << node);
  for (std::uint32_t node = 0; node < 100'000; ++node)
    if (entries.find(node).has_value() != expected.contains(node)) FAIL("unknown: " << node);
}

} // namespace
} // namespace matchcloud::store
