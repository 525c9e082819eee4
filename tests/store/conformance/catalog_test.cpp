// The catalog, its imports and removals, on every engine.
#include "tests/fixtures/catalog_documents.hpp"
#include "tests/store/conformance/engines.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::any_document;
using fixtures::numbered;
using model::element_key;
using model::element_kind;

void import_ok(catalog_store& into, const model::catalog_document& document, bool changes = true) {
  CHECK(had(into.import_document(document)).changed == changes);
}

/// A document with one region, named so that imports can be distinguished.
model::catalog_document one_region(const std::string& id, const std::string& name) {
  model::catalog_document document;
  document.regions = {{id, name, "P", {1, 2}}};
  return document;
}

TEST_CASE("a new store has the default tiers, revision 0 and nothing else", "[engines]") {
  const conforming_store in;
  const auto catalog = in.catalog->load();
  REQUIRE(catalog.has_value());
  model::catalog expected;
  expected.tiers = model::default_tiers();
  CHECK(*catalog == expected);
  CHECK(in.catalog->revision() == 0);
}

TEST_CASE("what was imported is there after opening again", "[engines]") {
  const conforming_store first;
  import_ok(*first.catalog, model::demo_catalog());
  const all_roles in{first.open()};
  auto expected = *merge(model::catalog{}, model::demo_catalog());
  CHECK(expected.revision == 1);
  CHECK(in.catalog->load() == expected);
  CHECK(in.catalog->revision() == 1);
}

TEST_CASE("an import counts what it names and keeps what it does not", "[engines]") {
  const conforming_store in;
  const auto done = in.catalog->import_document(model::demo_catalog());
  REQUIRE(done.has_value());
  CHECK(done->regions == 12);
  CHECK(done->tiers == 7);
  CHECK(done->games == 1);
  CHECK(done->namespaces == 2);
  CHECK(done->changed);

  auto update = one_region("lon", "Londinium");
  update.tiers = {"zz-1"};
  import_ok(*in.catalog, update);
  const auto catalog = in.catalog->load();
  CHECK(catalog->regions.size() == 12);
  CHECK(catalog->find_region("lon")->region_display_name == "Londinium");
  CHECK(catalog->tiers.size() == 8);
  CHECK(catalog->tiers.back() == "zz-1");
  CHECK(catalog->revision == 2);
}

TEST_CASE("an import that changes nothing leaves the revision and the other readers in peace",
          "[engines]") {
  const conforming_store writer;
  const all_roles reader{writer.open()};
  import_ok(*writer.catalog, model::demo_catalog());
  CHECK(tells(*reader.feed));
  import_ok(*writer.catalog, model::demo_catalog(), false);
  CHECK(writer.catalog->revision() == 1);
  CHECK(reader.feed->changed() == false);
}

TEST_CASE("a poll tells of what others committed, first of all and once each", "[engines]") {
  const conforming_store writer;
  const all_roles reader{writer.open()};
  CHECK(tells(*reader.feed));
  CHECK(reader.feed->changed() == false);
  import_ok(*writer.catalog, one_region("a", "A"));
  CHECK(tells(*reader.feed));
  CHECK(reader.feed->changed() == false);
  CHECK(reader.catalog->load()->find_region("a") != nullptr);
  // Changes by sessions of the same process count as well.
  CHECK(tells(*writer.feed));
  import_ok(*writer.catalog, one_region("b", "B"));
  CHECK(tells(*writer.feed));
  CHECK(writer.feed->changed() == false);
}

TEST_CASE("a domain can go from one namespace to another in one import", "[engines]") {
  const conforming_store in;
  auto document = model::demo_catalog();
  import_ok(*in.catalog, document);
  std::swap(document.namespaces[0].domains, document.namespaces[1].domains);
  import_ok(*in.catalog, document);
  const auto catalog = in.catalog->load();
  CHECK(catalog->namespaces[0].domains == document.namespaces[0].domains);
  CHECK(catalog->namespaces[1].domains == document.namespaces[1].domains);
}

TEST_CASE("an import with a wrong reference writes nothing and names it", "[engines]") {
  const conforming_store in;
  auto document = model::demo_catalog();
  document.namespaces[0].regions = {"atlantis"};
  const auto done = in.catalog->import_document(document);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::import_invalid);
  CHECK(done.error().detail.find("atlantis") != std::string::npos);
  CHECK(in.catalog->revision() == 0);
  CHECK(in.catalog->load()->regions.empty());
  import_ok(*in.catalog, model::demo_catalog()); // the failed import left no transaction open
}

