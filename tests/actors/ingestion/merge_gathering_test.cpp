#include "actors/ingestion/merge_gathering.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <mutex>
#include <span>
#include <vector>

namespace matchcloud::actors {
namespace {

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

TEST_CASE("small batches that wait are merged together, and each is told of its own") {
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

TEST_CASE("large batches run alone, in parallel with the small ones, within the limit") {
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

TEST_CASE("what is merged together is bounded in lobbies and in batches") {
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
