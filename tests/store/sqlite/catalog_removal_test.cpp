#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/catalog_documents.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace {

using namespace matchcloud;
using fixtures::numbered;
using fixtures::temporary_directory;
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

TEST_CASE("a removed element keeps its row, with its name, for history") {
  const temporary_directory directory;
  {
    const auto catalog = store::open_sqlite(directory.path()).value()->catalog().value();
    REQUIRE(catalog->import_document(small_document()));
    for (const auto& each : {space(1), game(1), key(element_kind::region, "lon")})
      REQUIRE(catalog->remove(each).has_value());
  }
  auto db = store::sqlite_connection::open(directory.path() + "/matchcloud.db");
  for (const auto* sql : {"SELECT count(*) FROM regions WHERE region_display_name = 'London'",
                          "SELECT count(*) FROM games WHERE display_name = 'one'",
                          "SELECT count(*) FROM namespaces WHERE name = 'prod' AND removed = 1"})
    CHECK(db.read_integer(sql, "look") == 1);
}

} // namespace
