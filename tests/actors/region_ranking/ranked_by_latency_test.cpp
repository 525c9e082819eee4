#include "actors/region_ranking/region_ranking.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/latency_reports.hpp"

#include <algorithm>
#include <rapidjson/document.h>
#include <set>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

constexpr std::int64_t ranked_at_ms = 1'700'000'000'000;
constexpr std::uint8_t quiet_network = 200;

/// What reports teach, and how regions are then listed.
struct ranked_by_latency_bench {
  latency_metrics learning;
  latency_map_state learned{latency_config{.entry_limit = 16'384}, learning, false};
  ranking_metrics metrics;
  manual_clock clock;
  model::catalog_snapshot catalog = three_regions();
  std::shared_ptr<fake_geoip> places =
      std::make_shared<fake_geoip>(std::vector<std::pair<std::uint8_t, model::coordinates>>{
          {german, near_frankfurt}, {german_too, near_frankfurt}, {japanese, near_tokyo}});

  ranked_by_latency_bench() {
    learned.set_catalog(catalog);
    learned.set_geoip(places);
  }
  std::shared_ptr<const model::latency_snapshot> snapshot() {
    return learned.publish(ranked_at_ms);
  }

  region_ranking_state ranking(ranking_order by = ranking_order::latency) {
    ranking_settings settings;
    settings.rank_by = by;
    settings.geoip = places;
    settings.metrics = &metrics;
    settings.latencies = snapshot();
    settings.clock = &clock;
    return {settings, catalog};
  }
};

std::string json_of(const model::region_listing& of) {
  std::string json;
  of.append_json(json);
  return json;
}

rapidjson::Document parsed_json(const std::string& text) {
  rapidjson::Document parsed;
  parsed.Parse(text.c_str());
  REQUIRE(parsed.IsObject());
  return parsed;
}

/// For C++20, RapidJSON's comparison with a text calls itself.
std::string text_of(const rapidjson::Value& of) {
  return of.IsString() ? of.GetString() : "no text";
}

std::string ids_in(const model::region_listing& of) {
  std::string all;
  const auto parsed = parsed_json(json_of(of));
  for (const auto& region : parsed["regions"].GetArray())
    all += (all.empty() ? "" : " ") + std::string{region["region_id"].GetString()};
  return all;
}

std::string detailed(region_ranking_state& by, const model::ip_address& client,
                     listing_details details, std::string_view rtt = {}) {
  rank_regions one{{1, 1}, client, "", measured(rtt)};
  one.details = details;
  one.client_from = "connection";
  const auto* const only = &one;
  region_ranking_state::ranked answer;
  by.rank({&only, 1}, {&answer, 1});
  CHECK(answer.listing == nullptr);
  CHECK(answer.gzip == nullptr);
  return answer.detailed ? *answer.detailed : std::string{};
}

TEST_CASE("by latency, the fastest region comes first, with its distance as it is") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto by_distance = on.ranking(ranking_order::distance);
  auto by_latency = on.ranking();
  CHECK(ids_in(*rank(by_distance, player_in(quiet_network))) == "fra ams nrt");
  CHECK(ids_in(*rank(by_latency, player_in(quiet_network))) == "ams fra nrt");
  CHECK(ids_in(*rank(by_latency, player_in(quiet_network, japanese))).starts_with("nrt "));
  const auto near = parsed_json(json_of(*rank(by_distance, player_in(quiet_network))));
  const auto fast = parsed_json(json_of(*rank(by_latency, player_in(quiet_network))));
  CHECK(near["regions"][0] == fast["regions"][1]);
  CHECK(near["regions"][1] == fast["regions"][0]);
}

TEST_CASE("by distance, every byte of a listing is as without anything learned") {
  ranked_by_latency_bench on;
  const std::vector<model::ip_address> clients{player_in(1), player_in(quiet_network),
                                               player_in(1, japanese), player_in(1, unknown_place)};
  const auto answers = [&] {
    auto state = on.ranking(ranking_order::distance);
    std::vector<std::string> all;
    for (const auto& client : clients)
      for (const std::string_view rtt : {"", "nrt:250", "gone:7,nrt:250"})
        for (const bool gzip : {false, true})
          for (int time = 0; time < 2; ++time) {
            rank_regions one{{1, 1}, client, "game.example", measured(rtt)};
            one.gzip = gzip;
            const auto* const only = &one;
            region_ranking_state::ranked answer;
            state.rank({&only, 1}, {&answer, 1});
            CHECK(answer.detailed == nullptr);
            all.push_back(json_of(*answer.listing));
            all.push_back(answer.gzip ? *answer.gzip : std::string{});
          }
    return all;
  };
  const auto before = answers();
  report_from_germany(on.learned, 10, ranked_at_ms);
  REQUIRE(on.snapshot() != nullptr);
  CHECK(answers() == before);
}

TEST_CASE("by latency with nothing learned, the order is that of distance") {
  ranked_by_latency_bench on;
  auto by_distance = on.ranking(ranking_order::distance);
  auto by_latency = on.ranking();
  for (const auto client : {german, japanese, unknown_place})
    CHECK(json_of(*rank(by_latency, player_in(1, client))) ==
          json_of(*rank(by_distance, player_in(1, client))));
}

TEST_CASE("a place's clients share a listing unless their network reported") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  const auto place = rank(state, player_in(quiet_network));
  CHECK(rank(state, player_in(quiet_network + 1, german_too)) == place);
  CHECK(state.cached_listings() == 1);
  const auto network = rank(state, player_in(3));
  CHECK(network != place);
  CHECK(rank(state, player_in(3, german_too)) == network);
  CHECK(state.cached_listings() == 2);
  // Those of a network that is in two places are listed for theirs.
  rank(state, player_in(3, japanese));
  CHECK(state.cached_listings() == 3);
}