TEST_CASE("names with quotes, NUL bytes and any language come back as they were", "[engines]") {
  const conforming_store in;
  auto document = one_region("a", "');DROP TABLE regions;--");
  document.regions.push_back({"b", std::string("x\0y", 3), "", {-90, 180}});
  document.regions.push_back({"c", "\u6771\u4eac \U0001f600", "\u00e9", {0.1, 1e-300}});
  import_ok(*in.catalog, document);
  CHECK(in.catalog->load()->regions == document.regions);
}

element_key key(element_kind kind, const std::string& id) {
  return element_key::parse(kind, id).value();
}

element_key game(std::uint8_t n) {
  return key(element_kind::game, to_string(numbered(n)));
}
element_key space(std::uint8_t n) {
  return key(element_kind::game_namespace, to_string(numbered(n)));
}

/// Games 1 and 2; namespace 1 of game 1 with a domain and a region list.
model::catalog_document small_document() {
  model::catalog_document document;
  document.regions = {{"fra", "Frankfurt", "P", {}}, {"lon", "London", "P", {}}};
  document.games = {{numbered(1), "one"}, {numbered(2), "two"}};
  document.namespaces = {
      {numbered(1), numbered(1), "prod", {"a.example"}, std::vector<std::string>{"lon"}}};
  return document;
}

TEST_CASE("what is removed is hidden, in this instance and in others, and moves the revision",
          "[engines]") {
  const conforming_store in;
  const all_roles other{in.open()};
  REQUIRE(in.catalog->import_document(small_document()));
  CHECK(tells(*other.feed));
  for (const auto& each : {space(1), game(1), key(element_kind::region, "lon"),
                           key(element_kind::tier, "basic-1d1")}) {
    INFO(each.describe());
    const auto revision = *in.catalog->revision();
    REQUIRE(in.catalog->remove(each).has_value());
    CHECK(in.catalog->revision() == revision + 1);
    CHECK(tells(*other.feed));
    CHECK_FALSE(find_element(*other.catalog->load(), each).has_value());
    CHECK(in.catalog->remove(each).error().code == base::errc::element_not_found);
    CHECK(in.catalog->revision() == revision + 1);
  }
  // The default tiers do not reappear when the store is opened again.
  CHECK(had(in.open())->catalog().value()->load() == other.catalog->load());
}

TEST_CASE("an import brings back what was removed, as it says now", "[engines]") {
  const conforming_store in;
  REQUIRE(in.catalog->import_document(small_document()));
  const auto before = in.catalog->load();
  for (const auto& each : {space(1), game(1), game(2), key(element_kind::region, "lon"),
                           key(element_kind::tier, "basic-1d1")})
    REQUIRE(in.catalog->remove(each).has_value());
  auto document = small_document();
  document.tiers = {"basic-1d1"};
  const auto done = in.catalog->import_document(document);
  REQUIRE(done.has_value());
  CHECK(done->added == 5);
  auto after = *in.catalog->load();
  after.revision = before->revision;
  CHECK(after == *before);
  CHECK(in.catalog->import_document(document)->added == 0);
}

TEST_CASE("a removed namespace gives its domain and its regions up", "[engines]") {
  const conforming_store in;
  REQUIRE(in.catalog->import_document(small_document()));
  model::catalog_document taker;
  taker.games = {{numbered(2), "two"}};
  taker.namespaces = {{numbered(2), numbered(2), "prod", {"a.example"}, {}}};
  CHECK(in.catalog->import_document(taker).error().code == base::errc::import_invalid);
  REQUIRE(in.catalog->remove(space(1)).has_value());
  REQUIRE(in.catalog->import_document(taker).has_value());
  CHECK(in.catalog->load()->find_namespace_of_domain("a.example")->namespace_id == numbered(2));
  CHECK(in.catalog->remove(key(element_kind::region, "lon")).has_value());
}

TEST_CASE("a removed namespace comes back to its own game only", "[engines]") {
  const conforming_store in;
  REQUIRE(in.catalog->import_document(small_document()));
  REQUIRE(in.catalog->remove(space(1)).has_value());
  const auto before = in.catalog->load();
  auto moved = small_document();
  moved.namespaces[0].game_id = numbered(2);
  const auto refused = in.catalog->import_document(moved);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::import_invalid);
  CHECK(refused.error().detail == "namespace " + to_string(numbered(1)) +
                                      ": was removed from game " + to_string(numbered(1)) +
                                      " and cannot return to game " + to_string(numbered(2)) +
                                      "; give the new namespace a new id");
  CHECK(in.catalog->load() == before);
  CHECK(in.catalog->import_document(small_document()).has_value());
}

