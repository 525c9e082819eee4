#include "store/sqlite/sqlite.hpp"
#include "store/store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/catalog_documents.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <rapidcheck.h>

namespace {

using namespace matchcloud;
using fixtures::numbered;
using fixtures::temporary_directory;
using model::element_key;
using model::element_kind;

std::unique_ptr<store::store> open_ok(const std::string& directory) {
  auto opened = store::open_sqlite(directory);
  REQUIRE(opened.has_value());
  return *std::move(opened);
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

TEST_CASE("what is removed is hidden, in this instance and in others, and moves the revision") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  auto other = open_ok(directory.path());
  REQUIRE(opened->import_catalog(small_document()));
  CHECK(other->poll_changed() == true);
  for (const auto& each : {space(1), game(1), key(element_kind::region, "lon"),
                           key(element_kind::tier, "basic-1d1")}) {
    INFO(each.describe());
    const auto revision = *opened->catalog_revision();
    REQUIRE(opened->remove(each).has_value());
    CHECK(opened->catalog_revision() == revision + 1);
    CHECK(other->poll_changed() == true);
    CHECK_FALSE(find_element(*other->load_catalog(), each).has_value());
    CHECK(opened->remove(each).error().code == base::errc::element_not_found);
    CHECK(opened->catalog_revision() == revision + 1);
  }
  // Also after opening again: the default tiers do not come back.
  CHECK(open_ok(directory.path())->load_catalog() == other->load_catalog());
}

TEST_CASE("a removed element keeps its row, with its name, for history") {
  const temporary_directory directory;
  {
    auto opened = open_ok(directory.path());
    REQUIRE(opened->import_catalog(small_document()));
    for (const auto& each : {space(1), game(1), key(element_kind::region, "lon")})
      REQUIRE(opened->remove(each).has_value());
  }
  auto db = store::connection::open(directory.path() + "/matchcloud.db");
  REQUIRE(db.has_value());
  for (const auto* sql : {"SELECT count(*) FROM regions WHERE region_display_name = 'London'",
                          "SELECT count(*) FROM games WHERE display_name = 'one'",
                          "SELECT count(*) FROM namespaces WHERE name = 'prod' AND removed = 1"})
    CHECK(db->read_integer(sql, "look") == 1);
}

TEST_CASE("what is referred to is not removed") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  REQUIRE(opened->import_catalog(small_document()));
  const auto before = opened->load_catalog();
  CHECK(opened->remove(game(1)).error().code == base::errc::still_referred);
  CHECK(opened->remove(key(element_kind::region, "lon")).error().code ==
        base::errc::still_referred);
  CHECK(opened->load_catalog() == before);
  CHECK(opened->remove(key(element_kind::region, "fra")).has_value());
  CHECK(opened->remove(game(2)).has_value());
}

TEST_CASE("an import brings back what was removed, as it says now") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  REQUIRE(opened->import_catalog(small_document()));
  const auto before = opened->load_catalog();
  for (const auto& each : {space(1), game(1), game(2), key(element_kind::region, "lon"),
                           key(element_kind::tier, "basic-1d1")})
    REQUIRE(opened->remove(each).has_value());
  auto document = small_document();
  document.tiers = {"basic-1d1"};
  const auto done = opened->import_catalog(document);
  REQUIRE(done.has_value());
  CHECK(done->added == 5);
  auto after = *opened->load_catalog();
  after.revision = before->revision;
  CHECK(after == *before);
  CHECK(opened->import_catalog(document)->added == 0);
}

TEST_CASE("a removed namespace gives its domain and its regions up") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  REQUIRE(opened->import_catalog(small_document()));
  model::catalog_document taker;
  taker.games = {{numbered(2), "two"}};
  taker.namespaces = {{numbered(2), numbered(2), "prod", {"a.example"}, {}}};
  CHECK(opened->import_catalog(taker).error().code == base::errc::import_invalid);
  REQUIRE(opened->remove(space(1)).has_value());
  REQUIRE(opened->import_catalog(taker).has_value());
  CHECK(opened->load_catalog()->find_namespace_of_domain("a.example")->namespace_id == numbered(2));
  CHECK(opened->remove(key(element_kind::region, "lon")).has_value());
}

TEST_CASE("a removed namespace comes back to its own game only") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  REQUIRE(opened->import_catalog(small_document()));
  REQUIRE(opened->remove(space(1)).has_value());
  const auto before = opened->load_catalog();
  auto moved = small_document();
  moved.namespaces[0].game_id = numbered(2);
  const auto refused = opened->import_catalog(moved);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::import_invalid);
  CHECK(refused.error().detail == "namespace " + to_string(numbered(1)) +
                                      ": was removed from game " + to_string(numbered(1)) +
                                      " and cannot return to game " + to_string(numbered(2)) +
                                      "; give the new namespace an id of its own");
  CHECK(opened->load_catalog() == before);
  CHECK(opened->import_catalog(small_document()).has_value());
}

TEST_CASE("imports and removals in any order leave what the model says") {
  const temporary_directory directory;
  int round = 0;
  REQUIRE(rc::check([&] {
    auto opened = store::open_sqlite(directory.path() + "/" + std::to_string(round++));
    RC_ASSERT(opened.has_value());
    model::catalog expected;
    expected.tiers = model::default_tiers();
    const auto steps = *rc::gen::inRange(1, 8);
    for (int i = 0; i < steps; ++i) {
      if (*rc::gen::inRange(0, 3) == 0) {
        const auto document = fixtures::any_document();
        RC_ASSERT((*opened)->import_catalog(document).has_value());
        expected = *merge(expected, document);
      } else {
        const auto n = *rc::gen::inRange<std::uint8_t>(0, 6);
        const auto which = *rc::gen::elementOf(std::vector<element_key>{
            game(n), space(n), key(element_kind::region, "r" + std::to_string(n)),
            key(element_kind::tier, "t" + std::to_string(n))});
        const auto removed = (*opened)->remove(which);
        const auto left = without(expected, which);
        RC_ASSERT(removed.has_value() == left.has_value());
        if (left)
          expected = *left;
        else
          RC_ASSERT((removed.error() == left.error()));
      }
      RC_ASSERT(((*opened)->load_catalog() == expected));
    }
  }));
}

} // namespace
