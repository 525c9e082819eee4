#include "store/sqlite/sqlite.hpp"
#include "store/store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

namespace {

using namespace matchcloud;
using fixtures::temporary_directory;
using store::open_sqlite;

std::unique_ptr<store::store> open_ok(const std::string& directory) {
  auto opened = open_sqlite(directory);
  INFO((opened ? std::string{} : opened.error().detail));
  REQUIRE(opened.has_value());
  return std::move(*opened);
}

void import_ok(store::store& into, const model::catalog_document& document, bool changes = true) {
  const auto done = into.import_catalog(document);
  INFO((done ? std::string{} : done.error().detail));
  REQUIRE(done.has_value());
  CHECK(done->changed == changes);
}

/// A region whose names tell imports apart.
model::catalog_document one_region(const std::string& id, const std::string& name) {
  model::catalog_document document;
  document.regions = {{id, name, "P", {1, 2}}};
  return document;
}

std::string database_of(const temporary_directory& directory) {
  return directory.path() + "/matchcloud.db";
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The files of a directory with their contents.
std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator{directory})
    found[entry.path().filename().string()] = content_of(entry.path());
  return found;
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777U;
}

TEST_CASE("a new store has the default tiers, revision 0 and nothing else") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  const auto catalog = opened->load_catalog();
  REQUIRE(catalog.has_value());
  model::catalog expected;
  expected.tiers = model::default_tiers();
  CHECK(*catalog == expected);
  CHECK(opened->catalog_revision() == 0);
}

TEST_CASE("the data directory is made with its parents, for its owner only") {
  const temporary_directory directory;
  const auto parent = directory.path() + "/a";
  const auto made = parent + "/b/";
  open_ok(made);
  CHECK(mode_of(parent) == 0700);
  CHECK(mode_of(made) == 0700);
  CHECK(mode_of(made + "matchcloud.db") == 0600);
}

TEST_CASE("what was imported is there after opening again") {
  const temporary_directory directory;
  import_ok(*open_ok(directory.path()), model::demo_catalog());
  auto opened = open_ok(directory.path());
  auto expected = *merge(model::catalog{}, model::demo_catalog());
  CHECK(expected.revision == 1);
  CHECK(opened->load_catalog() == expected);
  CHECK(opened->catalog_revision() == 1);
}

TEST_CASE("an import counts what it names and keeps what it does not") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  const auto done = opened->import_catalog(model::demo_catalog());
  REQUIRE(done.has_value());
  CHECK(done->regions == 12);
  CHECK(done->tiers == 7);
  CHECK(done->games == 1);
  CHECK(done->namespaces == 2);
  CHECK(done->changed);

  auto update = one_region("lon", "Londinium");
  update.tiers = {"zz-1"};
  import_ok(*opened, update);
  const auto catalog = opened->load_catalog();
  CHECK(catalog->regions.size() == 12);
  CHECK(catalog->find_region("lon")->region_display_name == "Londinium");
  CHECK(catalog->tiers.size() == 8);
  CHECK(catalog->tiers.back() == "zz-1");
  CHECK(catalog->revision == 2);
}

TEST_CASE("an import that changes nothing leaves the revision and the other readers in peace") {
  const temporary_directory directory;
  auto writer = open_ok(directory.path());
  auto reader = open_ok(directory.path());
  import_ok(*writer, model::demo_catalog());
  CHECK(reader->poll_changed() == true);
  import_ok(*writer, model::demo_catalog(), false);
  CHECK(writer->catalog_revision() == 1);
  CHECK(reader->poll_changed() == false);
}

TEST_CASE("a poll tells of what others committed, first of all and once each") {
  const temporary_directory directory;
  auto writer = open_ok(directory.path());
  auto reader = open_ok(directory.path());
  CHECK(reader->poll_changed() == true);
  CHECK(reader->poll_changed() == false);
  import_ok(*writer, one_region("a", "A"));
  CHECK(reader->poll_changed() == true);
  CHECK(reader->poll_changed() == false);
  CHECK(reader->load_catalog()->find_region("a") != nullptr);
  // Its own commits are no news.
  CHECK(writer->poll_changed() == true);
  import_ok(*writer, one_region("b", "B"));
  CHECK(writer->poll_changed() == false);
}

TEST_CASE("a namespace with an empty region list is not one with all regions") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  auto document = model::demo_catalog();
  document.namespaces[0].regions.emplace();
  document.namespaces[1].regions = {"lon", "fra"};
  import_ok(*opened, document);
  auto catalog = opened->load_catalog();
  CHECK(catalog->namespaces[0].regions == std::vector<std::string>{});
  CHECK(catalog->namespaces[1].regions == std::vector<std::string>{"fra", "lon"});
  document.namespaces[0].regions.reset();
  import_ok(*opened, document);
  CHECK_FALSE(opened->load_catalog()->namespaces[0].regions.has_value());
}

TEST_CASE("a domain can go from one namespace to another in one import") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  auto document = model::demo_catalog();
  import_ok(*opened, document);
  std::swap(document.namespaces[0].domains, document.namespaces[1].domains);
  import_ok(*opened, document);
  const auto catalog = opened->load_catalog();
  CHECK(catalog->namespaces[0].domains == document.namespaces[0].domains);
  CHECK(catalog->namespaces[1].domains == document.namespaces[1].domains);
}

