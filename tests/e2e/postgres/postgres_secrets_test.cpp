// What a store in PostgreSQL keeps to itself, and which servers it is not looked for at.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
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
using matchcloud::fixtures::contains;

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
                                   "postgresql://127.0.0.1:1/db?password=" + password,
                                   "postgres://user:" + password + "@127.0.0.1:1/db?nonsense=1",
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
  for (const std::string& url : {std::string{"postgresql://192.0.2.1/db"},
                                 std::string{"postgresql://192.0.2.1/db?sslmode=disable"},
                                 std::string{"postgresql://192.0.2.1/db?sslmode=require"},
                                 std::string{"postgresql://192.0.2.1/db?sslmode=verify-ca"},
                                 std::string{"postgresql://127.0.0.1,192.0.2.1/db"},
                                 std::string{"postgresql:///db?host=/tmp,192.0.2.1"},
                                 std::string{"postgresql://localhost/db?hostaddr=192.0.2.1"},
                                 std::string{"postgresql://[2001:db8::1]/db"}})
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

} // namespace
