// A service that starts while PostgreSQL cannot be reached.
#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/server.hpp"

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

} // namespace
