#include "store/latency_store.hpp"

#include "tests/store/conformance/engines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

using entries = std::vector<model::learned_entry>;

constexpr std::size_t unlimited = 1'000'000;

/// What one network reported of a place, numbered by its longitude.
model::learned_entry entry_of(std::uint32_t place, std::string region, std::uint32_t minute = 1'000,
                              double ms = 20) {
  model::learned_entry made;
  made.cell = model::place_cell({48.1, place * model::place_side_degrees - 179.9});
  made.region_id = std::move(region);
  made.region_at = {50.11, 8.68};
  made.voices = {{0, model::voice::steps_of(ms), place, minute}};
  return made;
}

entries entries_of(std::size_t count, std::uint32_t minute = 1'000) {
  entries made;
  for (std::uint32_t place = 0; place < count; ++place)
    made.push_back(entry_of(place, "fra", minute));
  return made;
}

struct latencies_bench : conforming_store {
  std::shared_ptr<database> opened = had(open());
  lease<latency_store> here = had(of->latencies());
  /// As another replica.
  lease<latency_store> there = had(opened->latencies());

  /// Reads all after a position, which it moves, in pages of `limit`.
  entries read(latency_position& at, std::size_t limit = latency_batch_limit) const {
    entries all;
    while (true) {
      auto page = had(there->read_latencies(at, limit));
      CHECK(page.entries.size() <= limit);
      if (page.entries.empty()) {
        CHECK(page.last == at);
        return all;
      }
      at = page.last;
      std::ranges::move(page.entries, std::back_inserter(all));
    }
  }
  entries read_all() const {
    latency_position begin;
    return read(begin);
  }
};

