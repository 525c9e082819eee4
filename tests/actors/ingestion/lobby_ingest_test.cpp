#include "actors/ingestion/lobby_ingest.hpp"

#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/actors/ingestion/lobby_lines.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <memory>
#include <string>
#include <vector>

namespace matchcloud::actors {
namespace {

using fixtures::known_namespace;
using fixtures::line;

/// A store with the catalog, and an ingestion into it.
class ingestion_bench {
public:
  explicit ingestion_bench(std::uint64_t backlog_limit_bytes = 1'000'000'000)
      : store_{open(), backlog_limit_bytes, metrics} {}

  ingest_summary send(const std::string& body, std::size_t block = 4096) {
    auto lines = begin();
    for (std::size_t at = 0; at < body.size(); at += block)
      REQUIRE(lines.feed(body.substr(at, block)).has_value());
    return *lines.finish();
  }
  lobby_ingest begin() { return lobby_ingest{store_, metrics}; }
  std::string database() const { return directory_.path("matchcloud.db"); }

  ingestion_metrics metrics;

private:
  std::shared_ptr<store::database> open() {
    auto opened = store::open_sqlite(directory_.path(), {.use = store::workload::bulk});
    REQUIRE(opened.has_value());
    REQUIRE((*opened)->catalog().value()->import_document(fixtures::known_catalog()).has_value());
    return *std::move(opened);
  }

  fixtures::temporary_directory directory_;
  ingest_store store_;
};

TEST_CASE("lines are taken however the body is cut, and once") {
  ingestion_bench to;
  std::string body;
  for (int i = 0; i < 50; ++i)
    body += line(i);
  body.pop_back(); // the last line needs no line end
  CHECK(to.send(body, 7).accepted == 50);
  CHECK(to.send(body).unchanged == 50);
  CHECK(to.metrics.accepted.get() == 50);
  CHECK(to.metrics.unchanged.get() == 50);
  CHECK(to.metrics.backlog_bytes.get() > 0);
}

TEST_CASE("rejected lines are told by number and code, in order, the others are taken") {
  ingestion_bench to;
  const auto done = to.send(line(1) + "{\n\n" + line(2, "00000000-0000-0000-0000-0000000000ff") +
                            line(1, known_namespace, "team") + "[]\n" + line(3));
  CHECK(done.accepted == 2);
  REQUIRE(done.rejected.size() == 4);
  using model::line_errc;
  const auto is = [&](std::size_t i, std::uint64_t number, line_errc code) {
    CHECK(done.rejected[i].line == number);
    CHECK(done.rejected[i].code == code);
  };
  is(0, 2, line_errc::malformed);
  is(1, 4, line_errc::namespace_unknown);
  is(2, 5, line_errc::conflict);
  is(3, 6, line_errc::malformed);
  CHECK(done.rejected_total == 4);
}

TEST_CASE("in whatever order ids are, the first report of a lobby counts and lines keep numbers") {
  ingestion_bench to;
  const auto body = line(9) + line(5) + line(7) + line(5, known_namespace, "team") +
                    line(2, "00000000-0000-0000-0000-0000000000ff") + line(1);
  const auto done = to.send(body);
  CHECK(done.accepted == 4);
  REQUIRE(done.rejected.size() == 2);
  CHECK(done.rejected[0].line == 4);
  CHECK(done.rejected[0].code == model::line_errc::conflict);
  CHECK(done.rejected[1].line == 5);
  CHECK(done.rejected[1].code == model::line_errc::namespace_unknown);
}

TEST_CASE("of many rejected lines the first are detailed and all counted") {
  ingestion_bench to;
  std::string body;
  for (int i = 0; i < 1'000; ++i)
    body += i % 2 == 0 ? "x\n" : line(i);
  const auto done = to.send(body);
  CHECK(done.accepted == 500);
  CHECK(done.rejected_total == 500);
  REQUIRE(done.rejected.size() == detailed_rejections_limit);
  CHECK(done.rejected.back().line == 2 * detailed_rejections_limit - 1);
}

TEST_CASE("a body that ends early leaves its last line out") {
  ingestion_bench to;
  {
    auto cut = to.begin();
    const auto half = line(2);
    REQUIRE(cut.feed(line(1) + half.substr(0, half.size() - 1)).has_value());
  }
  CHECK(to.send(line(2)).accepted == 1);
}

TEST_CASE("a backlog beyond its limit is tidied away, or refuses lines while others read from it") {
  ingestion_bench to{10'000}; // fewer bytes than one transaction writes
  CHECK(to.send(line(1)).accepted == 1);
  CHECK(to.send(line(2)).accepted == 1); // the log was truncated in between
  CHECK(to.metrics.backlog_bytes.get() > 10'000);
  {
    auto reader = store::sqlite_connection::open(to.database());
    auto snapshot = store::sql_transaction::read(reader, "read slowly");
    REQUIRE(reader.read_integer("SELECT count(*) FROM lobbies", "count") == 2);
    auto refused = to.begin();
    REQUIRE(refused.feed(line(3)).has_value());
    const auto done = refused.finish();
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == base::errc::store_backlogged);
  }
  CHECK(to.send(line(3)).accepted == 1);
}

TEST_CASE("an ingest is 422 where lines were rejected and none was good") {
  const auto status = [](std::uint64_t accepted, std::uint64_t unchanged, std::uint64_t rejected) {
    return status_of({accepted, unchanged, rejected, {}});
  };
  CHECK(status(0, 0, 0) == 200);
  CHECK(status(1, 0, 0) == 200);
  CHECK(status(1, 0, 9) == 200);
  CHECK(status(0, 1, 9) == 200);
  CHECK(status(0, 0, 1) == 422);
}

TEST_CASE("an ingest's answer is JSON") {
  CHECK(model::to_json(ingest_summary{}) ==
        R"({"accepted":0,"unchanged":0,"rejected":[],"rejected_total":0})");
  ingest_summary some{1, 2, 3, {{4, model::line_errc::conflict, "a \"b\""}, {5, {}, "c"}}};
  CHECK(model::to_json(some) ==
        R"({"accepted":1,"unchanged":2,"rejected":[{"line":4,"code":"conflict",)"
        R"("message":"a \"b\""},{"line":5,"code":"malformed","message":"c"}],"rejected_total":3})");
}

} // namespace
} // namespace matchcloud::actors
