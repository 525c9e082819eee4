#include "store/exports/export_ledger.hpp"

#include "tests/store/exports/export_fixture.hpp"

namespace matchcloud::store {

namespace {

const auto game = export_id_of(101);
const auto neighbour = export_id_of(102);

TEST_CASE("bytes are taken up to exactly the limit, also after others went beyond it") {
  export_ledger ledger{{10}};
  CHECK_FALSE(ledger.take(game, 11));
  CHECK(ledger.take(game, 4));
  CHECK_FALSE(ledger.take(game, UINT64_MAX));
  CHECK(ledger.take(neighbour, 6));
  CHECK(ledger.take(game, 0));
  CHECK_FALSE(ledger.check_another(game));
  ledger.give_back(game, 4);
  ledger.give_back(neighbour, 6);
  ledger.recount({{game, {1, 30}}}); // from another process
  CHECK_FALSE(ledger.take(neighbour, 1));
  CHECK(ledger.used_bytes() == 30);
  ledger.recount({{game, {1, 3}}});
  CHECK(ledger.take(neighbour, 7));
}

TEST_CASE("what was taken becomes what a finished export has, once") {
  export_ledger ledger{{100}};
  REQUIRE(ledger.take(game, 20));
  ledger.add_finished(game, {1, 20});
  CHECK(ledger.used_bytes() == 20);
  REQUIRE(ledger.take(game, 5));
  ledger.add_finished(game, {0, 5});
  CHECK(ledger.used_bytes() == 25);
  ledger.remove_finished(game, 25);
  ledger.remove_finished(game, 25);
  CHECK(ledger.used_bytes() == 0);
}

TEST_CASE("so many exports and no more, however small") {
  export_ledger ledger{{100, 100, 2}};
  ledger.add_finished(game, {1, 0});
  CHECK(ledger.check_another(game));
  ledger.add_finished(game, {1, 0});
  CHECK_FALSE(ledger.check_another(neighbour));
  ledger.remove_finished(game, 0);
  CHECK(ledger.check_another(neighbour));
}

TEST_CASE("a game uses its share of the space, and the rest is there for others") {
  export_ledger ledger{{100, 60}};
  REQUIRE(ledger.take(game, 40));
  ledger.add_finished(game, {1, 40});
  REQUIRE(ledger.take(game, 20));
  const auto refused = ledger.take(game, 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::exports_full);
  CHECK(refused.error().detail.find("60 bytes, export-share-percent") != std::string::npos);
  CHECK_FALSE(ledger.check_another(game));
  CHECK(ledger.refused_by_share() == 2);
  CHECK(ledger.check_another(neighbour));
  REQUIRE(ledger.take(neighbour, 40));
  CHECK(ledger.take(neighbour, 1).error() == store::exports_full().value());
  CHECK(ledger.refused_by_share() == 2);
  ledger.remove_finished(game, 40); // its URLs have expired
  CHECK(ledger.take(game, 40));
}

TEST_CASE("a game has its share of the number of exports, at least one") {
  export_ledger ledger{{100, 50, 4}};
  ledger.add_finished(game, {1, 0});
  CHECK(ledger.check_another(game));
  ledger.add_finished(game, {1, 0});
  CHECK_FALSE(ledger.check_another(game));
  CHECK(ledger.check_another(neighbour));
  export_ledger least{{100, 1, 4}};
  CHECK(least.check_another(game));
  least.add_finished(game, {1, 0});
  CHECK_FALSE(least.check_another(game));
}

TEST_CASE(
    "finished bytes by game are counted again, apart from those taken, and never below nothing") {
  export_ledger ledger{{100, 100, 3}};
  REQUIRE(ledger.take(game, 20));
  ledger.recount({{game, {1, 10}}, {neighbour, {1, 30}}});
  CHECK(ledger.used_bytes() == 60);
  ledger.add_finished(game, {1, 20}); // its bytes were taken
  CHECK(ledger.used_bytes() == 60);
  CHECK_FALSE(ledger.check_another(game)); // three exports
  ledger.remove_finished(neighbour, 40);
  CHECK(ledger.used_bytes() == 30);
  ledger.remove_finished(neighbour, 40);
  CHECK(ledger.used_bytes() == 30);
  CHECK(ledger.check_another(neighbour));
  REQUIRE(ledger.take(game, 5));
  ledger.recount({{neighbour, {1, 1}}});
  CHECK(ledger.used_bytes() == 6);
}

TEST_CASE("taken bytes go back with what took them unless they are kept") {
  export_ledger ledger{{100}};
  {
    taken_bytes lost{ledger, game};
    REQUIRE(lost.take(20));
    CHECK_FALSE(lost.take(90));
    CHECK(lost.bytes() == 20);
    taken_bytes kept{ledger, game};
    REQUIRE(kept.take(5));
    CHECK(kept.keep() == 5);
    CHECK(ledger.used_bytes() == 25);
  }
  CHECK(ledger.used_bytes() == 5);
}

} // namespace

} // namespace matchcloud::store
