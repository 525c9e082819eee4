#include "tests/fixtures/catalog_documents.hpp"
#include "tests/store/conformance/engines.hpp"

#include <rapidcheck.h>

namespace {

using namespace matchcloud;
using fixtures::numbered;
using model::element_key;
using model::element_kind;

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
  const store::conforming_store in;
  const store::all_roles other{in.open()};
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
  CHECK(store::had(in.open())->catalog().value()->load() == other.catalog->load());
}

TEST_CASE("what is referred to is not removed", "[engines]") {
  const store::conforming_store in;
  REQUIRE(in.catalog->import_document(small_document()));
  const auto before = in.catalog->load();
  CHECK(in.catalog->remove(game(1)).error().code == base::errc::still_referred);
  CHECK(in.catalog->remove(key(element_kind::region, "lon")).error().code ==
        base::errc::still_referred);
  CHECK(in.catalog->load() == before);
  CHECK(in.catalog->remove(key(element_kind::region, "fra")).has_value());
  CHECK(in.catalog->remove(game(2)).has_value());
}

TEST_CASE("an import brings back what was removed, as it says now", "[engines]") {
  const store::conforming_store in;
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
  const store::conforming_store in;
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
  const store::conforming_store in;
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
  const auto& engine = store::each_engine();
  REQUIRE(rc::check([&] {
    const store::conforming_store in{engine};
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

} // namespace
