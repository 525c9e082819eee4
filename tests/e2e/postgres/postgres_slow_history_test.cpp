// A lobby history that PostgreSQL cannot read in the time of a statement: asking again would end
// the same way, so nobody is told to.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/tokens.hpp"

#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_session;

const std::string slow_game{demo_game};
const std::string whole_january = R"({"query_start":1767225600000,"query_end":1769904000000})";

struct slow_store {
  fixtures::postgres_server postgres{};
  std::string url = postgres.new_database();
  world of{store_url{url}};
  server at{{"--store-statement-timeout-ms", "300"}, of};

  answer export_history() const {
    raw_connection client{at.data()};
    return client.ask(request(
        "POST", "/cloud/games/" + slow_game + "/matchmaker/lobbies/export-history", whole_january));
  }
  answer ask(const std::string& what) const {
    return ask_ops(at, "GET", "/v1/games/" + slow_game + "/lobbies" + what);
  }
};

void check_too_slow(const answer& got) {
  CHECK(got.status == 504);
  CHECK(got.problem_code() == "history_too_slow");
  CHECK(got.header("retry-after").empty());
  CHECK(got.body.find("store-statement-timeout-ms") != std::string::npos);
  CHECK(got.body.find("SQLSTATE") == std::string::npos);
}

TEST_CASE("a history that takes too long to read is refused for good, by a code of its own",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const slow_store on;
  postgres_session other{on.url};
  other.execute("SET search_path = matchcloud");
  // Each statement that reads lobbies counts to ten million first.
  other.execute(
      "ALTER TABLE lobbies RENAME TO fast; CREATE VIEW lobbies AS SELECT * FROM fast WHERE "
      "(SELECT count(*) FROM generate_series(1, 10000000)) > 0");
  check_too_slow(on.export_history());
  check_too_slow(on.ask("?start=1767225600000&end=1769904000000"));
  check_too_slow(on.ask("/running"));
  other.execute("DROP VIEW lobbies; ALTER TABLE fast RENAME TO lobbies");
  CHECK(on.export_history().status == 200);
  CHECK(on.ask("/running").status == 200);
}

TEST_CASE("a history that somebody has locked is to be asked for again", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const slow_store on;
  {
    postgres_session other{on.url};
    other.execute("BEGIN; LOCK TABLE matchcloud.lobbies");
    const auto got = on.export_history();
    CHECK(got.status == 503);
    CHECK(got.problem_code() == "store_failed");
    CHECK_FALSE(got.header("retry-after").empty());
  }
  CHECK(on.export_history().status == 200);
}

} // namespace