TEST_CASE("by distance, only the place decides what is cached") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking(ranking_order::distance);
  CHECK(rank(state, player_in(3)) == rank(state, player_in(quiet_network, german_too)));
  CHECK(state.cached_listings() == 1);
}

TEST_CASE("a cached listing is good for ten seconds after something was learned") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 1, ranked_at_ms);
  auto state = on.ranking();
  const auto client = player_in(quiet_network);
  const auto first = rank(state, client);
  // For as long as nothing is learned, for ever.
  on.clock.advance(1h);
  CHECK(rank(state, client) == first);
  CHECK(on.metrics.misses.get() == 1);
  on.learned.report(player_in(100), measured(german_latencies), ranked_at_ms);
  REQUIRE(state.set_latencies(on.snapshot()) != nullptr);
  const auto again = rank(state, client);
  CHECK(again != first);
  on.clock.advance(region_ranking_state::stale_after - 1s);
  on.learned.report(player_in(101), measured(german_latencies), ranked_at_ms);
  REQUIRE(state.set_latencies(on.snapshot()) != nullptr);
  CHECK(rank(state, client) == again);
  CHECK(on.metrics.misses.get() == 2);
  on.clock.advance(1s);
  const auto second = rank(state, client);
  CHECK(second != again);
  CHECK(on.metrics.misses.get() == 3);
  CHECK(ids_in(*second) == "ams fra nrt");
  CHECK(rank(state, client) == second);
  CHECK(state.cached_listings() == 1);
}

TEST_CASE("a compressed listing is kept as long as its listing") {
  ranked_by_latency_bench on;
  auto state = on.ranking();
  const auto compressed = [&] {
    rank_regions one{{1, 1}, player_in(quiet_network), ""};
    one.gzip = true;
    const auto* const only = &one;
    region_ranking_state::ranked answer;
    state.rank({&only, 1}, {&answer, 1});
    return answer.gzip;
  };
  compressed();
  const auto before = compressed(); // kept when it is asked for again
  report_from_germany(on.learned, 10, ranked_at_ms);
  state.set_latencies(on.snapshot());
  on.clock.advance(region_ranking_state::stale_after);
  compressed();
  const auto after = compressed();
  REQUIRE(after != nullptr);
  CHECK((before == nullptr || *before != *after));
}