TEST_CASE("learned latencies are read as they were added", "[engines]") {
  const latencies_bench on;
  CHECK(on.read_all().empty());
  had(on.here->add_latencies({}));
  auto one = entry_of(7, "b \"quoted\\", 0xFFFF'FFFF, 13.7);
  one.cell.key |= std::uint64_t{0xFF} << 56U; // not that there is such a kind
  one.region_at = {-89.123456789012345, -0.1};
  for (std::uint32_t i = 0; i < model::voice_limit; ++i)
    model::merge(one.voices, std::array{model::voice{0, 0xFFFF, i * 0x1000'0001U, 0x8765'4321}});
  had(on.here->add_latencies({&one, 1}));
  CHECK(on.read_all() == entries{one});
}

TEST_CASE("what two replicas learned is merged", "[engines]") {
  const latencies_bench on;
  const auto a = entry_of(1, "fra", 5'000, 20);
  auto b = entry_of(1, "fra", 5'000, 30);
  b.voices[0].speaker = 77;
  const auto other_region = entry_of(1, "iad", 5'000, 90);
  had(on.here->add_latencies(std::array{a, other_region}));
  had(on.there->add_latencies(std::array{entry_of(2, "fra"), b}));
  auto merged = a;
  model::merge(merged, b);
  CHECK(on.read_all() == entries{other_region, merged, entry_of(2, "fra")});
  auto moved = entry_of(1, "fra", 5'001, 50);
  moved.region_at = {1.35, 103.82};
  had(on.here->add_latencies({&moved, 1}));
  CHECK(on.read_all() == entries{other_region, entry_of(2, "fra"), moved});
}

TEST_CASE("entries are read in pages, also those that were added together", "[engines]") {
  const latencies_bench on;
  auto all = entries_of(10);
  std::ranges::reverse(all);
  had(on.here->add_latencies(all));
  for (const auto* region : {"a", "B", "a-b", "ab"})
    all.push_back(entry_of(20, region));
  had(on.here->add_latencies(std::span{all}.subspan(10)));
  entries expected = entries_of(10);
  for (const auto* region : {"B", "a", "a-b", "ab"}) // by bytes
    expected.push_back(entry_of(20, region));
  for (const std::size_t limit : {1, 3, 10, 1'000}) {
    latency_position at;
    CHECK(on.read(at, limit) == expected);
  }
  had(on.here->add_latencies(entries_of(latency_batch_limit)));
  CHECK(had(on.there->read_latencies({}, 5'000)).entries.size() == latency_batch_limit);
}

TEST_CASE("a reader that has read all sees what changes afterwards", "[engines]") {
  const latencies_bench on;
  had(on.here->add_latencies(entries_of(5)));
  latency_position at;
  CHECK(on.read(at).size() == 5);
  CHECK(on.read(at).empty());
  had(on.here->add_latencies(std::array{entry_of(3, "fra"), entry_of(9, "fra")}));
  const auto changed = on.read(at, 1);
  REQUIRE(changed.size() == 2);
  CHECK(changed[0].cell == entry_of(3, "fra").cell);
  CHECK(changed[1] == entry_of(9, "fra"));
  // One that was read already and changes while others are read comes again.
  latency_position half = had(on.there->read_latencies({}, 2)).last;
  had(on.here->add_latencies(std::array{entry_of(0, "fra")}));
  const auto rest = on.read(half);
  CHECK(rest.size() == 5);
  CHECK(rest.back().cell == entry_of(0, "fra").cell);
}

TEST_CASE("a reader misses nothing of writers that add at once", "[engines]") {
  const latencies_bench on;
  constexpr std::uint32_t rounds = 40;
  const auto add = [](latency_store& to, std::uint32_t first) {
    for (std::uint32_t round = 0; round < rounds; ++round)
      (void)to.add_latencies(
          std::array{entry_of(first + round, "fra"), entry_of(1'000 + round % 3, "fra")});
  };
  const auto other = had(on.opened->latencies());
  std::thread left{[&] { add(*on.here, 0); }};
  std::thread right{[&] { add(*other, 500); }};
  std::set<std::uint64_t> seen;
  latency_position at;
  const bool complete = e2e::eventually([&] {
    for (const auto& each : on.read(at, 7))
      seen.insert(each.cell.key);
    return seen.size() == 2 * rounds + 3;
  });
  left.join();
  right.join();
  CHECK(complete);
}

TEST_CASE("the key of networks' hashes is the store's", "[engines]") {
  const latencies_bench on;
  const auto key = had(on.here->latency_key());
  CHECK(key.k0 != 0);
  CHECK(had(on.there->latency_key()).k0 == key.k0);
}

TEST_CASE("a batch over the limit, or with an entry twice, is refused", "[engines]") {
  const latencies_bench on;
  had(on.here->add_latencies(entries_of(latency_batch_limit)));
  latency_position at;
  CHECK(on.read(at).size() == latency_batch_limit);
  const auto refused = on.here->add_latencies(entries_of(latency_batch_limit + 1));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::internal);
  CHECK(refused.error().detail == "A batch has 1001 learned latencies. The limit is 1000.");
  const auto twice = on.here->add_latencies(std::array{entry_of(1, "fra"), entry_of(1, "fra")});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().code == base::errc::internal);
  CHECK(on.read(at).empty());
  had(on.here->add_latencies(std::array{entry_of(1, "fra"), entry_of(1, "iad")}));
}

TEST_CASE("latencies that nobody reports any more expire", "[engines]") {
  const latencies_bench on;
  for (const std::uint32_t minute : {3, 1, 2, 4})
    had(on.here->add_latencies(std::array{entry_of(minute, "fra", minute)}));
  latency_position at;
  on.read(at);
  CHECK(had(on.here->expire_latencies(1, unlimited)) == 0);
  CHECK(had(on.here->expire_latencies(3, unlimited)) == 2);
  CHECK(on.read_all() == entries{entry_of(3, "fra", 3), entry_of(4, "fra", 4)});
  CHECK(on.read(at).empty());
  CHECK(had(on.here->expire_latencies(0, 2)) == 0);
  CHECK(had(on.here->expire_latencies(0, 1)) == 1);
  CHECK(on.read_all() == entries{entry_of(4, "fra", 4)});
  had(on.here->add_latencies(std::array{entry_of(5, "fra", 5), entry_of(6, "fra", 6)}));
  CHECK(had(on.here->expire_latencies(5, 1)) == 2);
  CHECK(on.read_all() == entries{entry_of(6, "fra", 6)});
  CHECK(had(on.here->expire_latencies(0, 0)) == 1);
  CHECK(had(on.here->expire_latencies(0, 0)) == 0);
}

TEST_CASE("one call expires a bounded number of latencies", "[engines]") {
  const latencies_bench on;
  constexpr std::uint32_t batches = 7;
  for (std::uint32_t minute = 1; minute <= batches; ++minute) {
    auto batch = entries_of(latency_batch_limit, minute);
    for (auto& each : batch)
      each.region_id = "r" + std::to_string(minute);
    had(on.here->add_latencies(batch));
  }
  CHECK(had(on.here->expire_latencies(3, 4'000)) == 3'000);
  for (const auto& each : on.read_all())
    CHECK(each.minute() >= 4);
  for (const auto* region : {"fra", "iad"}) {
    auto batch = entries_of(latency_batch_limit, batches);
    for (auto& each : batch)
      each.region_id = region;
    had(on.here->add_latencies(batch));
  }
  CHECK(had(on.here->expire_latencies(batches + 1, 0)) == latency_expiry_limit);
  CHECK(had(on.here->expire_latencies(batches + 1, unlimited)) == 1'000);
  CHECK(had(on.here->expire_latencies(batches + 1, unlimited)) == 0);
}

} // namespace
} // namespace matchcloud::store
