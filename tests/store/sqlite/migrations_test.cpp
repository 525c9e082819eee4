#include "store/open_sqlite.hpp"
#include "store/sqlite/migrations.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fstream>
#include <iterator>
#include <map>

namespace {

using namespace matchcloud;
using fixtures::temporary_directory;
using store::open_sqlite;
using store::sqlite_connection;

/// The parts of a newer program's store that this version checks: the application id and a higher
/// schema version. It does not say which programs may use it.
constexpr const char* newer_store =
    "PRAGMA application_id = 0x6D636C64; PRAGMA user_version = 99; CREATE TABLE later (x)";

sqlite_connection open_raw(const temporary_directory& directory) {
  auto opened = sqlite_connection::open(directory.path() + "/matchcloud.db");
  REQUIRE(opened.has_value());
  return std::move(*opened);
}

std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator{directory}) {
    std::ifstream in{entry.path(), std::ios::binary};
    found[entry.path().filename().string()] = {std::istreambuf_iterator<char>{in}, {}};
  }
  return found;
}

void check_refused(const temporary_directory& directory) {
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("schema version 99") != std::string::npos);
}

TEST_CASE("a store from a newer version is refused and stays as it is") {
  const temporary_directory directory;
  const char* journal = GENERATE("delete", "wal");
  {
    auto db = open_raw(directory);
    const auto mode = std::string{"PRAGMA journal_mode = "} + journal;
    REQUIRE(db.execute(mode.c_str(), "set up"));
    REQUIRE(db.execute(newer_store, "set up"));
  }
  const auto before = contents(directory.path());
  REQUIRE(before.size() == 1);
  check_refused(directory);
  CHECK(contents(directory.path()) == before);
}

TEST_CASE("a store that a newer version left with a log keeps it") {
  const temporary_directory directory;
  {
    auto db = open_raw(directory);
    REQUIRE(db.execute("PRAGMA journal_mode = WAL", "set up"));
    REQUIRE(db.execute(newer_store, "set up"));
    db.keep_log_on_close(); // as if the process had been killed
  }
  auto before = contents(directory.path());
  REQUIRE(before.contains("matchcloud.db-wal"));
  check_refused(directory);
  auto after = contents(directory.path());
  // The -shm file is an index that SQLite rebuilds.
  before.erase("matchcloud.db-shm");
  after.erase("matchcloud.db-shm");
  CHECK(after == before);
}

/// Makes a store of a version that this program does not know, as for programs that know
/// `least_program`.
void make_newer(const temporary_directory& directory, std::int64_t least_program) {
  REQUIRE(open_sqlite(directory.path()).has_value());
  const auto later = "UPDATE schema_version SET least_program = " + std::to_string(least_program) +
                     "; PRAGMA user_version = " + std::to_string(store::newest_schema() + 3) +
                     "; CREATE TABLE IF NOT EXISTS later (x)";
  REQUIRE(open_raw(directory).execute(later.c_str(), "set up"));
}

TEST_CASE("a store of a newer version that is for this program too is used and keeps its version") {
  const temporary_directory directory;
  make_newer(directory, store::newest_schema());
  {
    const auto opened = open_sqlite(directory.path());
    REQUIRE(opened.has_value());
    model::catalog_document document;
    document.games = {{{}, "Game"}};
    REQUIRE((*opened)->catalog().value()->import_document(document).has_value());
  }
  auto db = open_raw(directory);
  CHECK(store::check_schema(db) == store::newest_schema() + 3);
  CHECK(db.read_integer("SELECT count(*) FROM later", "read") == 0);
  CHECK(db.read_integer("SELECT count(*) FROM games", "read") == 1);
}

TEST_CASE("a program whose embedded store is made one for newer programs notices") {
  const temporary_directory directory;
  const auto opened = open_sqlite(directory.path());
  REQUIRE(opened.has_value());
  const auto feed = (*opened)->feed();
  REQUIRE(feed.has_value());
  CHECK((*feed)->changed() == true);
  make_newer(directory, store::newest_schema());
  CHECK((*feed)->changed() == true);
  make_newer(directory, store::newest_schema() + 1);
  const auto seen = (*feed)->changed();
  REQUIRE_FALSE(seen.has_value());
  CHECK(seen.error().code == base::errc::store_newer);
}

