// Connections to SQLite, on disks that take no more, and faults that are injected at `store.*`.
#include "store/sqlite/sqlite.hpp"

#include "base/clock.hpp"
#include "store/files/data_directory.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"
#include "tests/store/sqlite/lobby_fixture.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

namespace matchcloud::store {
namespace {

using base::errc;
using base::fault_kind;
using base::fault_point;
using fixtures::temporary_directory;
using namespace fixtures;
using std::chrono::milliseconds;

namespace fs = std::filesystem;

struct fixture {
  temporary_directory directory;
  sqlite_connection db = sqlite_connection::open(directory.path() + "/test.db",
                                                 sqlite_connection::missing_file::is_made);
};

TEST_CASE_METHOD(fixture, "values come back as they were bound") {
  auto query = db.prepare("SELECT ?, ?, ?, ?, ?", "select");
  const std::array<std::uint8_t, 3> blob{0, 255, 1};
  query.bind(std::string_view{"a\0b", 3}).bind(blob).bind(0.1);
  query.bind(std::numeric_limits<std::int64_t>::min()).bind(std::string_view{});
  REQUIRE(query.step() == true);
  CHECK(query.text(0) == std::string_view{"a\0b", 3});
  CHECK(query.blob(1).size() == 3);
  CHECK(query.blob(1)[1] == 255);
  CHECK(query.real(2) == 0.1);
  CHECK(query.integer(3) == std::numeric_limits<std::int64_t>::min());
  CHECK(query.text(4) == "");
  CHECK(query.step() == false);
}

TEST_CASE_METHOD(fixture, "binding what is no parameter fails at the step") {
  auto query = db.prepare("SELECT 1", "select nothing");
  query.bind(std::int64_t{1});
  const auto row = base::attempt([&] { return query.step(); });
  REQUIRE_FALSE(row.has_value());
  CHECK(row.error().detail.find("cannot select nothing") != std::string::npos);
  CHECK(query.step() == true); // the next use starts over
}

TEST_CASE_METHOD(fixture, "after a step that failed, parameters are bound from the first again") {
  db.execute("CREATE TABLE once (id INTEGER PRIMARY KEY, name TEXT)", "make a table");
  auto insert = db.prepare("INSERT INTO once VALUES (?, ?)", "add a row");
  insert.bind(std::int64_t{1}).bind("first").run();
  CHECK_THROWS_AS(insert.bind(std::int64_t{1}).bind("again").run(), base::failure);
  insert.bind(std::int64_t{2}).bind("second").run();
  CHECK(db.read_integer("SELECT count(*) FROM once WHERE name = 'second' AND id = 2", "count") ==
        1);
}

TEST_CASE_METHOD(fixture, "an error has the path, the operation and the reason") {
  const auto failed = base::attempt([&] { db.execute("SELECT * FROM nowhere", "look around"); });
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == base::errc::store_failed);
  CHECK(failed.error().detail ==
        db.path() + ": cannot look around: no such table: nowhere [SQLite 1]");
}

TEST_CASE_METHOD(fixture, "a query whose taker throws can run again") {
  static constexpr sql_command query{"SELECT 1 UNION SELECT 2", "read numbers"};
  const auto refuse = [](sql_row&) { throw base::failure{base::errc::cancelled, "enough"}; };
  CHECK_THROWS_AS(db.each(query, {}, refuse), base::failure);
  CHECK(db.number(query) == 1);
  CHECK_FALSE(db.has_failed());
}

TEST_CASE_METHOD(fixture, "a transaction that is not committed leaves nothing") {
  db.execute("CREATE TABLE t (x)", "create");
  {
    const auto open = sql_transaction::write(db, std::nullopt, "insert");
    db.execute("INSERT INTO t VALUES (1)", "insert");
    CHECK(db.in_transaction());
  }
  CHECK_FALSE(db.in_transaction());
  CHECK(db.read_integer("SELECT count(*) FROM t", "count") == 0);
  auto open = sql_transaction::write(db, std::nullopt, "insert");
  db.execute("INSERT INTO t VALUES (1)", "insert");
  open.commit();
  CHECK(db.read_integer("SELECT count(*) FROM t", "count") == 1);
}

TEST_CASE_METHOD(fixture, "a full database fails the write, and the connection goes on") {
  db.execute("CREATE TABLE t (x); PRAGMA max_page_count = 3", "create");
  {
    const auto open = sql_transaction::write(db, std::nullopt, "insert");
    const auto failed =
        base::attempt([&] { db.execute("INSERT INTO t VALUES (zeroblob(100000))", "insert"); });
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().detail.find("free some disk space") != std::string::npos);
  }
  CHECK_FALSE(db.in_transaction());
  db.execute("INSERT INTO t VALUES (1)", "insert");
}

