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
  return had(postgres_connection::open(settings));
}

void check_names_pooler(const base::expected<std::int64_t>& failed) {
  REQUIRE_FALSE(failed.has_value());
  INFO(failed.error().detail);
  CHECK(failed.error().detail.find("pooler") != std::string::npos);
  CHECK(failed.error().detail.find("connect to the server directly") != std::string::npos);
}

TEST_CASE("prepared statements that are gone are blamed on a pooler", "[.postgres]") {
  const auto on = connected();
  CHECK(had(select_integer(*on, one)) == 1);
  had(on->execute("DEALLOCATE ALL", "act like a pooler"));
  check_names_pooler(select_integer(*on, one));
}

TEST_CASE("prepared statements of another client are blamed on a pooler", "[.postgres]") {
  const auto on = connected();
  had(on->execute("PREPARE c0 AS SELECT 2", "act like a pooler"));
  check_names_pooler(select_integer(*on, one));
}

TEST_CASE("what was only read counts as no rollback on the server", "[.postgres]") {
  const auto on = connected();
  {
    const auto reading = had(sql_transaction::read(*on, "read"));
    CHECK(had(select_integer(*on, one)) == 1);
  }
  // It is still open, or else this one could not begin.
  const auto again = had(sql_transaction::read(*on, "read"));
  CHECK(had(select_integer(*on, one)) == 1);
  static constexpr sql_command rollbacks{
      "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()", "count"};
  CHECK(had(select_integer(*on, rollbacks)) == 0);
}

TEST_CASE("a statement that runs out of time is told apart, and the connection stays",
          "[.postgres]") {
  const auto on = connected();
  had(on->limit_time(std::chrono::milliseconds{50}));
  static constexpr sql_command slow{"SELECT count(*) FROM generate_series(1, 100000000)", "count"};
  {
    const auto reading = had(sql_transaction::read(*on, "read"));
    CHECK_FALSE(on->ran_out_of_time());
    CHECK(select_integer(*on, slow).error().code == base::errc::store_failed);
    CHECK(on->ran_out_of_time());
  }
  CHECK_FALSE(on->has_failed());
  const auto again = had(sql_transaction::read(*on, "read"));
  CHECK_FALSE(on->ran_out_of_time());
  CHECK(had(select_integer(*on, one)) == 1);
}

} // namespace
} // namespace matchcloud::store
