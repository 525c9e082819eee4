#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/later_schema.hpp"

#include <array>
#include <span>
#include <thread>

namespace matchcloud::store {
namespace {

using fixtures::read_folder;
using fixtures::temporary_directory;

/// The parts of a newer program's store that this version checks: the application id, a higher
/// schema version, and the programs that may use it.
constexpr const char* newer_store =
    "PRAGMA application_id = 0x6D636C64; PRAGMA user_version = 99; CREATE TABLE later (x); "
    "CREATE TABLE schema_version (least_program); INSERT INTO schema_version VALUES (99)";

sqlite_connection open_raw(const temporary_directory& directory) {
  return sqlite_connection::open(directory.path() + "/matchcloud.db",
                                 sqlite_connection::missing_file::is_made);
}

void check_refused(const temporary_directory& directory) {
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("schema version 99") != std::string::npos);
}

TEST_CASE("a store that a newer version left with a log keeps it") {
  const temporary_directory directory;
  {
    auto db = open_raw(directory);
    db.execute("PRAGMA journal_mode = WAL", "set up");
    db.execute(newer_store, "set up");
    db.keep_log_on_close(); // as if the process had been killed
  }
  auto before = read_folder(directory.path());
  REQUIRE(before.contains("matchcloud.db-wal"));
  check_refused(directory);
  auto after = read_folder(directory.path());
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
                     "; PRAGMA user_version = " + std::to_string(sqlite_schema().newest() + 3) +
                     "; CREATE TABLE IF NOT EXISTS later (x)";
  open_raw(directory).execute(later.c_str(), "set up");
}

TEST_CASE("a store of a newer version that is for this program too is used and keeps its version") {
  const temporary_directory directory;
  make_newer(directory, sqlite_schema().newest());
  {
    const auto opened = open_sqlite(directory.path());
    REQUIRE(opened.has_value());
    model::catalog_document document;
    document.games = {{{}, "Game"}};
    REQUIRE((*opened)->catalog().value()->import_document(document).has_value());
  }
  auto db = open_raw(directory);
  CHECK(check_schema(db) == sqlite_schema().newest() + 3);
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
  make_newer(directory, sqlite_schema().newest());
  CHECK((*feed)->changed() == true);
  make_newer(directory, sqlite_schema().newest() + 1);
  const auto seen = (*feed)->changed();
  REQUIRE_FALSE(seen.has_value());
  CHECK(seen.error().code == base::errc::store_newer);
}

TEST_CASE("a store of a newer version that is for newer programs is refused and stays as it is") {
  const temporary_directory directory;
  make_newer(directory, sqlite_schema().newest() + 1);
  const auto before = read_folder(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("for programs that know version " +
                                   std::to_string(sqlite_schema().newest() + 1)) !=
        std::string::npos);
  CHECK(read_folder(directory.path()) == before);
}

/// The schema of this program.
const auto known = sqlite_schema().newest();

/// The schema of a later program, two steps from there: this program may still use the store after
/// the first.
const auto later_steps = steps_and(
    sqlite_schema(), {{known, "CREATE TABLE news (id INTEGER PRIMARY KEY) STRICT;"
                              "ALTER TABLE games ADD COLUMN rating INTEGER NOT NULL DEFAULT 3"},
                      {known + 1, "INSERT INTO news VALUES (7)"}});

TEST_CASE("migrations are applied in their order, and keep what is in a store") {
  const temporary_directory directory;
  model::catalog_document document;
  document.games = {{{}, "Game"}};
  {
    const auto opened = open_sqlite(directory.path());
    REQUIRE(opened.has_value());
    REQUIRE((*opened)->catalog().value()->import_document(document).has_value());
  }
  auto db = open_raw(directory);
  const auto read = [&](const char* sql) { return db.read_integer(sql, "read"); };
  const schema_versions next{std::span{later_steps}.first(later_steps.size() - 1)};
  migrate(db, next);
  CHECK(check_schema(db, next) == known + 1);
  CHECK(read("SELECT least_program FROM schema_version") == known);
  CHECK(read("SELECT count(*) FROM games WHERE display_name = 'Game' AND rating = 3") == 1);
  CHECK(read("SELECT count(*) FROM news") == 0);
  {
    const auto opened = open_sqlite(directory.path());
    REQUIRE(opened.has_value());
    CHECK((*opened)->catalog().value()->load()->games == document.games);
  }
  const schema_versions newest{later_steps};
  migrate(db, newest);
  migrate(db, newest); // which changes nothing
  CHECK(check_schema(db, newest) == known + 2);
  CHECK(read("SELECT least_program FROM schema_version") == known + 1);
  CHECK(read("SELECT sum(id) FROM news") == 7);
  CHECK(open_sqlite(directory.path()).error().code == base::errc::store_newer);
}

TEST_CASE("a new store takes all migrations, and several processes make each once") {
  const temporary_directory directory;
  const schema_versions newest{later_steps};
  std::array<base::expected<void>, 4> done;
  {
    std::array<std::jthread, 4> processes;
    for (std::size_t each = 0; each < processes.size(); ++each)
      processes[each] = std::jthread{[&, each] {
        done[each] = base::attempt([&] {
          auto db = open_raw(directory);
          migrate(db, newest);
        });
      }};
  }
  for (const auto& each : done) {
    INFO((each ? std::string{} : base::to_string(each.error())));
    CHECK(each);
  }
  auto db = open_raw(directory);
  CHECK(check_schema(db, newest) == known + 2);
  CHECK(db.read_integer("SELECT count(*) FROM news", "read") == 1);
}

TEST_CASE("a step that fails leaves the version before it") {
  const temporary_directory directory;
  auto steps = later_steps;
  steps.back().sql = "INSERT INTO news VALUES (7); INSERT INTO nothing VALUES (1)";
  auto db = open_raw(directory);
  CHECK_THROWS_AS(migrate(db, schema_versions{steps}), base::failure);
  CHECK(db.read_integer("PRAGMA user_version", "read") == known + 1);
  CHECK(db.read_integer("SELECT count(*) FROM news", "read") == 0);
}

TEST_CASE("a store of a version that was never released is refused and stays as it is") {
  const temporary_directory directory;
  const auto version = GENERATE(1, 8, 9);
  const auto made = "PRAGMA application_id = 0x6D636C64; CREATE TABLE revisions (x); "
                    "PRAGMA user_version = " +
                    std::to_string(version);
  open_raw(directory).execute(made.c_str(), "set up");
  const auto before = read_folder(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_failed);
  CHECK(opened.error().detail ==
        directory.path() + "/matchcloud.db: schema version " + std::to_string(version) +
            " belongs to a program that was never released; this one needs version 10 or higher. "
            "The store was not changed. Use the program that made it, or start with another data "
            "directory or database");
  CHECK(read_folder(directory.path()) == before);
}

TEST_CASE("the newest schema is what a new store gets, and opening again changes nothing") {
  const temporary_directory directory;
  REQUIRE(open_sqlite(directory.path()).has_value());
  auto db = open_raw(directory);
  CHECK(db.read_integer("PRAGMA user_version", "read") == sqlite_schema().newest());
  const auto before = read_folder(directory.path());
  migrate(db);
  REQUIRE(open_sqlite(directory.path()).has_value());
  CHECK(read_folder(directory.path())["matchcloud.db"] == before.at("matchcloud.db"));
}

TEST_CASE("another program's database is refused and stays as it is") {
  const temporary_directory directory;
  const auto version = GENERATE(0, 1, 99);
  const auto theirs = "CREATE TABLE theirs (x); PRAGMA user_version = " + std::to_string(version);
  open_raw(directory).execute(theirs.c_str(), "set up");
  const auto before = read_folder(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_failed);
  CHECK(opened.error().detail.find("another program") != std::string::npos);
  CHECK(read_folder(directory.path()) == before);
}

} // namespace
} // namespace matchcloud::store