/// Checks that `body` holds on a file system in memory, in a forked process.
void check_on_disk_of(const std::string& size,
                      const std::function<bool(const std::string&)>& body) {
  const temporary_directory directory;
  fixtures::event_pipe mounted;
  fixtures::child process{[&] {
    if (!fixtures::own_mounts() || !fixtures::mount_in_memory(directory.path(), size)) return true;
    return mounted.signal() && body(directory.path());
  }};
  const bool held = process.succeeded();
  mounted.close_writer();
  if (!mounted.wait()) return fixtures::not_tested("this user may mount no file system");
  CHECK(held);
}

bool make_read_only(const std::string& path) {
  return ::mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

/// Fills the file system except for `left_bytes`.
void fill(const std::string& path, std::uintmax_t left_bytes) {
  std::ofstream{path + "/filler"} << std::string(fs::space(path).available - left_bytes, 'x');
}

TEST_CASE("leftovers on a read-only disk stay, and looking for them does no harm") {
  check_on_disk_of("1m", [](const std::string& data_dir) {
    fs::create_directories(data_dir + "/tmp/dead");
    if (!make_read_only(data_dir)) return false;
    remove_leftovers(data_dir);
    return fs::exists(data_dir + "/tmp/dead");
  });
}

TEST_CASE("a read-only disk is told with what to do about it") {
  check_on_disk_of("1m", [](const std::string& data_dir) {
    fs::create_directories(data_dir + "/tmp");
    if (!make_read_only(data_dir)) return false;
    const auto made = base::attempt([&] { return temporary_folder::make(data_dir); });
    return !made && made.error().code == errc::store_failed &&
           made.error().detail.ends_with(
               "Read-only file system; make its file system writable again");
  });
}

TEST_CASE("a disk too full for the index of the log is full, whatever SQLite calls it") {
  check_on_disk_of("24m", [](const std::string& data_dir) {
    auto db =
        sqlite_connection::open(data_dir + "/test.db", sqlite_connection::missing_file::is_made);
    const char* begin = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; "
                        "PRAGMA synchronous = OFF; CREATE TABLE t (x); INSERT INTO t VALUES (0)";
    db.execute(begin, "begin");
    // One page of the log per write. The first 32 KiB of the log's index cover 4,062 pages.
    const auto write = [&] { db.execute("UPDATE t SET x = x + 1", "write"); };
    while (fs::file_size(data_dir + "/test.db-wal") / 4'120 < 4'062)
      write();
    fill(data_dir, 16'384);
    const auto failed = base::attempt(write);
    return !failed && failed.error().code == errc::store_full &&
           failed.error().detail.find("[SQLite 4874]") != std::string::npos;
  });
}

struct store_faults_bench : lobby_store {
  base::expected<std::shared_ptr<database>> open_another() const { return open_sqlite(path()); }
  /// The revision that another reader sees.
  std::int64_t revision() const {
    return open_another().value()->catalog().value()->revision().value();
  }
  base::expected<import_summary> import_region(const std::string& id) {
    auto document = lobby_catalog();
    document.regions.push_back({id, id, "P", {1, 2}});
    return catalog->import_document(document);
  }
  base::expected<lobby_merge> merge_one(std::uint32_t number) {
    lobby_list list;
    list.add(number, {1, 2}, kind_of(11));
    return sink->merge(list.records, list.attributes);
  }
};

template <class Result>
void check_failed(const Result& result, const std::string& operation, fault_point at) {
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == errc::store_failed);
  const auto expected = "/matchcloud.db: cannot " + operation + ": a fault is injected at " +
                        std::string{facts_of(at).name};
  CHECK(result.error().detail.ends_with(expected));
}

TEST_CASE("a store that fails to open is not open, and opens the next time") {
  const store_faults_bench on;
  injected_fault fails{fault_point::store_open, once(rule_of(fault_kind::error))};
  check_failed(on.open_another(), "open the database", fault_point::store_open);
  CHECK(on.open_another().has_value());
}

TEST_CASE("every way to read rows fails where reading fails, and works again without the fault") {
  store_faults_bench on;
  const auto check_all = [&](bool fails) {
    const auto check = [fails](const auto& result, const std::string& operation) {
      if (fails)
        check_failed(result, operation, fault_point::store_read);
      else
        CHECK(result.has_value());
    };
    const auto take = [](const model::avatar&) { return true; };
    check(on.catalog->load(), "begin reading the catalog");
    check(on.catalog->revision(), "read the catalog's revision");
    check(on.feed->moved_games_since(0), "look for games that changed");
    check(on.avatars->read(id_of(1), take), "begin reading avatars");
    check(on.history->revisions(id_of(1)), "begin reading revisions");
    check(on.sink->has_any(), "look for lobbies");
    history_reader nobody;
    check(on.history->read({id_of(1), {0, 10}}, base::machine_clock(), nobody),
          "read the lobby history");
  };
  injected_fault fails{fault_point::store_read, fault_kind::error};
  check_all(true);
  CHECK(fails.hits() == 7);
  CHECK(on.import_region("gru").has_value()); // a write reads in its own transaction
  fails.take_away();
  check_all(false);
}

TEST_CASE("what fails to begin writing writes nothing") {
  store_faults_bench on;
  const auto before = on.revision();
  injected_fault fails{fault_point::store_write, fault_kind::error};
  check_failed(on.import_region("gru"), "import the catalog", fault_point::store_write);
  check_failed(on.merge_one(1), "write lobbies", fault_point::store_write);
  check_failed(
      on.catalog->remove(model::element_key::parse(model::element_kind::region, "fra").value()),
      "change the catalog", fault_point::store_write);
  CHECK(on.revision() == before);
  CHECK_FALSE(on.sink->has_any().value());
  fails.take_away();
  CHECK(on.import_region("gru").has_value());
  CHECK(on.merge_one(1)->accepted == 1);
}

TEST_CASE("a full disk at a write is told from other failures") {
  store_faults_bench on;
  for (const auto at : {fault_point::store_write, fault_point::store_commit}) {
    const injected_fault fills{at, fault_kind::full};
    const auto refused = on.import_region("gru");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::store_full);
  }
  CHECK(on.import_region("gru").has_value());
}