TEST_CASE("a new catalog is listed at once, with known latencies") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  CHECK(ids_in(*rank(state, player_in(quiet_network))) == "ams fra nrt");
  auto fewer = three_regions();
  fewer->regions.pop_back();
  state.set_catalog(fewer);
  CHECK(ids_in(*rank(state, player_in(quiet_network))) == "ams fra");
  // What is known is not of the region at its new place.
  auto moved = three_regions();
  moved->regions[0].datacenter_coord = {52.5, 5.5};
  state.set_catalog(moved);
  CHECK(ids_in(*rank(state, player_in(quiet_network))).size() == 11);
}

TEST_CASE("a replaced snapshot is freed elsewhere") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 1, ranked_at_ms);
  auto first = on.snapshot();
  const std::weak_ptr<const model::latency_snapshot> held = first;
  auto state = on.ranking();
  CHECK(state.set_latencies(first) == nullptr);
  first.reset();
  on.learned.report(player_in(100), measured(german_latencies), ranked_at_ms);
  auto old = state.set_latencies(on.snapshot());
  REQUIRE(old != nullptr);
  CHECK_FALSE(held.expired());
  old.reset();
  CHECK(held.expired());
}

TEST_CASE("the actor ranks by the newest snapshot") {
  deterministic_system system;
  ranked_by_latency_bench on;
  const auto log = std::make_shared<probe_log>();
  const auto map = system.spawn<probe>(log);
  ranking_settings settings;
  settings.rank_by = ranking_order::latency;
  settings.geoip = on.places;
  const auto ranking = system.spawn<region_ranking>(settings, on.catalog);
  const auto listed = [&] {
    system.send_as(map, ranking, rank_regions{{1, 1}, player_in(quiet_network), ""});
    return ids_in(*log->ranked.back().listing);
  };
  CHECK(listed() == "fra ams nrt");
  report_from_germany(on.learned, 10, ranked_at_ms);
  system.send_as(map, ranking, latencies_changed{on.snapshot()});
  CHECK(log->discarded.size() == 1); // listings by distance
  on.learned.report(player_in(100), measured(german_latencies), ranked_at_ms);
  system.send_as(map, ranking, latencies_changed{on.snapshot()});
  CHECK(log->discarded.size() == 2);
  CHECK(listed() == "ams fra nrt");
}

// -- details ------------------------------------------------------------------

TEST_CASE("a listing with details is that without, and more of each region") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  for (const auto by : {ranking_order::distance, ranking_order::latency}) {
    auto state = on.ranking(by);
    const auto plain = json_of(*rank(state, player_in(quiet_network)));
    const auto explained = detailed(state, player_in(quiet_network), {.explain = true});
    const auto begin = plain.substr(0, plain.size() - 1);
    CHECK(explained.starts_with(begin + R"(,"explanation":{"address":"10.0.200.1",)"));
    // No region has anything to add.
    CHECK(detailed(state, player_in(quiet_network), {.ping_url = true}) == plain);
    const auto with = parsed_json(detailed(state, player_in(quiet_network), {.latency = true}));
    const auto without = parsed_json(plain);
    REQUIRE(with["regions"].Size() == 3);
    for (rapidjson::SizeType i = 0; i < 3; ++i) {
      auto region = parsed_json("{}");
      region.CopyFrom(with["regions"][i], region.GetAllocator());
      CHECK(region.RemoveMember("latency"));
      CHECK(region == without["regions"][i]);
    }
  }
}

TEST_CASE("predicted latencies are told with what they come from") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  const auto place = parsed_json(detailed(state, player_in(quiet_network), {.latency = true}));
  const auto& amsterdam = place["regions"][0]["latency"];
  CHECK(amsterdam["ms"].GetDouble() == Approx(9).margin(3));
  CHECK(text_of(amsterdam["source"]) == "place");
  CHECK(amsterdam["reports"].GetInt() == 10);
  CHECK(amsterdam["confidence"].GetDouble() > 0.3);
  CHECK(amsterdam["confidence"].GetDouble() <= 1);
  const auto network = parsed_json(detailed(state, player_in(3), {.latency = true}));
  // That of a single player is not shown, not even within its network.
  CHECK(text_of(network["regions"][0]["latency"]["source"]) == "place");
  const auto nowhere =
      parsed_json(detailed(state, player_in(quiet_network, unknown_place), {.latency = true}));
  for (const auto& region : nowhere["regions"].GetArray())
    CHECK(region["latency"].IsNull());
}

