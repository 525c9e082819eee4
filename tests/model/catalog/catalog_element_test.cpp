#include "model/catalog/catalog_element.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/catalog_documents.hpp"

#include <rapidcheck.h>

#include <algorithm>

namespace {

using namespace matchcloud;
using matchcloud::fixtures::contains;
using model::catalog;
using model::catalog_element;
using model::element_key;
using model::element_kind;
using model::render_element;

const std::string element_game = "00000000-0000-4000-8000-0000000000aa";
const std::string other_id = "00000000-0000-4000-8000-0000000000bb";

/// Replaces single quotes by double quotes, which keeps JSON readable in C++.
std::string element_json(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

element_key key(element_kind kind, const std::string& id) {
  return element_key::parse(kind, id).value();
}

std::string problems_of(const element_key& named, const std::string& text) {
  const auto parsed = parse_element(named, element_json(text));
  if (parsed) return "";
  CHECK(parsed.error().code == base::errc::import_invalid);
  return parsed.error().detail;
}

/// The keys of all elements of a catalog.
std::vector<element_key> keys_of(const catalog& in) {
  std::vector<element_key> keys;
  for (const auto& each : in.regions)
    keys.push_back(key(element_kind::region, each.region_id));
  for (const auto& each : in.tiers)
    keys.push_back(key(element_kind::tier, each));
  for (const auto& each : in.games)
    keys.push_back(key(element_kind::game, to_string(each.game_id)));
  for (const auto& each : in.namespaces)
    keys.push_back(key(element_kind::game_namespace, to_string(each.namespace_id)));
  return keys;
}

catalog any_catalog() {
  return merge(*merge(catalog{}, fixtures::any_document()), fixtures::any_document()).value();
}

/// Whether all references are valid, lists are in order and each domain leads to its owner.
bool is_consistent(const catalog& c) {
  const auto ascending = [](const auto& list, auto id) {
    return std::ranges::adjacent_find(list, std::ranges::greater_equal{}, id) == list.end();
  };
  bool sound = ascending(c.regions, &model::region::region_id) &&
               ascending(c.tiers, std::identity{}) && ascending(c.games, &model::game::game_id) &&
               ascending(c.namespaces, &model::game_namespace::namespace_id);
  std::size_t domains = 0;
  for (const auto& each : c.namespaces) {
    sound = sound && c.find_game(each.game_id);
    for (const auto& region_id : each.regions.value_or(std::vector<std::string>{}))
      sound = sound && c.find_region(region_id);
    for (const auto& domain : each.domains)
      sound = sound && c.find_namespace_of_domain(domain) == &each;
    domains += each.domains.size();
  }
  return sound && c.domain_owners.size() == domains;
}

TEST_CASE("ids are checked by their kind, UUIDs in either case") {
  CHECK(key(element_kind::region, "lon-1").describe() == "region \"lon-1\"");
  CHECK(key(element_kind::tier, "basic-1d1").text() == "basic-1d1");
  CHECK(key(element_kind::game, "00000000-0000-4000-8000-0000000000AA").text() == element_game);
  CHECK(key(element_kind::game_namespace, element_game).describe() == "namespace " + element_game);
  for (const std::string bad : {"", "LON", "a b", "a/b", "012345678901234567890123456789012"})
    for (const auto kind : model::element_kinds) {
      const auto refused = element_key::parse(kind, bad);
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error().code == base::errc::id_malformed);
      CHECK(contains(refused.error().detail, "\"" + bad + "\" is not a valid "));
    }
  CHECK_FALSE(element_key::parse(element_kind::game, "lon").has_value());
}

TEST_CASE("kinds have the names of paths and documents") {
  CHECK(plural_of(element_kind::game_namespace) == "namespaces");
  CHECK(name_of(element_kind::region) == "region");
  for (const auto kind : model::element_kinds)
    CHECK(model::parse_plural(plural_of(kind)) == kind);
  CHECK_FALSE(model::parse_plural("game").has_value());
}

TEST_CASE("an element is read as in a document; its id may be left out") {
  const auto lon = key(element_kind::region, "lon");
  const auto body = element_json("'region_display_name':'London','provider_display_name':'P',"
                                 "'datacenter_coord':{'latitude':51.5,'longitude':-0.25}}");
  const model::region expected{"lon", "London", "P", {51.5, -0.25}};
  CHECK(parse_element(lon, "{" + body) == catalog_element{expected});
  CHECK(parse_element(lon, element_json("{'region_id':'lon',") + body) ==
        catalog_element{expected});

  const auto one = key(element_kind::game, element_game);
  CHECK(parse_element(one, element_json("{'display_name':'G'}")) ==
        catalog_element{model::game{one.uuid(), "G"}});

  const auto space = key(element_kind::game_namespace, other_id);
  model::game_namespace prod{space.uuid(), one.uuid(), "prod", {}, {}};
  CHECK(parse_element(space, element_json("{'game_id':'" + element_game + "','name':'prod'}")) ==
        catalog_element{prod});
  prod.domains = {"a.example", "b.example"};
  prod.regions = {"fra", "lon"};
  CHECK(parse_element(space,
                      element_json("{'namespace_id':'" + other_id + "','game_id':'" + element_game +
                                   "','name':'prod','domains':['B.example','a.example'],"
                                   "'regions':['lon','fra']}")) == catalog_element{prod});

  const auto tier = key(element_kind::tier, "t-1");
  CHECK(parse_element(tier, "") == catalog_element{std::string{"t-1"}});
  CHECK(parse_element(tier, "\"t-1\"") == catalog_element{std::string{"t-1"}});
}

TEST_CASE("an element whose id is not that of the request is refused") {
  CHECK(contains(problems_of(key(element_kind::region, "lon"), "{'region_id':'fra'}"),
                 "/region_id: found \"fra\", expected \"lon\", as in the request, or no id"));
  CHECK(contains(problems_of(key(element_kind::game, element_game),
                             "{'game_id':'" + other_id + "','display_name':'G'}"),
                 "/game_id: found \"" + other_id + "\", expected \"" + element_game));
  CHECK(contains(problems_of(key(element_kind::game_namespace, element_game),
                             "{'namespace_id':'" + other_id + "','game_id':'" + element_game +
                                 "','name':'n'}"),
                 "/namespace_id: found"));
  CHECK(contains(problems_of(key(element_kind::tier, "a"), "'b'"), "the tier: found \"b\""));
  // An id in upper case equals the same id in lower case.
  CHECK(problems_of(key(element_kind::game, element_game),
                    "{'game_id':'00000000-0000-4000-8000-0000000000AA','display_name':'G'}") == "");
}

TEST_CASE("what is wrong with an element is said as for a document, all at once") {
  const auto lon = key(element_kind::region, "lon");
  CHECK(problems_of(lon, "{}") == "the region: member \"region_display_name\" is missing\n"
                                  "the region: member \"provider_display_name\" is missing\n"
                                  "the region: member \"datacenter_coord\" is missing");
  CHECK(contains(problems_of(lon, "[]"), "the region: found an array, expected an object"));
  CHECK(contains(problems_of(lon, ""), "not JSON"));
  CHECK(contains(problems_of(lon, "{'a'"), "line 1, column 5: not JSON"));
  CHECK(contains(problems_of(lon, std::string(model::element_limit_bytes + 1, ' ')),
                 "the region has more than 65536 bytes"));
  CHECK(contains(problems_of(lon, std::string(65, '[')), "the region nests deeper than 64"));
  CHECK(contains(problems_of(key(element_kind::game, element_game), "{'namespaces':[]}"),
                 "the game: unknown member \"namespaces\"; allowed: game_id, display_name"));
  CHECK(contains(problems_of(key(element_kind::game_namespace, element_game), "{'name':'n'}"),
                 "the namespace: member \"game_id\" is missing"));
  CHECK(contains(problems_of(key(element_kind::tier, "a"), "7"), "the tier: found 7"));
}

TEST_CASE("elements and lists are rendered as they are read") {
  CHECK(render_element(model::region{"lon", "L\"", "P", {51.5, -0.1}}) ==
        R"({"region_id":"lon","region_display_name":"L\"","provider_display_name":"P",)"
        R"("datacenter_coord":{"latitude":51.5,"longitude":-0.1}})");
  CHECK(render_element(std::string{"t"}) == "\"t\"");
  const auto id = key(element_kind::game, element_game).uuid();
  CHECK(render_element(model::game{id, "G"}) ==
        element_json("{'game_id':'" + element_game + "','display_name':'G'}"));
  const auto space = element_json("{'namespace_id':'" + element_game + "','game_id':'" +
                                  element_game + "','name':'n','domains':['a','b']");
  CHECK(render_element(model::game_namespace{id, id, "n", {"a", "b"}, {}}) == space + "}");
  CHECK(render_element(model::game_namespace{
            id, id, "n", {"a", "b"}, std::vector<std::string>{}}) == space + ",\"regions\":[]}");
  catalog c;
  c.revision = 7;
  c.tiers = {"a", "b"};
  CHECK(render_elements(c, element_kind::tier) == R"({"tiers":["a","b"],"revision":7})");
  CHECK(render_elements(c, element_kind::game_namespace) == R"({"namespaces":[],"revision":7})");
}

