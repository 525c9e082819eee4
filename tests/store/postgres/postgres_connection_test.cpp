#include "store/postgres/postgres.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/store_fixture.hpp"

#include <string>

namespace matchcloud::store {
namespace {

constexpr sql_command one{"SELECT 1", "read a number"};

std::unique_ptr<postgres_connection> connected() {
  postgres_settings settings;
  settings.url = fixtures::shared_postgres().new_database();
  return postgres_connection::open(settings);
}

void check_names_pooler(const base::expected<std::int64_t>& failed) {
  REQUIRE_FALSE(failed.has_value());
  INFO(failed.error().detail);
  CHECK(failed.error().detail.find("pooler") != std::string::npos);
  CHECK(failed.error().detail.find("connect to the server directly") != std::string::npos);
}

TEST_CASE("prepared statements that are gone are blamed on a pooler", "[.postgres]") {
  const auto on = connected();
  CHECK(on->number(one) == 1);
  on->execute("DEALLOCATE ALL", "act like a pooler");
  check_names_pooler(base::attempt([&] { return on->number(one); }));
}

TEST_CASE("prepared statements of another client are blamed on a pooler", "[.postgres]") {
  const auto on = connected();
  on->execute("PREPARE c0 AS SELECT 2", "act like a pooler");
  check_names_pooler(base::attempt([&] { return on->number(one); }));
}

TEST_CASE("a query whose taker throws leaves a connection that goes on", "[.postgres]") {
  const auto on = connected();
  static constexpr sql_command numbers{"SELECT generate_series(1, 1000)", "read numbers"};
  const auto refuse = [](sql_row&) { throw base::failure{base::errc::cancelled, "enough"}; };
  CHECK_THROWS_AS(on->each(numbers, {}, refuse), base::failure);
  CHECK(on->all(numbers, {}, [](sql_row& row) { return row.integer(0); }).size() == 1'000);
  CHECK(on->is_usable());
}

TEST_CASE("what was only read counts as no rollback on the server", "[.postgres]") {
  const auto on = connected();
  {
    const auto reading = sql_transaction::read(*on, "read");
    CHECK(on->number(one) == 1);
  }
  // It is still open, or else this one could not begin.
  const auto again = sql_transaction::read(*on, "read");
  CHECK(on->number(one) == 1);
  static constexpr sql_command rollbacks{
      "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()", "count"};
  CHECK(on->number(rollbacks) == 0);
}

TEST_CASE("a statement that runs out of time is told apart, and the connection stays",
          "[.postgres]") {
  const auto on = connected();
  on->limit_time(std::chrono::milliseconds{50});
  static constexpr sql_command slow{"SELECT count(*) FROM generate_series(1, 100000000)", "count"};
  {
    const auto reading = sql_transaction::read(*on, "read");
    CHECK_FALSE(on->ran_out_of_time());
    const auto failed = base::attempt([&] { return on->number(slow); });
    CHECK(failed.error().code == base::errc::store_failed);
    CHECK(on->ran_out_of_time());
  }
  CHECK_FALSE(on->has_failed());
  const auto again = sql_transaction::read(*on, "read");
  CHECK_FALSE(on->ran_out_of_time());
  CHECK(on->number(one) == 1);
}

} // namespace
} // namespace matchcloud::store
