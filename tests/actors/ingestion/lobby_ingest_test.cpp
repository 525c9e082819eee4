#include "actors/ingestion/lobby_ingest.hpp"

#include "actors/ingestion/merge_gathering.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/actors/ingestion/lobby_lines.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <span>
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

TEST_CASE("rejected lines are reported by number and code") {
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

TEST_CASE("of two reports of a lobby the first line counts") {
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

TEST_CASE("a backlog beyond its limit is tidied, or refuses lines") {
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

/// A store whose transactions end when the test says so. A batch is told apart by how many lobbies
/// it has; of a batch of n, n are accepted.
class held_store {
public:
  explicit held_store(const gathering_limits& limits = {})
      : gathering_{[this](auto parts) { merge(parts); }, limits} {}
  ~held_store() { end_all(); }

  /// Begins to merge a batch on a thread of its own.
  std::future<std::size_t> begin(std::size_t lobbies) {
    return std::async(std::launch::async, [this, lobbies] {
      const std::vector<model::lobby_record> records(lobbies);
      const model::lobby_attributes_table attributes;
      const auto accepted = gathering_.merge({records, &attributes, nullptr, {}})->accepted;
      held_up_ += base::faults::take_holds().size();
      return accepted;
    });
  }
  /// What each transaction that is under way merges.
  std::vector<std::vector<std::size_t>> running() {
    const std::lock_guard lock{mutex_};
    return running_;
  }
  bool runs(const std::vector<std::vector<std::size_t>>& all) {
    return e2e::eventually([&] { return running() == all; });
  }
  bool wait(std::size_t count) {
    return e2e::eventually([&] { return gathering_.waiting() == count; });
  }
  /// How often a fault held up a transaction, counted by each batch in it.
  std::size_t held_up() const { return held_up_; }
  /// Ends the transaction that began first.
  void end_first() {
    const std::lock_guard lock{mutex_};
    ++ended_;
    wake_.notify_all();
  }
  void end_all() {
    const std::lock_guard lock{mutex_};
    ended_ = SIZE_MAX;
    wake_.notify_all();
  }

private:
  void merge(std::span<store::merge_part> parts) {
    std::vector<std::size_t> sizes;
    for (const auto& each : parts)
      sizes.push_back(each.records.size());
    std::unique_lock lock{mutex_};
    const auto number = begun_++;
    running_.push_back(sizes);
    wake_.wait(lock, [&] { return number < ended_; });
    running_.erase(std::ranges::find(running_, sizes));
    base::faults::add_holds({{base::fault_point::store_commit, {}, {}}});
    for (auto& each : parts)
      each.merged->accepted = each.records.size();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  std::atomic<std::size_t> held_up_{0};
  std::vector<std::vector<std::size_t>> running_;
  merge_gathering gathering_;
};

TEST_CASE("a batch that comes alone is merged at once, alone") {
  held_store in;
  auto one = in.begin(1);
  CHECK(in.runs({{1}}));
  in.end_first();
  CHECK(one.get() == 1);
}

TEST_CASE("waiting small batches are merged in one transaction") {
  held_store in{{.at_once = 1, .small_at_once = 1}};
  auto first = in.begin(1);
  REQUIRE(in.runs({{1}}));
  auto second = in.begin(2);
  auto third = in.begin(3);
  REQUIRE(in.wait(2));
  in.end_first();
  CHECK(first.get() == 1);
  REQUIRE(e2e::eventually([&] { return in.running().size() == 1; }));
  CHECK(in.running()[0].size() == 2);
  in.end_first();
  CHECK(second.get() == 2);
  CHECK(third.get() == 3);
  CHECK(in.held_up() == 3);
}

TEST_CASE("large batches run alone, next to the small ones") {
  held_store in{{.at_once = 2, .small_at_once = 1, .small_lobbies = 10}};
  auto small = in.begin(1);
  REQUIRE(in.runs({{1}}));
  auto large = in.begin(11);
  REQUIRE(in.runs({{1}, {11}}));
  auto later = in.begin(12);
  REQUIRE(in.wait(1));
  in.end_first();
  CHECK(small.get() == 1);
  CHECK(in.runs({{11}, {12}}));
  in.end_all();
  CHECK(large.get() == 11);
  CHECK(later.get() == 12);
}

TEST_CASE("a transaction is bounded in lobbies and batches") {
  const bool by_lobbies = GENERATE(true, false);
  held_store in{{.at_once = 1,
                 .small_at_once = 1,
                 .small_lobbies = 10,
                 .together_lobbies = by_lobbies ? std::size_t{6} : std::size_t{1'000},
                 .together_batches = by_lobbies ? std::size_t{100} : std::size_t{2}}};
  auto first = in.begin(1);
  REQUIRE(in.runs({{1}}));
  std::vector<std::future<std::size_t>> more;
  for (int i = 0; i < 4; ++i)
    more.push_back(in.begin(3));
  REQUIRE(in.wait(4));
  in.end_first();
  CHECK(in.runs({{3, 3}}));
  in.end_all();
  CHECK(first.get() == 1);
  for (auto& each : more)
    CHECK(each.get() == 3);
}

} // namespace
} // namespace matchcloud::actors
