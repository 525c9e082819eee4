// A service, and `matchcloud doctor`, while PostgreSQL cannot be reached or is not as it should be.
#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/diagnosis.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_server;
using matchcloud::fixtures::contains;

/// A service whose server is stopped, as it starts.
struct early_service {
  postgres_server postgres;
  world of{store_url{postgres.new_database()}};
  std::unique_ptr<child_process> process;

  explicit early_service(const arguments& more = {}) {
    postgres.stop();
    arguments all{"serve",       "--data-dir",   of.data_dir(), "--listen",
                  "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    process = std::make_unique<child_process>(all);
  }
  std::string log() const { return process->errors(); }
  address ops() const { return waiting_ops_plane(*process); }
};

answer ask(const address& where, const std::string& path, const std::string& more = {}) {
  return raw_connection{where}.ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more +
                                   "\r\n");
}

TEST_CASE("a service whose database is away when it starts waits, unready, then serves",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  early_service on;
  const auto ops = on.ops();
  CHECK(ask(ops, "/healthz").status == 200);
  const auto ready = ask(ops, "/readyz");
  CHECK(ready.status == 503);
  CHECK(ready.body == R"({"ready":false,"reason":"starting"})");
  // A token that nobody can look up is not refused: its owner is asked to come back.
  const auto token = model::make_token_text(model::token_kind::admin);
  for (const auto& shown : {std::string{}, "Authorization: Bearer " + token + "\r\n"}) {
    const auto refused = ask(ops, "/v1/tiers", shown);
    CHECK(refused.status == 503);
    CHECK(refused.problem_code() == "store_failed");
    CHECK_FALSE(refused.header("retry-after").empty());
  }
  on.postgres.start();
  std::optional<std::string> line;
  do {
    line = on.process->next_line();
    REQUIRE(line);
  } while (!line->starts_with("ops plane on "));
  CHECK(ask(ops, "/readyz").status == 200);
  const auto log = on.log();
  CHECK(contains(log, "the store answers"));
  // A line a minute, however often it was tried.
  CHECK(log.find("not ready: ") == log.rfind("not ready: "));
  on.process->signal(SIGTERM);
  CHECK(on.process->exit_code() == 0);
}

TEST_CASE("a service that waits for its database ends at a signal, or when its time is over",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  SECTION("a signal") {
    early_service on;
    on.ops();
    on.process->signal(SIGTERM);
    CHECK(on.process->exit_code() == 0);
  }
  SECTION("no time") {
    early_service on{{"--start-wait-ms", "0"}};
    CHECK(on.process->exit_code() == 1);
    CHECK_FALSE(contains(on.log(), "waiting for the store"));
  }
  SECTION("some time") {
    early_service on{{"--start-wait-ms", "1500"}};
    CHECK(on.process->exit_code() == 1);
    CHECK(contains(on.log(), "gave up after start-wait-ms"));
  }
}

TEST_CASE("a service does not wait for the store where waiting cannot help", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const postgres_server postgres;
  const fixtures::temporary_directory directory;
  serve_store(directory.path(), store_url{postgres.connection_string("no_such_database")});
  child_process process{{"serve", "--data-dir", directory.path(), "--listen", "127.0.0.1:0",
                         "--ops-listen", "127.0.0.1:0"}};
  CHECK(process.exit_code() == 1);
  CHECK(process.says("does not exist"));
  CHECK_FALSE(contains(process.errors(), "waiting for the store"));
}

// -- doctor ------------------------------------------------------------------

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
    const postgres_server second;
    const auto name = database_in(in.store().text);
    second.execute("CREATE DATABASE " + name + " OWNER matchcloud");
    const auto url = fixtures::either(in.store().text, second.connection_string(name));
    postgres.pause();
    const fixtures::temporary_directory directory;
    serve_store(directory.path(), store_url{url + "&connect_timeout=2"});
    const auto passed_over = run({"demo", "--data-dir", directory.path()});
    INFO(passed_over.errors);
    CHECK(passed_over.exit_code == 0);
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
