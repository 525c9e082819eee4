// A store in PostgreSQL: which texts it holds, what it keeps to itself, where what the server says
// goes, and histories that it cannot read in time.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
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
                                {"token", "list"}}) {
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

TEST_CASE("notices of the server go to the log, a line each", "[.postgres]") {
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

// -- secrets -----------------------------------------------------------------

const std::string password = "hunter2-is-secret";

/// All commands that take --store, without it.
std::vector<arguments> commands(const std::string& data_dir) {
  std::vector<arguments> all{{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"},
                             {"demo"},
                             {"token", "list"},
                             {"audit"},
                             {"catalog", "list", "games"},
                             {"signing-key", "rotate"}};
  for (auto& each : all)
    each.insert(each.end(), {"--data-dir", data_dir});
  return all;
}

TEST_CASE("a password in --store is refused, and told nowhere", "[operations]") {
  const fixtures::temporary_directory folder;
  for (auto command : commands(folder.path()))
    for (const std::string& url : {"postgresql://user:" + password + "@127.0.0.1:1/db",
                                   "postgresql://user:" + password + "@127.0.0.1:99999999/db%"}) {
      auto refused = command;
      refused.insert(refused.end(), {"--store", url});
      const auto got = run(refused);
      INFO(command.front() << ": " << got.errors);
      CHECK(got.exit_code == 2);
      CHECK_FALSE(contains(got.out + got.errors, password));
    }
}

TEST_CASE("a password in the environment is told nowhere when the server cannot be reached",
          "[operations]") {
  const fixtures::temporary_directory folder;
  const auto key = folder.file("key", std::string(64, 'a'));
  ::chmod(key.c_str(), 0600);
  for (const auto& command : commands(folder.path())) {
    const auto got =
        run(command, {"MATCHCLOUD_STORE=postgresql://user:" + password + "@127.0.0.1:1/db",
                      "MATCHCLOUD_MASTER_KEY_FILE=" + key, "MATCHCLOUD_START_WAIT_MS=0"});
    INFO(command.front() << ": " << got.errors);
    CHECK(got.exit_code == 1);
    CHECK(contains(got.errors, "postgresql://127.0.0.1:1/db"));
    CHECK_FALSE(contains(got.out + got.errors, password));
  }
}

TEST_CASE("a server beyond loopback that is not verified is refused at once", "[operations]") {
  const fixtures::temporary_directory folder;
  // What is verified is in tests/store/postgres/postgres_settings_test.cpp.
  for (const std::string url :
       {"postgresql://192.0.2.1/db?sslmode=verify-ca", "postgresql://127.0.0.1,192.0.2.1/db"})
    for (auto command : commands(folder.path())) {
      command.insert(command.end(), {"--store", url});
      // A command that connects is slow each time; a busy machine may hold up one start.
      auto quickest = clock::duration::max();
      for (int tries = 0; tries < 3 && quickest >= milliseconds{2'000}; ++tries) {
        const auto begun = clock::now();
        const auto got = run(command);
        quickest = std::min<clock::duration>(quickest, clock::now() - begun);
        INFO(command.front() << " " << url << ": " << got.errors);
        CHECK((got.exit_code == 1 || got.exit_code == 2));
        CHECK(contains(got.errors, "verify-full"));
      }
      CHECK(quickest < milliseconds{2'000});
    }
  // Unless that is allowed: then they try to connect, which fails here.
  for (auto command : commands(folder.path())) {
    command.insert(command.end(), {"--store", "postgresql://nobody.invalid/db?connect_timeout=2"});
    const auto got =
        run(command, {"MATCHCLOUD_STORE_UNVERIFIED=true", "MATCHCLOUD_START_WAIT_MS=0"});
    INFO(command.front() << ": " << got.errors);
    CHECK(got.exit_code == 1);
    CHECK_FALSE(contains(got.errors, "verify-full"));
  }
}

TEST_CASE("another master key than the store's ends the start, and says so", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const world of{store_url{postgres.new_database()}};
  { const server with_the_key{{}, of}; }
  const auto start = [&](const std::string& text, mode_t mode) {
    const auto key = of.directory().file("other-key", text);
    ::chmod(key.c_str(), mode);
    return run({"serve", "--data-dir", of.data_dir(), "--listen", "127.0.0.1:0", "--ops-listen",
                "127.0.0.1:0", "--master-key-file", key});
  };
  const auto wrong = start(std::string(64, 'b'), 0600);
  INFO(wrong.errors);
  CHECK(wrong.exit_code == 1);
  CHECK(contains(wrong.errors, "another master key"));
  const auto open_to_others = start(std::string(64, 'a'), 0644);
  CHECK(open_to_others.exit_code == 1);
  CHECK(contains(open_to_others.errors, "chmod o-rwx"));
  const auto no_key = start(std::string(63, 'a'), 0600);
  CHECK(no_key.exit_code == 1);
  CHECK(contains(no_key.errors, "64 hexadecimal digits"));
  CHECK_FALSE(contains(no_key.errors, "aaaaaaaa"));
}

/// All that the tables of the program hold, as text.
std::string dump_of(const std::string& url) {
  if (std::filesystem::exists("/usr/bin/pg_dump")) {
    const auto dumped = run({"--inserts", "--dbname=" + url}, {}, {}, "/usr/bin/pg_dump");
    INFO(dumped.errors);
    REQUIRE(dumped.exit_code == 0);
    return dumped.out;
  }
  fixtures::postgres_session session{url};
  std::string all;
  for (const auto& table : session.query(
           "SELECT table_name FROM information_schema.tables WHERE table_schema = 'matchcloud'"))
    for (const auto& row : session.query("SELECT t::text FROM matchcloud." + table[0] + " t"))
      all += row[0] + "\n";
  return all;
}

std::string hex_of(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const char each : text) {
    hex.push_back(digits[static_cast<unsigned char>(each) >> 4]);
    hex.push_back(digits[static_cast<unsigned char>(each) & 15]);
  }
  return hex;
}

TEST_CASE("a dump of the database has no secret", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const auto url = postgres.new_database();
  const world of{store_url{url}};
  const server at{{}, of};
  std::vector<std::string> secrets{std::string(64, 'a')};
  for (const std::string kind : {"admin", "studio"}) {
    const auto text = create_token(at, kind).text;
    secrets.push_back(text.substr(text.rfind('_') + 1, 20));
  }
  const auto dump = dump_of(url);
  CHECK(contains(dump, "signing-keys"));
  for (const auto& secret : secrets) {
    CHECK_FALSE(contains(dump, secret));
    CHECK_FALSE(contains(dump, hex_of(secret)));
  }
  // The text around a secret, as it would be in a file of secrets.
  CHECK_FALSE(contains(dump, hex_of("current ")));
  CHECK_FALSE(contains(dump, hex_of("Newest first")));
  // Nor is any of it in a file next to the database.
  for (const auto& each : std::filesystem::directory_iterator{of.data_dir()})
    CHECK(each.path().filename() != "signing-keys");
}

// -- slow histories ----------------------------------------------------------

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
