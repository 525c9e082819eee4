#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <array>
#include <limits>

namespace {

using namespace matchcloud;
using fixtures::temporary_directory;
using store::sql_transaction;
using store::sqlite_connection;

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
  static constexpr store::sql_command query{"SELECT 1 UNION SELECT 2", "read numbers"};
  const auto refuse = [](store::sql_row&) { throw base::failure{base::errc::cancelled, "enough"}; };
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

} // namespace
