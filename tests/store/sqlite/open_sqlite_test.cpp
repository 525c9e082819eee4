#include "model/catalog/catalog_document.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace matchcloud::store {
namespace {

using fixtures::read_folder;
using fixtures::temporary_directory;

void import_demo(const std::string& directory) {
  REQUIRE(
      open_sqlite(directory).value()->catalog().value()->import_document(model::demo_catalog()));
}

/// The catalog, or the error that prevents loading it.
base::expected<model::catalog> load_from(const std::string& directory) {
  return open_sqlite(directory)
      .and_then([](const auto& of) { return of->catalog(); })
      .and_then([](const auto& catalog) { return catalog->load(); });
}

std::string database_of(const temporary_directory& directory) {
  return directory.path() + "/matchcloud.db";
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777U;
}

TEST_CASE("the data directory is made with its parents, for its owner only") {
  const temporary_directory directory;
  const auto parent = directory.path() + "/a";
  const auto made = parent + "/b/";
  REQUIRE(open_sqlite(made).has_value());
  CHECK(mode_of(parent) == 0700);
  CHECK(mode_of(made) == 0700);
  CHECK(mode_of(made + "matchcloud.db") == 0600);
}

TEST_CASE("open sessions do not continue with a file that another one has replaced") {
  const temporary_directory directory;
  const auto data = directory.path("data");
  const auto opened = open_sqlite(data).value();
  REQUIRE(opened->catalog().value()->import_document(model::demo_catalog())); // leaves it idle
  const auto feed = opened->feed().value();
  CHECK(feed->changed() == true);
  const auto database = data + "/matchcloud.db";
  std::filesystem::copy_file(database, directory.path("copy"));
  std::filesystem::create_hard_link(database, directory.path("kept"));
  std::filesystem::rename(directory.path("copy"), database);
  const auto other = opened->catalog();
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == base::errc::store_failed);
  CHECK(other.error().detail.starts_with(database +
                                         ": cannot open the database: it was replaced by another"));
  CHECK_FALSE(feed->changed().has_value());
  std::filesystem::rename(directory.path("kept"), database);
  CHECK(opened->catalog().value()->load().value().games == model::demo_catalog().games);
}

TEST_CASE("a store that has gone since it was opened is not made again") {
  const temporary_directory directory;
  const auto made = directory.path() + "/data";
  store_settings settings;
  settings.sessions.idle = 0; // makes each caller open a session
  const auto opened = open_sqlite(made, settings).value();
  REQUIRE(opened->catalog().value()->import_document(model::demo_catalog()));
  std::filesystem::rename(made, directory.path() + "/away");
  const auto gone = opened->catalog();
  REQUIRE_FALSE(gone.has_value());
  CHECK(gone.error().code == base::errc::store_failed);
  CHECK(gone.error().detail.starts_with(made + "/matchcloud.db: "));
  CHECK_FALSE(std::filesystem::exists(made));
  std::filesystem::rename(directory.path() + "/away", made);
  CHECK(opened->catalog().value()->load().value().games == model::demo_catalog().games);
}

TEST_CASE("no new store is made where one is moved away while a session waits to open it") {
  const temporary_directory directory;
  const auto data = directory.path("data");
  const auto database = data + "/matchcloud.db";
  store_settings settings;
  settings.sessions.idle = 0;
  const auto opened = open_sqlite(data, settings).value();
  REQUIRE(opened->catalog().value()->import_document(model::demo_catalog()));
  const bool replaced = GENERATE(false, true);
  CAPTURE(replaced);
  const auto stall = fixtures::once(fixtures::rule_of(base::fault_kind::stall));
  fixtures::injected_fault stuck{base::fault_point::store_open, stall};
  std::string error;
  std::thread waiting{[&] {
    const auto made = opened->catalog();
    if (!made) error = made.error().detail;
  }};
  while (stuck.hits() == 0)
    std::this_thread::yield();
  std::filesystem::rename(database, directory.path("away"));
  if (replaced) std::filesystem::copy_file(directory.path("away"), database);
  const auto before = read_folder(data);
  stuck.take_away();
  waiting.join();
  CHECK(error.starts_with(database + ": cannot open the database: it " +
                          (replaced ? "was replaced" : "is gone")));
  CHECK(read_folder(data) == before);
  std::filesystem::rename(directory.path("away"), database);
  CHECK(opened->catalog().value()->load().value().games == model::demo_catalog().games);
}

