#include "model/catalog/catalog_element.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud;
using matchcloud::fixtures::contains;
using model::parse_catalog_document;

constexpr const char* game_id = "11111111-1111-4111-8111-111111111111";
constexpr const char* other_game_id = "22222222-2222-4222-8222-222222222222";
constexpr const char* namespace_id = "33333333-3333-4333-8333-333333333333";
constexpr const char* other_namespace_id = "44444444-4444-4444-8444-444444444444";

/// Replaces single quotes by double quotes, which keeps JSON readable in C++.
std::string json(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

std::string problems_of(const std::string& text) {
  const auto parsed = parse_catalog_document(json(text));
  if (parsed) return "";
  CHECK(parsed.error().code == base::errc::import_invalid);
  return parsed.error().detail;
}

std::string region(const std::string& id, const std::string& latitude = "1",
                   const std::string& longitude = "2") {
  return "{'region_id':'" + id + "','region_display_name':'R','provider_display_name':'P'," +
         "'datacenter_coord':{'latitude':" + latitude + ",'longitude':" + longitude + "}}";
}

std::string game_with(const std::string& namespaces) {
  return std::string{"{'game_id':'"} + game_id + "','display_name':'G','namespaces':[" +
         namespaces + "]}";
}

std::string a_namespace(const std::string& id, const std::string& more = "") {
  return "{'namespace_id':'" + id + "','name':'prod'" + more + "}";
}

TEST_CASE("a whole document is read") {
  const auto parsed = parse_catalog_document(json(
      "{'regions':[" + region("lon", "51.5074", "-0.1278") + "," + region("a-1", "-90", "180") +
      "],'tiers':['basic-9d1'],'games':[" +
      game_with(a_namespace(namespace_id,
                            ",'domains':['Play.Example.COM','a.example'],'regions':['lon','a-1']") +
                "," + a_namespace(other_namespace_id)) +
      "]}"));
  REQUIRE(parsed.has_value());
  REQUIRE(parsed->regions.size() == 2);
  CHECK(parsed->regions[0].region_id == "lon");
  CHECK(parsed->regions[0].datacenter_coord == model::coordinates{51.5074, -0.1278});
  CHECK(parsed->regions[1].datacenter_coord == model::coordinates{-90, 180});
  CHECK(parsed->tiers == std::vector<std::string>{"basic-9d1"});
  REQUIRE(parsed->games.size() == 1);
  CHECK(to_string(parsed->games[0].game_id) == game_id);
  REQUIRE(parsed->namespaces.size() == 2);
  const auto& first = parsed->namespaces[0];
  CHECK(to_string(first.namespace_id) == namespace_id);
  CHECK(first.game_id == parsed->games[0].game_id);
  CHECK(first.domains == std::vector<std::string>{"a.example", "play.example.com"});
  CHECK(first.regions == std::vector<std::string>{"a-1", "lon"});
  CHECK(parsed->namespaces[1].domains.empty());
  CHECK_FALSE(parsed->namespaces[1].regions.has_value());
}

TEST_CASE("every list may be absent, and a namespace may have no region at all") {
  CHECK(parse_catalog_document("{}").has_value());
  const auto parsed = parse_catalog_document(
      json("{'games':[" + game_with(a_namespace(namespace_id, ",'regions':[]")) + "]}"));
  REQUIRE(parsed.has_value());
  REQUIRE(parsed->namespaces[0].regions.has_value());
  CHECK(parsed->namespaces[0].regions->empty());
}

TEST_CASE("text that is not JSON is refused with line and column") {
  CHECK(contains(problems_of("{\n 'regions': [}"), "line 2, column 14: not JSON"));
  CHECK(contains(problems_of("{'regions': tru}"), "line 1, column 13: not JSON"));
  CHECK(contains(problems_of(""), "line 1, column 1"));
  CHECK(contains(problems_of("{} {}"), "line 1, column 4"));
  CHECK(contains(problems_of("{'tiers':['\xff']}"), "not JSON in UTF-8"));
  CHECK(contains(problems_of(std::string("{}\0x", 4)), "column 3: found a NUL byte"));
  CHECK(contains(problems_of("{'regions':[" + region("lon", "1e400") + "]}"), "not JSON"));
}

TEST_CASE("a number with many digits is read as the double nearest to it") {
  for (const auto zeros : {17U, 324U, 5'000U}) {
    const auto tiny = "-0." + std::string(zeros, '0') + "1";
    const auto parsed = parse_catalog_document(json("{'regions':[" + region("a", tiny) + "]}"));
    REQUIRE(parsed.has_value());
    CHECK(parsed->regions[0].datacenter_coord.latitude == std::strtod(tiny.c_str(), nullptr));
    CHECK(contains(problems_of("{'tiers':[" + tiny + "]}"), "/tiers/0: found "));
  }
}

TEST_CASE("other JSON than an object is refused") {
  CHECK(problems_of("[]") == "the document: found an array, expected an object");
  CHECK(problems_of("null") == "the document: found null, expected an object");
}

TEST_CASE("nesting is bounded before it costs a stack") {
  CHECK(contains(problems_of(std::string(10'000'000, '[')), "deeper than 64 levels"));
  CHECK(contains(problems_of(std::string(64, '[') + std::string(64, ']')), "found an array"));
  CHECK(contains(problems_of(std::string(65, '[') + std::string(65, ']')), "deeper than 64"));
  // Brackets in strings are text, also after an escaped quote.
  CHECK(contains(problems_of("['\\'" + std::string(100, '[') + "']"), "found an array"));
}

TEST_CASE("size is bounded") {
  const std::string text(model::catalog_document_limit_bytes + 1, ' ');
  CHECK(contains(problems_of(text), "more than 67108864 bytes"));
}

TEST_CASE("the number of values is bounded") {
  std::string text = "{'tiers':[1";
  for (std::size_t i = 0; i < model::catalog_document_value_limit; ++i)
    text += ",1";
  CHECK(contains(problems_of(text + "]}"), "more than 4194304 values"));
  // Commas in strings are text.
  CHECK(contains(problems_of("['" + std::string(5'000'000, ',') + "']"), "found an array"));
}

TEST_CASE("region ids are 1 to 32 of a-z, 0-9 and -, with a dash at neither end") {
  CHECK(problems_of("{'regions':[" + region("a-b-0") + "," + region(std::string(32, 'a')) + "]}")
            .empty());
  const auto id = GENERATE(as<std::string>{}, "", "Lon", "lon_1", "l\u00f6n", "a b", "lon\\n",
                           std::string(33, 'a'), "-", "-lon", "lon-");
  const auto found = problems_of("{'regions':[" + region(id) + "]}");
  CHECK(contains(found, "/regions/0/region_id: found \""));
  CHECK(contains(found, "expected 1 to 32 of a-z, 0-9 and -, no - at either end"));
}

TEST_CASE("coordinates are numbers in range") {
  const auto latitude =
      GENERATE(as<std::string>{}, "90.0000001", "-91", "1e300", "'1'", "null", "true", "[]");
  CHECK(contains(problems_of("{'regions':[" + region("lon", latitude) + "]}"),
                 "/regions/0/datacenter_coord/latitude: found "));
  CHECK(contains(problems_of("{'regions':[" + region("lon", "0", "-180.5") + "]}"),
                 "/regions/0/datacenter_coord/longitude: found -180.5, expected a number of "
                 "degrees from -180 to 180"));
}

TEST_CASE("names are not empty, blank, too long or malformed, and have no invisible characters") {
  const auto name = GENERATE(as<std::string>{}, "", "  ", "a\\u0000b", "a\\nb", "a\\u007f",
                             "a\\u0085b", "a\\u202eb", "\\udc00", std::string(129, 'x'));
  const auto found = problems_of(std::string{"{'games':[{'game_id':'"} + game_id +
                                 "','display_name':'" + name + "'}]}");
  CHECK(contains(found, "/games/0/display_name: found "));
}

TEST_CASE("names are counted in code points") {
  std::string name;
  for (int i = 0; i < 128; ++i)
    name += "\u00e9";
  const auto document = [](const std::string& text) {
    return std::string{"{'games':[{'game_id':'"} + game_id + "','display_name':'" + text + "'}]}";
  };
  CHECK(problems_of(document(name)).empty());
  CHECK_FALSE(problems_of(document(name + "e")).empty());
}

TEST_CASE("domains are host names") {
  const auto document = [](const std::string& domain) {
    return "{'games':[" + game_with(a_namespace(namespace_id, ",'domains':['" + domain + "']")) +
           "]}";
  };
  for (const auto* good :
       {"a", "localhost", "a.b-c.example", "xn--bcher-kva.example", "127.0.0.1", "3com.example"})
    CHECK(problems_of(document(good)).empty());
  CHECK(problems_of(document(std::string(63, 'a') + ".example")).empty());
  for (const auto& bad :
       {std::string{}, std::string{"."}, std::string{"a."}, std::string{".a"}, std::string{"a..b"},
        std::string{"-a"}, std::string{"a-.b"}, std::string{"https://a"}, std::string{"a:80"},
        std::string{"a/b"}, std::string{"*.a"}, std::string{"a_b"},
        std::string{"b\u00fccher.example"}, std::string(64, 'a')})
    CHECK(contains(problems_of(document(bad)), "/games/0/namespaces/0/domains/0: found \""));
  std::string long_name = "a";
  while (long_name.size() < 253)
    long_name += ".a";
  CHECK(problems_of(document(long_name)).empty());
  CHECK_FALSE(problems_of(document(long_name + "a.a")).empty());
}

TEST_CASE("unknown, missing and repeated members are refused") {
  CHECK(contains(problems_of("{'region':[]}"),
                 "the document: unknown member \"region\"; allowed: regions, tiers, games"));
  CHECK(contains(problems_of("{'tiers':[],'tiers':[]}"), "\"tiers\" appears twice"));
  CHECK(problems_of("{'games':[{}]}") == "/games/0: member \"game_id\" is missing\n"
                                         "/games/0: member \"display_name\" is missing");
  CHECK(contains(problems_of("{'tiers':null}"), "/tiers: found null, expected an array"));
}

TEST_CASE("ids, tiers and domains are unique in the whole document") {
  CHECK(problems_of("{'regions':[" + region("lon") + "," + region("lon") + "]}") ==
        "/regions/1/region_id: \"lon\" is already at /regions/0/region_id; keep one");
  CHECK(contains(problems_of("{'tiers':['a','b','a']}"), "/tiers/2: \"a\" is already at /tiers/0"));
  CHECK(contains(problems_of("{'games':[" + game_with("") + "," + game_with("") + "]}"),
                 "/games/1/game_id: \"" + std::string{game_id} +
                     "\" is already at /games/0/game_id"));
  const auto two = std::string{"{'games':["} + game_with(a_namespace(namespace_id)) +
                   ",{'game_id':'" + other_game_id + "','display_name':'H','namespaces':[" +
                   a_namespace(namespace_id) + "]}]}";
  CHECK(contains(problems_of(two), "/games/1/namespaces/0/namespace_id: "));
  CHECK(
      contains(problems_of("{'games':[" +
                           game_with(a_namespace(namespace_id, ",'domains':['a.example']") + "," +
                                     a_namespace(other_namespace_id, ",'domains':['A.example']")) +
                           "]}"),
               "/games/0/namespaces/1/domains/0: \"a.example\" is already at "
               "/games/0/namespaces/0/domains/0; keep one"));
  CHECK(contains(problems_of("{'games':[" +
                             game_with(a_namespace(namespace_id, ",'regions':['a','a']")) + "]}"),
                 "/games/0/namespaces/0/regions/1: \"a\" is already at"));
}

TEST_CASE("ids that differ in case are the same id") {
  CHECK(contains(problems_of("{'games':[{'game_id':'AAAAAAAA-1111-4111-8111-111111111111',"
                             "'display_name':'G'},{'game_id':'aaaaaaaa-1111-4111-8111-111111111111'"
                             ",'display_name':'H'}]}"),
                 "/games/1/game_id"));
}

TEST_CASE("all problems come at once, at most a hundred lines of them") {
  const auto found =
      problems_of("{'regions':[" + region("A", "91", "181") + "],'tiers':[1],'games':[{'x':1}]}");
  CHECK(std::ranges::count(found, '\n') + 1 == 7);

  const auto tiers = [](int count) {
    std::string text = "{'tiers':[";
    for (int i = 0; i < count; ++i)
      text += i == 0 ? "1" : ",1";
    return text + "]}";
  };
  const auto hundred = problems_of(tiers(100));
  CHECK(std::ranges::count(hundred, '\n') + 1 == 100);
  CHECK(contains(hundred, "/tiers/99: "));
  const auto many = problems_of(tiers(1'000));
  CHECK(std::ranges::count(many, '\n') + 1 == 100);
  CHECK(contains(many, "\nand 901 more"));
}

TEST_CASE("long values are shortened at a character") {
  std::string wide;
  for (int i = 0; i < 65; ++i)
    wide += "\u20ac";
  const auto found = problems_of("{'tiers':['" + wide + "']}");
  CHECK(contains(found, "\u20ac\u2026\", expected "));
  CHECK(found.size() < 300);
}

TEST_CASE("a catalog has at most a thousand regions, unless it has more already") {
  model::catalog_document document;
  for (std::size_t i = 0; i <= model::catalog_region_limit; ++i)
    document.regions.push_back({"r" + std::to_string(i), "Region", "Provider", {1, 2}, {}});
  const auto refused = model::merge({}, document);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().detail ==
        "regions: there would be 1001, and a catalog has at most 1000; remove some first");
  model::catalog larger;
  larger.regions = document.regions;
  CHECK(model::merge(larger, document).has_value());
  document.regions.pop_back();
  CHECK(model::merge({}, document).has_value());
}

TEST_CASE("a merge checks what namespaces refer to") {
  model::catalog current;
  current.regions = {{"old", "O", "P", {}}};
  const auto game = *model::parse_uuid(game_id);
  const auto other_game = *model::parse_uuid(other_game_id);
  const auto space = *model::parse_uuid(namespace_id);
  const auto other_space = *model::parse_uuid(other_namespace_id);
  current.games = {{game, "G"}, {other_game, "H"}};
  current.namespaces = {{space, game, "prod", {"a.example"}, std::nullopt}};
  model::catalog_document document;

  SECTION("regions of the store or of the document are fine, others are named") {
    document.regions = {{"new", "N", "P", {}}};
    document.namespaces = {{space, game, "prod", {}, {{"new", "old"}}}};
    CHECK(merge(current, document).has_value());
    document.namespaces[0].regions = {"gone", "lost", "old"};
    const auto merged = merge(current, document);
    REQUIRE_FALSE(merged.has_value());
    CHECK(merged.error().code == base::errc::import_invalid);
    CHECK(contains(merged.error().detail, "region \"gone\" is neither in"));
    CHECK(contains(merged.error().detail, "region \"lost\" is neither in"));
  }
  SECTION("a namespace cannot move to another game") {
    document.namespaces = {{space, other_game, "prod", {}, std::nullopt}};
    const auto merged = merge(current, document);
    REQUIRE_FALSE(merged.has_value());
    CHECK(contains(merged.error().detail, "cannot move to game"));
  }
  SECTION("a game that nobody has is named") {
    document.namespaces = {{other_space, model::uuid{}, "prod", {}, std::nullopt}};
    CHECK_FALSE(merge(current, document).has_value());
  }
  SECTION("a domain stays with the namespace that has it") {
    document.namespaces = {{other_space, other_game, "prod", {"a.example"}, std::nullopt}};
    const auto merged = merge(current, document);
    REQUIRE_FALSE(merged.has_value());
    CHECK(contains(merged.error().detail, "domain \"a.example\" is already registered by"));
  }
  SECTION("a domain moves when both namespaces are named") {
    document.namespaces = {{other_space, other_game, "prod", {"a.example"}, std::nullopt},
                           {space, game, "prod", {}, std::nullopt}};
    const auto merged = merge(current, document);
    REQUIRE(merged.has_value());
    CHECK(merged->find_namespace_of_domain("a.example")->namespace_id == other_space);
  }
  SECTION("the revision moves with a change only") {
    document.namespaces = current.namespaces;
    document.regions = current.regions;
    CHECK(merge(current, document)->revision == 0);
    document.regions[0].region_display_name = "other";
    CHECK(merge(current, document)->revision == 1);
  }
}

} // namespace
