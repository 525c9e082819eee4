// Compares imports with a simple model: maps from id to element.
#include "tests/fixtures/catalog_documents.hpp"
#include "tests/store/conformance/engines.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace {

using namespace matchcloud;
using fixtures::any_document;

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
  const auto& engine = store::each_engine();
  REQUIRE(rc::check([&] {
    const store::conforming_store in{engine};
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
  const store::conforming_store in;
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