TEST_CASE("a file that is no database gives a clear error and stays as it is") {
  const temporary_directory directory;
  std::ofstream{database_of(directory)} << std::string(5'000, 'x');
  const auto before = read_folder(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_failed);
  CHECK(opened.error().detail.find(database_of(directory)) != std::string::npos);
  CHECK(opened.error().detail.find("file is not a database") != std::string::npos);
  CHECK(read_folder(directory.path()) == before);
}

TEST_CASE("a damaged database gives an error instead of wrong data") {
  const temporary_directory directory;
  import_demo(directory.path());
  const auto size = std::filesystem::file_size(database_of(directory));
  {
    std::fstream file{database_of(directory), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(4096); // every page but the first
    file << std::string(size - 4096, '\xa5');
  }
  const auto catalog = load_from(directory.path());
  REQUIRE_FALSE(catalog.has_value());
  CHECK(catalog.error().code == base::errc::store_failed);
  CHECK(catalog.error().detail.find("malformed") != std::string::npos);
  CHECK(catalog.error().detail.find("restore it from a backup") != std::string::npos);
}

TEST_CASE("a data directory that is a file, or inside of one, gives a clear error") {
  const temporary_directory directory;
  const auto file = directory.path() + "/file";
  std::ofstream{file} << "x";
  for (const auto& path : {file, file + "/below", std::string{}}) {
    const auto opened = open_sqlite(path);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == base::errc::store_failed);
    CHECK(opened.error().detail.find("cannot create the directory") != std::string::npos);
  }
}

TEST_CASE("a data directory that others may write is told, and a database that is elsewhere") {
  const temporary_directory directory;
  const auto data = directory.path() + "/data";
  REQUIRE(open_sqlite(data).has_value());
  CHECK(hazards_of(data).empty());
  for (const mode_t fine : {0750, 0755, 0770}) {
    REQUIRE(::chmod(data.c_str(), fine) == 0);
    CHECK(hazards_of(data).empty());
  }
  REQUIRE(::chmod(data.c_str(), 0777) == 0);
  std::filesystem::rename(data + "/matchcloud.db", directory.path() + "/elsewhere");
  std::filesystem::create_symlink(directory.path() + "/elsewhere", data + "/matchcloud.db");
  const auto found = hazards_of(data);
  REQUIRE(found.size() == 2);
  CHECK(found[0].find("mode 0777") != std::string::npos);
  CHECK(found[0].find("chmod o-w") != std::string::npos);
  CHECK(found[1].find("matchcloud.db is a symbolic link") != std::string::npos);
  CHECK(hazards_of(directory.path() + "/nowhere").empty());
}

TEST_CASE("a new database that a link leads to is its owner's only") {
  const temporary_directory directory;
  const auto data = directory.path() + "/data";
  REQUIRE(::mkdir(data.c_str(), 0700) == 0);
  std::filesystem::create_symlink("../second", data + "/matchcloud.db");
  std::filesystem::create_symlink(directory.path() + "/third", directory.path() + "/second");
  REQUIRE(open_sqlite(data).has_value());
  struct stat found {};
  REQUIRE(::stat((directory.path() + "/third").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
}

TEST_CASE("examining a store sees its log, and leaves every byte and file as it is") {
  const temporary_directory parent;
  // SQLite reads names as URIs there.
  const auto directory = parent.path() + "/odd ?mode=rwc#%20";
  CHECK(examine_sqlite(directory).value().version == 0);
  CHECK_FALSE(std::filesystem::exists(directory));
  {
    // Connections of one process share the log's index, as those of two do not.
    const auto lasting = [&] {
      auto all = read_folder(directory);
      all.erase("matchcloud.db-shm");
      return all;
    };
    const auto open = open_sqlite(directory).value();
    REQUIRE(open->catalog().value()->import_document(model::demo_catalog()));
    const auto before = lasting();
    REQUIRE(before.contains("matchcloud.db-wal"));
    const auto found = examine_sqlite(directory);
    REQUIRE(found.has_value());
    CHECK(found->version == found->newest);
    CHECK(lasting() == before);
  }
  const auto closed = read_folder(directory);
  CHECK(examine_sqlite(directory).value().version > 0);
  CHECK(read_folder(directory) == closed);
}

TEST_CASE("a connection that only looks changes nothing") {
  const temporary_directory directory;
  import_demo(directory.path());
  auto looking = sqlite_connection::open_unchanging(database_of(directory));
  CHECK_THROWS_AS(looking.execute("PRAGMA user_version = 4", "change"), base::failure);
  CHECK_THROWS_AS(sqlite_connection::open_unchanging(directory.path("none")), base::failure);
  CHECK_FALSE(std::filesystem::exists(directory.path("none")));
}

} // namespace
} // namespace matchcloud::store
