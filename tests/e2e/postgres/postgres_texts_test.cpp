// Which texts a store in PostgreSQL holds, what it says of those that it does not, and where what
// the server has to say goes.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/server.hpp"

#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_server;
using fixtures::postgres_session;
using matchcloud::fixtures::contains;

std::string name_in(const std::string& uri) {
  const auto begin = uri.find('/', uri.find("//") + 2) + 1;
  return uri.substr(begin, uri.find('?') - begin);
}

/// An ended lobby whose version has a name in JSON, quotes included.
std::string line_with(std::size_t number, const std::string& version_name) {
  auto line = lobby_line(number);
  const std::string before = R"("1.0")";
  return line.replace(line.find(before), before.size(), version_name);
}

answer post(const server& to, const std::string& lines) {
  return to.ask_ops_plane("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n"
                          "Content-Type: application/x-ndjson\r\nContent-Length: " +
                          std::to_string(lines.size()) + "\r\n\r\n" + lines);
}

TEST_CASE("a database that is not UTF8 is refused by every command, with what to do",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  for (const std::string encoding : {"LATIN1", "SQL_ASCII"}) {
    const fixtures::temporary_directory directory;
    const auto name = "db_" + encoding;
    postgres.execute("CREATE DATABASE \"" + name + "\" OWNER matchcloud ENCODING '" + encoding +
                     "' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'");
    const auto url = postgres.connection_string(name);
    serve_store(directory.path(), store_url{url});
    const auto dir = directory.path();
    for (const auto& command :
         std::vector<arguments>{{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"},
                                {"demo"},
                                {"catalog", "list", "games"},
                                {"token", "list"},
                                {"token", "create", "--kind", "admin", "--name", "x"},
                                {"audit"},
                                {"signing-key", "rotate"},
                                {"objects", "check"}}) {
      auto all = command;
      all.insert(all.end(), {"--data-dir", dir});
      const auto done = run(all);
      CAPTURE(encoding, command, done.errors);
      CHECK(done.exit_code != 0);
      CHECK(contains(done.errors, "the database has the encoding " + encoding));
      CHECK(contains(done.errors, "createdb -E UTF8 -T template0"));
      CHECK_FALSE(contains(done.errors, "waiting for the store"));
    }
    CHECK(postgres_session{postgres.administrator(name)}.value(
              "SELECT count(*) FROM pg_namespace WHERE nspname = 'matchcloud'") == "0");
  }
  // What the advice makes is accepted.
  postgres.execute("CREATE DATABASE better OWNER matchcloud ENCODING 'UTF8' TEMPLATE template0 "
                   "LOCALE 'C'");
  const fixtures::temporary_directory directory;
  serve_store(directory.path(), store_url{postgres.connection_string("better")});
  CHECK(run({"demo", "--data-dir", directory.path()}).exit_code == 0);
}

TEST_CASE("every character is kept or refused with its line, as in the embedded store",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  // Neither the connection string nor the role has this program speak another encoding.
  postgres.execute("ALTER ROLE matchcloud SET client_encoding = 'SQL_ASCII'");
  const world served{store_url{postgres.new_database() + "&client_encoding=LATIN1"}};
  const world embedded{store_url{}};
  const server one{{}, served};
  const server other{{}, embedded};
  std::size_t number = 0;
  std::string all;
  std::size_t accepted = 0;
  const std::vector<std::string> names{
      R"("\u0000")",       R"("a\u0000b")", R"("\u0001")",       R"("\ud800")", R"("\udc00\ud800")",
      R"("\ud83d\ude00")", R"("\ufffe")",   R"("\uffff")",       R"("\ufdd0")", R"("\udbff\udfff")",
      R"("\u00e9")",       "\"\xc3\xa9\"",  "\"\xff\"",          R"("\u0085")", R"("\u007f")",
      R"("\ufeffx")",      R"("\u20ac")",   R"("\ud840\udc00")", R"("\\")",     R"("'\";--")",
      R"("{}")",           R"("\\x41")",    R"("\u00a0x")",      R"("ok")"};
  for (const auto& name : names) {
    const auto line = line_with(number++, name);
    all += line;
    const auto got = post(one, line);
    CAPTURE(name, got.body);
    CHECK(got.header("retry-after").empty());
    CHECK(got.status < 500);
    CHECK(got.body == post(other, line).body);
    if (contains(got.body, R"("accepted":1)")) ++accepted;
  }
  CHECK(accepted >= 8);
  // All of them in one batch: each bad line is named, and the good ones count.
  const auto got = post(one, all);
  CHECK(got.status < 500);
  CHECK(got.body == post(other, all).body);
  CHECK(contains(got.body, R"("unchanged":)" + std::to_string(accepted)));
}

TEST_CASE("a statement that the server refuses for what is in it is no outage", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  const world of{store_url{url}};
  const server on{{}, of};
  CHECK(post(on, lobby_line(1)).status == 200);
  postgres_session{url}.execute("ALTER TABLE matchcloud.lobby_kinds ADD CONSTRAINT taste CHECK "
                                "(version_name <> 'odd')");
  const auto failures = on.metric("matchcloud_store_sessions_failed_total");
  const auto opened = on.metric("matchcloud_store_sessions_opened_total");
  for (int i = 0; i < 3; ++i) {
    const auto got = post(on, line_with(2, R"("odd")"));
    CAPTURE(got.body);
    CHECK(got.status == 500);
    CHECK(got.header("retry-after").empty());
    CHECK(contains(got.body, R"("code":"internal")"));
    CHECK_FALSE(contains(got.body, "taste"));
    CHECK_FALSE(contains(got.body, "out of reach"));
    CHECK(post(on, line_with(3, R"("even")")).status == 200);
  }
  // What was rolled back with it is not taken for known by the connection that stays.
  CHECK(post(on, line_with(4, R"("fresh")") + line_with(2, R"("odd")")).status == 500);
  CHECK(contains(post(on, line_with(4, R"("fresh")")).body, R"("accepted":1)"));
  CHECK(postgres_session{url}.value(
            "SELECT version_name FROM matchcloud.lobbies JOIN matchcloud.lobby_kinds USING (kind) "
            "WHERE lobby_id = '00000000-0000-4000-8000-000000000004'") == "fresh");
  CHECK(on.process().says("[SQLSTATE 23514]"));
  CHECK(on.ready_status() == 200);
  // Connections are kept.
  CHECK(on.metric("matchcloud_store_sessions_failed_total") == failures);
  CHECK(on.metric("matchcloud_store_sessions_opened_total") <= opened + 1);
}

TEST_CASE("what the server has to say goes to the log, a line each", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  const world of{store_url{url}};
  postgres_session{url}.execute(
      "CREATE FUNCTION matchcloud.speak() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "RAISE WARNING E'first\\nsecond % end', repeat('x', 5000) USING HINT = 'never shown'; "
      "RAISE NOTICE 'in passing'; RETURN NEW; END $$; "
      "CREATE TRIGGER speaks BEFORE INSERT ON matchcloud.lobby_kinds FOR EACH ROW EXECUTE FUNCTION "
      "matchcloud.speak()");
  // As after an upgrade of the server's ICU: it warns of that while a connection begins.
  postgres.execute("UPDATE pg_database SET datcollversion = '0' WHERE datname = '" + name_in(url) +
                   "'");
  const server on{{}, of};
  CHECK(post(on, line_with(1, R"("new")")).status == 200);
  REQUIRE(eventually([&] { return contains(on.process().errors(), "in passing"); }));
  const auto log = on.process().errors();
  INFO(log);
  CHECK(contains(log, "collation version mismatch"));
  CHECK(contains(log, ": first second xxx"));
  CHECK_FALSE(contains(log, "never shown"));
  CHECK_FALSE(contains(log, std::string(1'001, 'x')));
  // Not as libpq writes them to stderr.
  for (const std::string raw : {"\nWARNING:", "\nNOTICE:", "\nsecond", "\nHINT:"})
    CHECK_FALSE(contains("\n" + log, raw));
}

TEST_CASE("a host that takes connections and says nothing is passed over for the next",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server silent{{.tcp = true}};
  postgres_server answers{{.tcp = true}};
  silent.pause();
  const auto at = [](const postgres_server& each) { return std::to_string(each.where().port); };
  answers.execute("CREATE DATABASE other OWNER matchcloud");
  const fixtures::temporary_directory directory;
  serve_store(directory.path(),
              store_url{"postgresql://matchcloud@127.0.0.1:" + at(silent) +
                        ",127.0.0.1:" + at(answers) + "/other?connect_timeout=2"});
  const auto done = run({"demo", "--data-dir", directory.path()});
  CAPTURE(done.errors);
  CHECK(done.exit_code == 0);
  silent.resume();
}

} // namespace
