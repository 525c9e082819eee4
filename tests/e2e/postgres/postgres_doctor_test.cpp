// `matchcloud doctor` on a store in PostgreSQL.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/diagnosis.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_server;

/// How many tables and indices the schema has, and how many rows were ever changed.
std::string tables_in(const std::string& administrator) {
  return fixtures::postgres_session{administrator}.value(
      "SELECT count(*) || ' ' || coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM "
      "pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relnamespace = "
      "to_regnamespace('matchcloud')");
}

std::string database_in(const std::string& uri) {
  const auto start = uri.find('/', uri.find("://") + 3) + 1;
  return uri.substr(start, uri.find('?') - start);
}

TEST_CASE("doctor finds nothing wrong with a database that is empty, or has a store",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto uri = postgres.new_database();
  {
    const fixtures::temporary_directory directory;
    serve_store(directory.path(), store_url{uri});
    const auto got = doctor(directory.path(), kernels_ports);
    INFO(got.shown());
    CHECK(got.exit_code() == 0);
    CHECK(got.has("store", "ok", "PostgreSQL 1"));
    CHECK(got.has("store", "ok", "the first start creates it"));
    CHECK(got.has("clock", "ok", "the database's"));
    CHECK(got.has("secrets", "ok", "the master key can be read"));
    CHECK(tables_in(postgres.administrator(database_in(uri))).starts_with("0 "));
  }
  const world in{store_url{uri}};
  const auto before = tables_in(postgres.administrator(database_in(uri)));
  const auto got = doctor(in.data_dir(), kernels_ports);
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.has("store", "ok", "schema version "));
  CHECK(tables_in(postgres.administrator(database_in(uri))) == before);
}

TEST_CASE("doctor names the privileges that a role lacks", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto uri = postgres.new_database();
  postgres.execute("CREATE ROLE guest LOGIN");
  const auto user = uri.find("user=") + 5;
  const auto as_guest =
      uri.substr(0, user) + "guest" + uri.substr(std::min(uri.find('&', user), uri.size()));
  const auto guests_doctor = [&] {
    const fixtures::temporary_directory directory;
    serve_store(directory.path(), store_url{as_guest});
    return doctor(directory.path(), kernels_ports);
  };
  const auto empty = guests_doctor();
  INFO(empty.shown());
  CHECK(empty.has("store", "error", "may not create the schema"));
  const world in{store_url{uri}};
  fixtures::postgres_session{postgres.administrator(database_in(uri))}.execute(
      "GRANT USAGE ON SCHEMA matchcloud TO guest; "
      "GRANT SELECT ON ALL TABLES IN SCHEMA matchcloud TO guest");
  const auto full = guests_doctor();
  INFO(full.shown());
  CHECK(full.has("store", "error", "lacks DELETE, INSERT, UPDATE on matchcloud.lobbies"));
}

TEST_CASE("doctor says that a database does not answer, and does not wait for long",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const world in{store_url{postgres.new_database()}};
  SECTION("it is away") {
    postgres.stop();
  }
  SECTION("it is silent") {
    postgres.pause();
  }
  const deadline soon{milliseconds{15'000}};
  const auto got = doctor(in.data_dir(), kernels_ports);
  CHECK_FALSE(soon.passed());
  postgres.resume();
  INFO(got.shown());
  CHECK(got.exit_code() == 1);
  CHECK(got.has("store", "error", "cannot connect"));
  CHECK(got.has("store", "error", "serve would keep trying for 300 s"));
  // Everything else is checked nevertheless.
  CHECK(got.has("ports", "ok"));
  CHECK(got.has("secrets", "ok"));
}

} // namespace