TEST_CASE("with nothing learned, predictions are what distance says") {
  ranked_by_latency_bench on;
  auto state = on.ranking(ranking_order::distance);
  const auto listed = parsed_json(detailed(state, player_in(1), {.latency = true}));
  for (const auto& region : listed["regions"].GetArray()) {
    CHECK(text_of(region["latency"]["source"]) == "distance");
    CHECK(region["latency"]["confidence"].GetDouble() == 0);
    CHECK(region["latency"]["reports"].GetInt() == 0);
    CHECK(region["latency"]["ms"].GetDouble() > 0);
  }
}

TEST_CASE("measured regions come first with details, too, each with its own") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  const auto listed =
      parsed_json(detailed(state, player_in(quiet_network), {.latency = true}, "nrt:250"));
  CHECK(text_of(listed["regions"][0]["region_id"]) == "nrt");
  CHECK(listed["regions"][0]["latency"]["ms"].GetDouble() > 100);
  CHECK(text_of(listed["regions"][1]["region_id"]) == "ams");
  CHECK(listed["regions"][1]["latency"]["ms"].GetDouble() < 20);
}

TEST_CASE("an explanation names the round trips that were ignored") {
  ranked_by_latency_bench on;
  auto state = on.ranking();
  const auto listed = parsed_json(
      detailed(state, player_in(quiet_network), {.explain = true}, "ams:0,fra:9,gone:0,nrt:5"));
  CHECK(text_of(listed["regions"][0]["region_id"]) == "fra");
  const auto& ignored = listed["explanation"]["impossible_rtt"];
  REQUIRE(ignored.Size() == 3);
  CHECK(text_of(ignored[0]) == "ams");
  CHECK(text_of(ignored[1]) == "gone");
  CHECK(text_of(ignored[2]) == "nrt");
}

TEST_CASE("regions that can be pinged say where") {
  ranked_by_latency_bench on;
  auto catalog = three_regions();
  catalog->regions[1].ping_url = "https://fra.example/ping";
  on.catalog = catalog;
  auto state = on.ranking(ranking_order::distance);
  const auto listed = parsed_json(detailed(state, player_in(1), {.ping_url = true}));
  CHECK(text_of(listed["regions"][0]["ping_url"]) == "https://fra.example/ping");
  CHECK_FALSE(listed["regions"][1].HasMember("ping_url"));
  CHECK_FALSE(contains(json_of(*rank(state, player_in(1))), "ping_url"));
}