TEST_CASE("a rendered element reads back as the same element") {
  REQUIRE(rc::check([] {
    const auto c = any_catalog();
    for (const auto& each : keys_of(c)) {
      const auto found = find_element(c, each);
      RC_ASSERT(found.has_value());
      RC_ASSERT((parse_element(each, render_element(*found)) == found));
    }
  }));
}

TEST_CASE("an element that the catalog lacks cannot be found or removed") {
  const catalog empty;
  for (const auto& absent :
       {key(element_kind::region, "lon"), key(element_kind::tier, "t"),
        key(element_kind::game, element_game), key(element_kind::game_namespace, element_game)}) {
    CHECK(find_element(empty, absent).error().code == base::errc::element_not_found);
    const auto refused = without(empty, absent);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == base::errc::element_not_found);
    CHECK(refused.error().detail == "The catalog has no " + absent.describe() + ".");
  }
}

TEST_CASE("an element that namespaces refer to cannot be removed, and ten of them are named") {
  const auto id = key(element_kind::game, element_game);
  model::catalog_document document;
  document.regions = {{"lon", "L", "P", {}}, {"fra", "F", "P", {}}};
  document.games = {{id.uuid(), "G"}};
  for (std::uint8_t n = 1; n <= 12; ++n)
    document.namespaces.push_back(
        {fixtures::numbered(n), id.uuid(), "n", {}, std::vector<std::string>{"lon"}});
  auto c = *merge(catalog{}, document);

  const auto lon = without(c, key(element_kind::region, "lon"));
  REQUIRE_FALSE(lon.has_value());
  CHECK(lon.error().code == base::errc::still_referred);
  CHECK(contains(lon.error().detail,
                 "region \"lon\" is listed by 12 namespaces: `n` (01000000-0000"));
  CHECK(contains(lon.error().detail,
                 ", `n` (0a000000-0000-0000-0000-000000000000) and 2 more. First"));
  CHECK(without(c, key(element_kind::region, "fra")).has_value());

  const auto game = without(c, id);
  REQUIRE_FALSE(game.has_value());
  CHECK(game.error().code == base::errc::still_referred);
  CHECK(contains(game.error().detail, "has 12 namespaces: `n` ("));
  while (!c.namespaces.empty())
    c = *without(c, key(element_kind::game_namespace, to_string(c.namespaces[0].namespace_id)));
  CHECK(without(c, id).has_value());
  CHECK(without(c, key(element_kind::region, "lon")).has_value());
}

