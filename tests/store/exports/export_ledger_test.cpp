#include "store/exports/export_ledger.hpp"

#include "tests/store/exports/export_fixture.hpp"

namespace matchcloud::store {

namespace {

TEST_CASE("bytes are taken up to exactly the limit, also after others went beyond it") {
  export_ledger ledger{10, 100};
  CHECK_FALSE(ledger.try_take(11));
  CHECK(ledger.try_take(4));
  CHECK_FALSE(ledger.try_take(UINT64_MAX));
  CHECK(ledger.try_take(6));
  CHECK(ledger.try_take(0));
  CHECK(ledger.is_full());
  ledger.give_back(10);
  ledger.record(export_id_of(1), 30); // from another process
  CHECK_FALSE(ledger.try_take(1));
  CHECK(ledger.used_bytes() == 30);
  ledger.record(export_id_of(1), 3);
  CHECK(ledger.try_take(7));
}

TEST_CASE("what was taken becomes what a finished export has, once") {
  export_ledger ledger{100, 100};
  REQUIRE(ledger.try_take(20));
  ledger.record(export_id_of(1), 20, 20);
  CHECK(ledger.used_bytes() == 20);
  REQUIRE(ledger.try_take(5));
  ledger.record(export_id_of(1), 25, 5);
  ledger.record(export_id_of(1), 25);
  CHECK(ledger.used_bytes() == 25);
  ledger.forget(export_id_of(1));
  ledger.forget(export_id_of(1));
  CHECK(ledger.used_bytes() == 0);
  CHECK(ledger.recorded().empty());
}

TEST_CASE("so many exports and no more, however small") {
  export_ledger ledger{100, 2};
  ledger.record(export_id_of(1), 0);
  CHECK_FALSE(ledger.is_full());
  ledger.record(export_id_of(2), 0);
  CHECK(ledger.is_full());
  ledger.forget(export_id_of(1));
  CHECK_FALSE(ledger.is_full());
}

} // namespace

} // namespace matchcloud::store
