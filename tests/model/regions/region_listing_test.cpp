#include "model/regions/region_listing.hpp"

#include "model/regions/deflate.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/regions.hpp"

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>

namespace {

using namespace matchcloud::model;
using matchcloud::fixtures::render_regions;

std::string json_of(const region_listing& listing) {
  std::string json = "before";
  listing.append_json(json);
  REQUIRE(json.size() == 6 + listing.json_bytes());
  return json.substr(6);
}

std::string gzip_of(const region_listing& listing) {
  std::string gzip = "before";
  listing.append_gzip(gzip);
  REQUIRE(gzip.size() == 6 + listing.gzip_bytes());
  return gzip.substr(6);
}

/// Regions ranked for a client, rendered from the cached form and without a cache.
struct both_ways {
  std::vector<region> regions;
  std::vector<ranked_region> ranked;
  region_listing listing;

  both_ways(std::vector<region> all, const std::optional<coordinates>& client)
      : regions{std::move(all)}, ranked{rank_regions(pointers(), client)}, listing{listed()} {}

  std::vector<const region*> pointers() const {
    std::vector<const region*> result;
    for (const auto& each : regions)
      result.push_back(&each);
    return result;
  }
  region_listing listed() const {
    std::vector<listed_region> rows;
    for (const auto& each : ranked)
      rows.push_back({static_cast<std::size_t>(each.where - regions.data()), each.distance_m});
    return {std::make_shared<const region_fragments>(regions), rows};
  }
};

region place(std::string id, std::string name, double latitude, double longitude) {
  return {std::move(id), std::move(name), "Cloud", {latitude, longitude}};
}

TEST_CASE("Distances of each number of digits are compressed") {
  const std::vector<region> two{place("a", "A", 1, 2), place("b", "B", 3, 4)};
  const auto fragments = std::make_shared<const region_fragments>(two);
  const std::vector<double> meters{0,          10,        120,       1'000,      1'500,
                                   12'340,     1'234'567, 9'999'999, 20'003'931, 100'000'000.0,
                                   999'999'999};
  for (const auto first : meters)
    for (const auto second : meters) {
      const std::vector<listed_region> rows{{0, first}, {1, second}};
      const region_listing listing{fragments, rows};
      CAPTURE(first, second);
      const auto expected =
          render_regions(std::vector<ranked_region>{{&two[0], first}, {&two[1], second}});
      REQUIRE(json_of(listing) == expected);
      REQUIRE(matchcloud::fixtures::inflated(gzip_of(listing)) == expected);
    }
}

std::vector<region> any_regions() {
  const auto words = rc::gen::element<std::string>("", "A", "Same", "Zürich", "\"\\",
                                                   "a rather long name, longer than others by some",
                                                   std::string(300, 'x'), std::string(40'000, 'y'));
  const auto count = *rc::gen::weightedOneOf<std::size_t>(
      {{8, rc::gen::inRange<std::size_t>(0, 20)}, {1, rc::gen::just<std::size_t>(300)}});
  std::vector<region> regions;
  for (std::size_t i = 0; i < count; ++i)
    regions.push_back(
        {"r" + std::to_string(i),
         *words,
         *words,
         {*rc::gen::inRange(-90'000, 90'001) / 1e3, *rc::gen::inRange(-180'000, 180'001) / 1e3}});
  return regions;
}

TEST_CASE("Any listing is what is rendered without a cache, plain and compressed") {
  for (const auto& regions :
       {std::vector<region>{},
        {place("a", "quote \" slash \\ \x01", 0, 0), place("b", "Zürich 東京 🎮", 0, 0)}}) {
    const both_ways of{regions, coordinates{10, 10}};
    CHECK(json_of(of.listing) == render_regions(of.ranked));
    CHECK(matchcloud::fixtures::inflated(gzip_of(of.listing)) == render_regions(of.ranked));
  }
  REQUIRE(rc::check("cached equals uncached", [] {
    auto regions = any_regions();
    // 300 regions with the longest names are megabytes: use only some of them.
    std::size_t text = 0;
    for (auto& each : regions)
      if ((text += each.region_display_name.size() + each.provider_display_name.size()) > 1'000'000)
        each.region_display_name = each.provider_display_name = "short";
    std::optional<coordinates> client;
    if (*rc::gen::arbitrary<bool>())
      client = {double(*rc::gen::inRange(-90, 91)), double(*rc::gen::inRange(-180, 181))};
    const both_ways of{std::move(regions), client};
    const auto expected = render_regions(of.ranked);
    RC_ASSERT(json_of(of.listing) == expected);
    RC_ASSERT(matchcloud::fixtures::inflated(gzip_of(of.listing)) == expected);
    RC_ASSERT(of.listing.memory_bytes() < 450 + of.ranked.size() * 40);
  }));
}

TEST_CASE("Compressed, a region costs little more than its own values") {
  std::vector<region> regions;
  for (int i = 0; i < 100; ++i)
    regions.push_back(place("r" + std::to_string(i), "Region " + std::to_string(i), i - 50, i * 3));
  const both_ways of{regions, coordinates{51.5, -0.1}};
  CHECK(of.listing.json_bytes() > 20'000);
  CHECK(of.listing.gzip_bytes() < of.listing.json_bytes() * 3 / 10);
}

TEST_CASE("A digest names the content: order, distances, regions") {
  const std::vector<region> regions{place("a", "A", 0, 0), place("b", "B", 0, 5)};
  const auto digest = [](const std::vector<region>& all, const coordinates& client) {
    return both_ways{all, client}.listing.digest();
  };
  CHECK(digest(regions, {0, 1}) == digest(regions, {0, 1}));
  CHECK(digest(regions, {0, 1}) != digest(regions, {0, 1.001}));
  CHECK(digest(regions, {0, 1}) != digest(regions, {0, 4}));
  auto renamed = regions;
  renamed[1].provider_display_name = "Other";
  CHECK(digest(regions, {0, 1}) != digest(renamed, {0, 1}));
}

TEST_CASE("A reordered listing is that of the other order") {
  REQUIRE(rc::check("reordered", [] {
    const both_ways of{any_regions(), coordinates{10, 20}};
    std::vector<std::size_t> order(of.ranked.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    std::vector<ranked_region> expected;
    for (const auto from : order)
      expected.push_back(of.ranked[from]);
    const auto reordered = of.listing.reordered(order);
    const auto json = render_regions(expected);
    RC_ASSERT(json_of(reordered) == json);
    RC_ASSERT(!reordered.is_compressible());
    RC_ASSERT(order.size() < 2 || reordered.digest() != of.listing.digest());
    RC_ASSERT(reordered.digest() == of.listing.reordered(order).digest());
  }));
}

TEST_CASE("Every length and distance of a repetition is read back by zlib") {
  const auto round_trip = [](std::size_t length, std::size_t distance) {
    std::string text;
    for (std::size_t i = 0; i < distance; ++i)
      text += static_cast<char>((i * 7 + i / 251 * 13) % 256);
    std::string bytes(2 * (distance + length) + 64, '\0');
    for (std::size_t i = 0; i < length; ++i)
      text += text[i];
    std::string_view behind = "\xff\xfe\xfd";
    text += behind;
    deflate::writer writer{bytes.data()};
    writer.put_literals(std::string_view{text}.substr(0, distance));
    writer.repeat(text.data() + distance, length, distance, deflate::take_literals(behind));
    bytes.resize(static_cast<std::size_t>(writer.finish() - bytes.data()));
    return matchcloud::fixtures::inflated(bytes, matchcloud::fixtures::raw_window_bits) == text;
  };
  for (std::size_t length = 1; length <= 800; ++length) {
    INFO(length);
    REQUIRE(round_trip(length, 1 + length % 300));
  }
  for (std::size_t distance = 1; distance <= 33'000; distance += 1 + distance / 16) {
    INFO(distance);
    REQUIRE(round_trip(20, distance));
  }
  for (const std::size_t distance : {4UL, 5UL, 24'576UL, 24'577UL, 32'767UL, 32'768UL, 32'769UL}) {
    INFO(distance);
    REQUIRE(round_trip(258, distance));
  }
  // The most bits that are put at once.
  REQUIRE(round_trip(257, 1'023));
  REQUIRE(round_trip(258, 1'023));
  REQUIRE(round_trip(257, 1'024));
}

} // namespace