TEST_CASE("a namespace with all regions lists none of them") {
  model::catalog_document document;
  document.regions = {{"lon", "L", "P", {}}};
  document.games = {{fixtures::numbered(1), "G"}};
  document.namespaces = {{fixtures::numbered(1), fixtures::numbered(1), "n", {"a.example"}, {}}};
  const auto c = *merge(catalog{}, document);
  CHECK(without(c, key(element_kind::region, "lon")).has_value());
  const auto gone =
      without(c, key(element_kind::game_namespace, to_string(fixtures::numbered(1)))).value();
  CHECK(gone.find_namespace_of_domain("a.example") == nullptr);
}

TEST_CASE("a removal leaves a consistent catalog, and putting back what was removed undoes it") {
  REQUIRE(rc::check([] {
    const auto before = any_catalog();
    const auto keys = keys_of(before);
    RC_PRE(!keys.empty());
    const auto& which = *rc::gen::elementOf(keys);
    const auto after = without(before, which);
    if (!after) {
      RC_ASSERT(after.error().code == base::errc::still_referred);
      return;
    }
    RC_ASSERT(is_consistent(*after));
    RC_ASSERT(after->revision == before.revision + 1);
    RC_ASSERT(keys_of(*after).size() == keys.size() - 1);
    RC_ASSERT(!find_element(*after, which).has_value());
    auto again = merge(*after, document_of(*find_element(before, which)));
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->revision == before.revision + 2);
    again->revision = before.revision;
    RC_ASSERT(is_consistent(*again));
    RC_ASSERT((*again == before));
  }));
}

} // namespace