TEST_CASE("imports and removals in any order leave what the model says", "[engines]") {
  const auto& engine = each_engine();
  REQUIRE(rc::check([&] {
    const conforming_store in{engine};
    model::catalog expected;
    expected.tiers = model::default_tiers();
    const auto steps = *rc::gen::inRange(1, 8);
    for (int i = 0; i < steps; ++i) {
      if (*rc::gen::inRange(0, 3) == 0) {
        const auto document = fixtures::any_document();
        RC_ASSERT(in.catalog->import_document(document).has_value());
        expected = *merge(expected, document);
      } else {
        const auto n = *rc::gen::inRange<std::uint8_t>(0, 6);
        const auto which = *rc::gen::elementOf(std::vector<element_key>{
            game(n), space(n), key(element_kind::region, "r" + std::to_string(n)),
            key(element_kind::tier, "t" + std::to_string(n))});
        const auto removed = in.catalog->remove(which);
        const auto left = without(expected, which);
        RC_ASSERT(removed.has_value() == left.has_value());
        if (left)
          expected = *left;
        else
          RC_ASSERT((removed.error() == left.error()));
      }
      RC_ASSERT((in.catalog->load() == expected));
    }
  }));
}

struct plain_catalog {
  std::map<std::string, model::region> regions;
  std::set<std::string> tiers{model::default_tiers().begin(), model::default_tiers().end()};
  std::map<model::uuid, model::game> games;
  std::map<model::uuid, model::game_namespace> namespaces;

  void apply(const model::catalog_document& document) {
    for (const auto& each : document.regions)
      regions[each.region_id] = each;
    tiers.insert(document.tiers.begin(), document.tiers.end());
    for (const auto& each : document.games)
      games[each.game_id] = each;
    for (const auto& each : document.namespaces)
      namespaces[each.namespace_id] = each;
  }

  model::catalog at_revision(std::int64_t revision) const {
    model::catalog result;
    result.revision = revision;
    for (const auto& [id, each] : regions)
      result.regions.push_back(each);
    result.tiers.assign(tiers.begin(), tiers.end());
    for (const auto& [id, each] : games)
      result.games.push_back(each);
    for (const auto& [id, each] : namespaces)
      result.namespaces.push_back(each);
    return result;
  }
};

TEST_CASE("a sequence of imports leaves the union in which the last one wins", "[engines]") {
  const auto& engine = each_engine();
  REQUIRE(rc::check([&] {
    const conforming_store in{engine};
    plain_catalog expected;
    std::int64_t revision = 0;
    const auto count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
      const auto document = any_document();
      const auto before = expected.at_revision(0);
      expected.apply(document);
      const bool changes = expected.at_revision(0) != before;
      revision += changes ? 1 : 0;
      const auto done = in.catalog->import_document(document);
      RC_ASSERT(done.has_value());
      RC_ASSERT(done->changed == changes);
      RC_ASSERT((in.catalog->load() == expected.at_revision(revision)));
    }
  }));
}

TEST_CASE("importing the same document again changes nothing", "[engines]") {
  const conforming_store in;
  REQUIRE(rc::check([&] {
    const auto document = any_document();
    RC_ASSERT(in.catalog->import_document(document).has_value());
    const auto once = in.catalog->load();
    const auto again = in.catalog->import_document(document);
    RC_ASSERT(again.has_value());
    RC_ASSERT(!again->changed);
    RC_ASSERT((in.catalog->load() == once));
  }));
}

TEST_CASE("the order of a document's elements does not matter", "[engines]") {
  REQUIRE(rc::check([] {
    const auto document = any_document();
    auto reversed = document;
    std::reverse(reversed.regions.begin(), reversed.regions.end());
    std::reverse(reversed.games.begin(), reversed.games.end());
    std::reverse(reversed.namespaces.begin(), reversed.namespaces.end());
    for (auto& each : reversed.namespaces)
      std::reverse(each.domains.begin(), each.domains.end());
    RC_ASSERT((merge(model::catalog{}, document) == merge(model::catalog{}, reversed)));
  }));
}

} // namespace
} // namespace matchcloud::store