TEST_CASE(
    "what fails to commit leaves nothing, for this connection and others, and goes next time") {
  store_faults_bench on;
  const auto before = on.revision();
  {
    injected_fault fails{fault_point::store_commit, fault_kind::error};
    check_failed(on.import_region("gru"), "import the catalog", fault_point::store_commit);
    check_failed(on.merge_one(1), "write lobbies", fault_point::store_commit);
    CHECK(fails.hits() == 2);
    CHECK(on.catalog->revision() == before);
    CHECK(on.revision() == before);
    CHECK_FALSE(on.sink->has_any().value());
    // The failed call does not keep the lock.
    const auto other = open_sqlite(on.path(), {.patience = milliseconds{0}}).value();
    fails.take_away();
    CHECK(other->catalog().value()->import_document(lobby_catalog()).has_value());
  }
  CHECK(on.merge_one(1)->accepted == 1);
  CHECK(on.import_region("gru").has_value());
  CHECK(on.revision() == before + 1);
}

TEST_CASE("opening, reading, writing and committing wait for their stall to be taken away") {
  store_faults_bench on;
  check_stalls(fault_point::store_open, [&] { static_cast<void>(on.open_another()); });
  check_stalls(fault_point::store_read, [&] { static_cast<void>(on.catalog->load()); });
  check_stalls(fault_point::store_write, [&] { static_cast<void>(on.import_region("gru")); });
  const auto before = on.revision();
  check_stalls(
      fault_point::store_commit, [&] { static_cast<void>(on.import_region("syd")); },
      [&] { CHECK(on.revision() == before); });
  CHECK(on.revision() == before + 1);
}

} // namespace
} // namespace matchcloud::store