TEST_CASE("an explanation has the client's place and its reports") {
  ranked_by_latency_bench on;
  on.places->country = "DE";
  on.places->file = "/secret/folder/places.mmdb";
  on.places->asn_of = {{german, 64'500}};
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  const auto told = parsed_json(detailed(state, player_in(3), {.latency = true, .explain = true}));
  const auto& why = told["explanation"];
  CHECK(text_of(why["address"]) == "10.0.3.1");
  CHECK(text_of(why["address_from"]) == "connection");
  CHECK(text_of(why["ranked_by"]) == "latency");
  CHECK(text_of(why["source"]) == "address");
  CHECK(why["place"]["latitude"].GetDouble() == near_frankfurt.latitude);
  CHECK(text_of(why["country"]) == "DE");
  CHECK(why["asn"].GetInt() == 64'500);
  CHECK(text_of(why["file"]) == "places.mmdb");
  REQUIRE(why["cells"].Size() == 1);
  CHECK(text_of(why["cells"][0]["kind"]) == "place");
  CHECK(why["cells"][0]["regions"].GetInt() == 3);
  CHECK(why["cells"][0]["reports"].GetInt() == 10);

  const auto stranger =
      parsed_json(detailed(state, player_in(quiet_network, unknown_place), {.explain = true}));
  const auto& nothing = stranger["explanation"];
  CHECK(nothing["place"].IsNull());
  CHECK(text_of(nothing["source"]) == "unknown");
  CHECK(nothing["country"].IsNull());
  CHECK(nothing["asn"].IsNull());
  CHECK(nothing["file"].IsNull());
  CHECK(nothing["cells"].Empty());
}

TEST_CASE("operators see networks with five reporters or more") {
  ranked_by_latency_bench on;
  report_from_germany(on.learned, 10, ranked_at_ms);
  auto state = on.ranking();
  explain_ranking asked;
  asked.client = player_in(3);
  const auto few = parsed_json(state.explain(asked));
  REQUIRE(few["cells"].Size() == 1);
  CHECK(text_of(few["cells"][0]["kind"]) == "place");
  CHECK(text_of(few["latencies"][0]["latency"]["source"]) == "place");
  CHECK(text_of(few["ranked_by"]) == "latency");
  REQUIRE(few["latencies"].Size() == 3);
  for (rapidjson::SizeType i = 0; i < 3; ++i)
    CHECK(text_of(few["latencies"][i]["region_id"]) ==
          text_of(few["listing"]["regions"][i]["region_id"]));
  for (int player = 0; player < 256; ++player)
    on.learned.report(player_in(3, static_cast<std::uint8_t>(player)), measured("ams:9,fra:40"),
                      ranked_at_ms);
  state.set_latencies(on.snapshot());
  const auto many = parsed_json(state.explain(asked));
  CHECK(text_of(many["cells"][0]["kind"]) == "network");
  CHECK(text_of(many["cells"][0]["cell"]) == "10.0.3.0/24");
  // A place has no network.
  asked.at = near_frankfurt;
  const auto place = parsed_json(state.explain(asked));
  CHECK(text_of(place["source"]) == "coordinates");
  CHECK(text_of(place["cells"][0]["kind"]) == "place");
  CHECK(text_of(place["listing"]["regions"][0]["region_id"]) == "ams");
}

TEST_CASE("regions beyond the learned ones are listed by distance") {
  ranked_by_latency_bench on;
  auto many = two_regions();
  many->regions.clear();
  constexpr int count = 300;
  for (int i = 0; i < count; ++i)
    many->regions.push_back({"r" + std::to_string(1'000 + i), "Region", "Cloud", {50, 0.5 * i}});
  on.catalog = many;
  on.learned.set_catalog(many);
  for (std::uint8_t network = 0; network < 10; ++network)
    on.learned.report(player_in(network), measured("r1010:60,r1017:40,r1030:9"), ranked_at_ms);
  auto state = on.ranking();
  const auto listed =
      parsed_json(detailed(state, player_in(quiet_network), {.latency = true}))["regions"].Size();
  CHECK(listed == count);
  const auto all = parsed_json(detailed(state, player_in(quiet_network), {.latency = true}));
  std::set<std::string> seen;
  for (const auto& region : all["regions"].GetArray())
    seen.insert(region["region_id"].GetString());
  CHECK(seen.size() == count);
  CHECK(text_of(all["regions"][0]["region_id"]) == "r1030");
  // Only as many are predicted as a learner knows.
  const auto unpredicted = std::ranges::count_if(
      all["regions"].GetArray(), [](const auto& region) { return region["latency"].IsNull(); });
  CHECK(unpredicted >= count - static_cast<int>(model::latency_region_limit));
  double last_km = 0;
  for (rapidjson::SizeType i = model::latency_region_limit; i < count; ++i) {
    const auto km = all["regions"][i]["datacenter_distance_from_client"]["kilometers"].GetDouble();
    CHECK(km >= last_km);
    last_km = km;
  }
  CHECK(ids_in(*rank(state, player_in(quiet_network))).starts_with("r1030 "));
}

} // namespace
} // namespace matchcloud::actors