TEST_CASE("an import with a wrong reference writes nothing and names it") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  auto document = model::demo_catalog();
  document.namespaces[0].regions = {"atlantis"};
  const auto done = opened->import_catalog(document);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::import_invalid);
  CHECK(done.error().detail.find("atlantis") != std::string::npos);
  CHECK(opened->catalog_revision() == 0);
  CHECK(opened->load_catalog()->regions.empty());
  import_ok(*opened, model::demo_catalog()); // the failed one left no transaction behind
}

TEST_CASE("names with quotes, NUL bytes and any language come back as they were") {
  const temporary_directory directory;
  auto opened = open_ok(directory.path());
  auto document = one_region("a", "');DROP TABLE regions;--");
  document.regions.push_back({"b", std::string("x\0y", 3), "", {-90, 180}});
  document.regions.push_back({"c", "\u6771\u4eac \U0001f600", "\u00e9", {0.1, 1e-300}});
  import_ok(*opened, document);
  CHECK(opened->load_catalog()->regions == document.regions);
}

TEST_CASE("a file that is no database gives a clear error and stays as it is") {
  const temporary_directory directory;
  std::ofstream{database_of(directory)} << std::string(5'000, 'x');
  const auto before = contents(directory.path());
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_failed);
  CHECK(opened.error().detail.find(database_of(directory)) != std::string::npos);
  CHECK(opened.error().detail.find("file is not a database") != std::string::npos);
  CHECK(contents(directory.path()) == before);
}

TEST_CASE("a damaged database gives an error instead of wrong data") {
  const temporary_directory directory;
  import_ok(*open_ok(directory.path()), model::demo_catalog());
  const auto size = std::filesystem::file_size(database_of(directory));
  {
    std::fstream file{database_of(directory), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(4096); // every page but the first
    file << std::string(size - 4096, '\xa5');
  }
  const auto opened = open_sqlite(directory.path());
  const auto catalog = opened ? (*opened)->load_catalog() : tl::unexpected(opened.error());
  REQUIRE_FALSE(catalog.has_value());
  CHECK(catalog.error().code == base::errc::store_failed);
  CHECK(catalog.error().detail.find("malformed") != std::string::npos);
  CHECK(catalog.error().detail.find("restore it from a backup") != std::string::npos);
}

TEST_CASE("a truncated database gives an error") {
  const temporary_directory directory;
  import_ok(*open_ok(directory.path()), model::demo_catalog());
  std::filesystem::resize_file(database_of(directory), 4096 + 100);
  const auto opened = open_sqlite(directory.path());
  const auto catalog = opened ? (*opened)->load_catalog() : tl::unexpected(opened.error());
  REQUIRE_FALSE(catalog.has_value());
  CHECK(catalog.error().code == base::errc::store_failed);
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

TEST_CASE("a database that is a directory gives a clear error") {
  const temporary_directory directory;
  std::filesystem::create_directory(database_of(directory));
  const auto opened = open_sqlite(directory.path());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().detail.find("unable to open database file") != std::string::npos);
}

TEST_CASE("threads that open a new directory at once all get the same new store") {
  constexpr int threads = 8;
  const temporary_directory directory;
  const auto data = directory.path() + "/new/data";
  std::vector<base::expected<model::catalog>> loaded(threads);
  {
    std::vector<std::jthread> running;
    for (auto& into : loaded)
      running.emplace_back([&into, &data] {
        auto opened = open_sqlite(data);
        into = opened ? (*opened)->load_catalog() : tl::unexpected(opened.error());
      });
  }
  for (const auto& each : loaded) {
    INFO((each ? std::string{} : each.error().detail));
    REQUIRE(each.has_value());
    CHECK(each->tiers == model::default_tiers());
  }
}

TEST_CASE("instances that import at once lose nothing and count every change") {
  constexpr int threads = 4;
  constexpr int imports = 8;
  const temporary_directory directory;
  std::vector<std::string> failures(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([t, &failures, &directory] {
        auto opened = open_sqlite(directory.path());
        if (!opened) return void(failures[t] = opened.error().detail);
        for (int i = 0; i < imports; ++i) {
          const auto id = std::to_string(t) + "-" + std::to_string(i);
          const auto done = (*opened)->import_catalog(one_region(id, id));
          if (!done) return void(failures[t] = done.error().detail);
        }
      });
  }
  for (const auto& failure : failures)
    CHECK(failure == "");
  const auto catalog = open_ok(directory.path())->load_catalog();
  REQUIRE(catalog.has_value());
  CHECK(catalog->regions.size() == threads * imports);
  CHECK(catalog->revision == threads * imports);
}

TEST_CASE("a reader sees one revision whole while another instance imports") {
  const temporary_directory directory;
  auto reader = open_ok(directory.path());
  std::atomic<bool> stop{false};
  std::jthread writer{[&] {
    auto opened = open_sqlite(directory.path());
    for (int i = 1; opened && !stop; ++i) {
      auto document = one_region("a", std::to_string(i));
      document.regions.push_back({"b", std::to_string(i), "P", {}});
      if (!(*opened)->import_catalog(document)) return;
    }
  }};
  std::int64_t seen = 0;
  int loads = 0;
  while (seen < 30 && ++loads < 100'000) {
    const auto catalog = reader->load_catalog();
    REQUIRE(catalog.has_value());
    REQUIRE(catalog->revision >= seen);
    seen = catalog->revision;
    for (const auto& each : catalog->regions)
      REQUIRE(each.region_display_name == std::to_string(seen));
  }
  stop = true;
  CHECK(seen >= 30);
}

} // namespace