TEST_CASE("a store of a newer version that is for newer programs is refused and stays as it is") {
  const temporary_directory directory;
  make_newer(directory, store::newest_schema() + 1);
  const auto before = contents(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("for programs that know version " +
                                   std::to_string(store::newest_schema() + 1)) !=
        std::string::npos);
  CHECK(contents(directory.path()) == before);
}

TEST_CASE("stores of all earlier versions become the newest, and say for which programs") {
  const temporary_directory directory;
  const auto version = GENERATE(range(std::int64_t{1}, store::newest_schema()));
  {
    auto db = open_raw(directory);
    REQUIRE(migrate(db, version).has_value());
    REQUIRE(store::check_schema(db) == version);
  }
  REQUIRE(open_sqlite(directory.path()).has_value());
  auto db = open_raw(directory);
  CHECK(store::check_schema(db) == store::newest_schema());
  const auto least = db.read_integer("SELECT least_program FROM schema_version", "read");
  REQUIRE(least.has_value());
  CHECK(*least > 0);
  CHECK(*least <= store::newest_schema());
}

TEST_CASE("the newest schema is what a new store gets, and opening again changes nothing") {
  const temporary_directory directory;
  REQUIRE(open_sqlite(directory.path()).has_value());
  auto db = open_raw(directory);
  CHECK(db.read_integer("PRAGMA user_version", "read") == store::newest_schema());
  const auto before = contents(directory.path());
  CHECK(migrate(db).has_value());
  REQUIRE(open_sqlite(directory.path()).has_value());
  CHECK(contents(directory.path())["matchcloud.db"] == before.at("matchcloud.db"));
}

TEST_CASE("a store of the first version keeps its catalog, and takes what is new") {
  const temporary_directory directory;
  {
    auto db = open_raw(directory);
    REQUIRE(migrate(db, 1).has_value());
    REQUIRE(db.execute("INSERT INTO regions VALUES ('lon', 'London', 'Cloud', 51.5, -0.1);"
                       "INSERT INTO games VALUES (zeroblob(16), 'Game');"
                       "INSERT INTO namespaces VALUES (zeroblob(16), zeroblob(16), 'prod', 0);"
                       "INSERT INTO namespace_domains VALUES ('game.example', zeroblob(16));"
                       "INSERT INTO namespace_regions VALUES (zeroblob(16), 'lon');"
                       "UPDATE revisions SET revision = 7",
                       "set up"));
  }
  const auto opened = open_sqlite(directory.path());
  REQUIRE(opened.has_value());
  const auto catalog = (*opened)->catalog().value()->load();
  REQUIRE(catalog.has_value());
  CHECK(catalog->revision == 7);
  CHECK(catalog->regions == std::vector<model::region>{{"lon", "London", "Cloud", {51.5, -0.1}}});
  CHECK(catalog->tiers == model::default_tiers());
  CHECK(catalog->games == std::vector<model::game>{{{}, "Game"}});
  CHECK(catalog->namespaces ==
        std::vector<model::game_namespace>{
            {{}, {}, "prod", {"game.example"}, std::vector<std::string>{"lon"}}});
  model::avatar avatar;
  avatar.display_name = "Panda";
  CHECK((*opened)->avatars().value()->put(std::vector{avatar}).value() ==
        std::vector{store::put_outcome::added});
}

TEST_CASE("another program's database is refused and stays as it is") {
  const temporary_directory directory;
  const auto version = GENERATE(0, 1, 99);
  const auto theirs = "CREATE TABLE theirs (x); PRAGMA user_version = " + std::to_string(version);
  REQUIRE(open_raw(directory).execute(theirs.c_str(), "set up"));
  const auto before = contents(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_failed);
  CHECK(opened.error().detail.find("another program") != std::string::npos);
  CHECK(contents(directory.path()) == before);
}

TEST_CASE("the store uses a write-ahead log") {
  const temporary_directory directory;
  const auto opened = open_sqlite(directory.path());
  REQUIRE(opened.has_value());
  auto db = open_raw(directory);
  auto mode = db.prepare("PRAGMA journal_mode", "read");
  REQUIRE(mode.has_value());
  REQUIRE(mode->step() == true);
  CHECK(mode->text(0) == "wal");
}

} // namespace
