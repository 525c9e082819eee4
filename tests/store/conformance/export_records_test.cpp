// Records of exports, and replicas, on every complete engine.
#include "store/export_records.hpp"

#include "store/replica_lease.hpp"
#include "store/replica_registry.hpp"
#include "tests/store/conformance/engines.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

using std::chrono::milliseconds;

struct export_records_bench : conforming_store {
  export_records_bench() : conforming_store{each_complete_engine()} {}

  static const model::uuid owner;

  std::shared_ptr<database> opened = had(open());

  lease<export_records> records() const { return had(opened->exports()); }

  static model::export_query query_of(std::uint8_t game) {
    return {id_of(game), {7, std::numeric_limits<std::uint64_t>::max()}};
  }
  static export_claim claim_of(std::uint8_t number, std::uint8_t game, std::int64_t begun_ts = 0) {
    return {query_of(game), id_of(number), owner, milliseconds{3'600'000}, begun_ts, 500};
  }
  /// Has a process write a new export.
  export_record begin(std::uint8_t number, std::uint8_t game, std::int64_t begun_ts = 0) const {
    const auto claimed = had(records()->claim_export(claim_of(number, game, begun_ts)));
    REQUIRE(claimed.is_own);
    return claimed.record;
  }
  static export_record whole(export_record begun, std::int64_t keep_until_ts = 1'000) {
    begun.facts.keep_until_ts = keep_until_ts;
    begun.is_complete = true;
    begun.size_bytes = 10;
    begun.sha256 = std::string(64, 'a');
    begun.snapshot = history_snapshot{{1, 2}, 3};
    return begun;
  }
  export_record complete(std::uint8_t number, std::uint8_t game,
                         std::int64_t keep_until_ts = 1'000) const {
    const auto record = whole(begin(number, game), keep_until_ts);
    REQUIRE(had(records()->complete_export(record)));
    return record;
  }
  /// As if nothing had been heard of its process for long.
  void end_lease(const export_record& which) const {
    REQUIRE(had(records()->renew_export(which, milliseconds{-1})));
  }
  std::optional<export_record> find(std::uint8_t number) const {
    return had(records()->find_export(id_of(number)));
  }
  /// The last digits of the ids that are over, in order.
  std::vector<int> over(std::int64_t now_ts, std::int64_t begun_before_ts,
                        std::size_t limit = 100) const {
    std::vector<int> ids;
    for (const auto& each : had(records()->exports_over(now_ts, begun_before_ts, limit)))
      ids.push_back(each.facts.export_id.bytes[15]);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
};

const model::uuid export_records_bench::owner = id_of(77);

TEST_CASE("an export is found once it is complete, by every process", "[engines]") {
  const export_records_bench on;
  const auto begun = on.begin(1, 1, 5);
  CHECK(begun.facts == export_facts{id_of(1), export_records_bench::query_of(1), 0});
  CHECK(begun.generation == 1);
  CHECK_FALSE(on.find(1));
  CHECK(had(on.records()->export_usage_now()).empty());
  auto record = export_records_bench::whole(begun);
  record.has_running = GENERATE(false, true);
  CHECK(had(on.records()->complete_export(record)));
  const auto other = had(on.open());
  CHECK(had(had(other->exports())->find_export(id_of(1))) == record);
  CHECK(had(on.records()->export_usage_now()) ==
        export_usages{{record.facts.query.game_id, {1, 10}}});
}

TEST_CASE("exports of one span in two dialects are two, and each is found as it is", "[engines]") {
  const export_records_bench on;
  const auto exact = export_records_bench::query_of(1);
  const model::export_query excel{exact.game_id, exact.span, model::csv_dialect::excel};
  const auto first = on.begin(1, 1);
  auto claim = export_records_bench::claim_of(2, 1);
  claim.query = excel;
  const auto second = had(on.records()->claim_export(claim));
  CHECK(second.is_own); // nobody writes it yet
  CHECK(had(on.records()->complete_export(export_records_bench::whole(first))));
  CHECK(had(on.records()->complete_export(export_records_bench::whole(second.record))));
  CHECK(on.find(1)->facts.query == exact);
  CHECK(on.find(2)->facts.query == excel);
  for (const auto& [query, id] : {std::pair{exact, 1}, {excel, 2}}) {
    const auto found = had(on.records()->exports_of(query));
    REQUIRE(found.records.size() == 1);
    CHECK(found.records[0].facts.export_id == id_of(static_cast<std::uint8_t>(id)));
    CHECK(found.records[0].facts.query == query);
  }
  // Both are of the game.
  CHECK(had(on.records()->export_usage_now()) == export_usages{{exact.game_id, {2, 20}}});
}

TEST_CASE("an export is completed once, by who has its generation", "[engines]") {
  const export_records_bench on;
  export_record unknown;
  unknown.facts.export_id = id_of(1);
  CHECK_FALSE(had(on.records()->complete_export(unknown)));
  CHECK_FALSE(had(on.records()->renew_export(unknown, milliseconds{1})));
  const auto record = export_records_bench::whole(on.begin(1, 1));
  auto of_other = record;
  of_other.generation = 2;
  CHECK_FALSE(had(on.records()->complete_export(of_other)));
  CHECK_FALSE(had(on.records()->renew_export(of_other, milliseconds{1})));
  had(on.records()->forget_export(of_other));
  CHECK(had(on.records()->complete_export(record)));
  auto again = record;
  again.size_bytes = 20;
  CHECK_FALSE(had(on.records()->complete_export(again)));
  CHECK_FALSE(had(on.records()->renew_export(again, milliseconds{1})));
  CHECK(on.find(1)->size_bytes == 10);
}

TEST_CASE("one process writes an export, and others that claim the same one learn of it",
          "[engines]") {
  const export_records_bench on;
  auto mine = on.begin(1, 1);
  const auto claimed = had(on.records()->claim_export(export_records_bench::claim_of(2, 1)));
  CHECK_FALSE(claimed.is_own);
  CHECK(claimed.record == mine);
  CHECK_FALSE(claimed.record.snapshot);
  mine.snapshot = history_snapshot{claimed.revisions, 55};
  REQUIRE(had(on.records()->renew_export(mine, milliseconds{7'200'000})));
  const auto found = had(on.records()->exports_of(export_records_bench::query_of(1)));
  REQUIRE(found.records.size() == 1);
  CHECK(found.records[0].snapshot == mine.snapshot);
  CHECK(found.records[0].leased_until_ts > mine.leased_until_ts);
  CHECK(found.records[0].leased_until_ts > found.now_ts);
  CHECK(found.revisions == claimed.revisions);
  // Another game, another export.
  CHECK(on.begin(3, 2).facts.export_id == id_of(3));
}

TEST_CASE("an export that begins to read too early, or is not kept long enough, is made again",
          "[engines]") {
  const export_records_bench on;
  auto early = on.begin(1, 1);
  early.snapshot = history_snapshot{{-1, 0}, 55};
  REQUIRE(had(on.records()->renew_export(early, milliseconds{3'600'000})));
  auto record = export_records_bench::whole(on.begin(2, 1));
  REQUIRE(had(on.records()->complete_export(record)));
  auto again = export_records_bench::claim_of(3, 1);
  again.linked_until_ts = 1'000;
  CHECK(had(on.records()->claim_export(again)).record == record);
  again.linked_until_ts = 1'001;
  CHECK(had(on.records()->claim_export(again)).is_own);
}

TEST_CASE("an export that nobody writes any more is taken over, by one", "[engines]") {
  const export_records_bench on;
  const auto mine = on.begin(1, 1, 5);
  on.end_lease(mine);
  const auto taken = had(on.records()->claim_export(export_records_bench::claim_of(2, 1, 6)));
  CHECK(taken.is_own);
  CHECK(taken.record.facts.export_id == id_of(1));
  CHECK(taken.record.generation == 2);
  CHECK_FALSE(had(on.records()->claim_export(export_records_bench::claim_of(3, 1))).is_own);
  // Who had it finds out, whatever it does.
  CHECK_FALSE(had(on.records()->renew_export(mine, milliseconds{1})));
  CHECK_FALSE(had(on.records()->complete_export(export_records_bench::whole(mine))));
  had(on.records()->forget_export(mine));
  CHECK(had(on.records()->complete_export(export_records_bench::whole(taken.record))));
  CHECK(on.find(1)->generation == 2);
}

TEST_CASE("a slow process keeps its export if no other took it over", "[engines]") {
  const export_records_bench on;
  const auto mine = on.begin(1, 1);
  on.end_lease(mine);
  CHECK(had(on.records()->renew_export(mine, milliseconds{3'600'000})));
  CHECK_FALSE(had(on.records()->claim_export(export_records_bench::claim_of(2, 1))).is_own);
  on.end_lease(mine);
  CHECK(had(on.records()->complete_export(export_records_bench::whole(mine))));
}

TEST_CASE("of processes that claim the same export at once, one has it", "[engines]") {
  const export_records_bench on;
  constexpr int processes = 8;
  std::atomic<int> own{0};
  std::vector<std::thread> threads;
  for (std::uint8_t i = 1; i <= processes; ++i)
    threads.emplace_back([&, i] {
      const auto claimed = on.opened->exports().and_then(
          [&](const auto& in) { return in->claim_export(export_records_bench::claim_of(i, 1)); });
      own += claimed && claimed->is_own ? 1 : 0;
    });
  for (auto& each : threads)
    each.join();
  CHECK(own == 1);
  CHECK(had(on.records()->exports_of(export_records_bench::query_of(1))).records.size() == 1);
}

TEST_CASE("of the exports of a query the newest are looked at", "[engines]") {
  const export_records_bench on;
  for (std::uint8_t i = 1; i <= records_of_query_limit + 1; ++i) {
    auto begun = on.begin(i, 1);
    begun.snapshot = history_snapshot{{-1, 0}, 0}; // not recent enough for the next one
    REQUIRE(had(on.records()->renew_export(begun, milliseconds{3'600'000 + 1'000'000 * i})));
  }
  const auto found = had(on.records()->exports_of(export_records_bench::query_of(1))).records;
  REQUIRE(found.size() == records_of_query_limit);
  CHECK(found.front().facts.export_id == id_of(records_of_query_limit + 1));
  CHECK(found.back().facts.export_id == id_of(2));
}

TEST_CASE("an export of an earlier version is adopted once, and never reused", "[engines]") {
  const export_records_bench on;
  export_record former{{id_of(1), export_records_bench::query_of(1), 1'000}};
  former.is_complete = true;
  former.size_bytes = 10;
  had(on.records()->adopt_export(former));
  CHECK(on.find(1) == former);
  auto other = former;
  other.size_bytes = 11;
  had(on.records()->adopt_export(other));
  CHECK(on.find(1) == former);
  CHECK_FALSE(had(on.records()->exports_of(former.facts.query)).find_whole(0));
  CHECK(on.over(1'000, 0) == std::vector{1});
}

TEST_CASE("exports are over when they expire, or were begun long ago", "[engines]") {
  const export_records_bench on;
  const auto first = on.complete(1, 1, 1'000);
  on.complete(2, 2, 2'000);
  const auto third = on.begin(3, 3, 500);
  CHECK(on.over(999, 500).empty());
  CHECK(on.over(1'000, 500) == std::vector{1});
  CHECK(on.over(2'000, 501) == std::vector{1, 2, 3});
  CHECK(on.over(2'000, 501, 2).size() == 2);
  had(on.records()->forget_export(first));
  had(on.records()->forget_export(first));
  had(on.records()->forget_export(third));
  CHECK_FALSE(on.find(1));
  CHECK(on.over(9'000, 9'000) == std::vector{2});
  CHECK(had(on.records()->export_usage_now()) ==
        export_usages{{export_records_bench::query_of(2).game_id, {1, 10}}});
}

TEST_CASE("all exports are read, complete or not, until they are not wanted", "[engines]") {
  const export_records_bench on;
  on.complete(1, 1);
  on.begin(2, 2, 5);
  std::vector<bool> complete(3);
  int seen = 0;
  had(on.records()->read_exports([&](const export_record& each) {
    ++seen;
    complete[each.facts.export_id.bytes[15]] = each.is_complete;
    CHECK(each.facts.query == export_records_bench::query_of(each.facts.export_id.bytes[15]));
    return true;
  }));
  CHECK(seen == 2);
  CHECK(complete == std::vector{false, true, false});
  had(on.records()->read_exports([&](const export_record&) { return ++seen < 3; }));
  CHECK(seen == 3);
}

struct replicas_bench : conforming_store {
  replicas_bench() : conforming_store{each_complete_engine()} {}

  std::shared_ptr<database> opened = had(open());

  std::uint32_t renew(std::uint8_t replica, milliseconds lease = milliseconds{60'000}) const {
    return had(had(opened->replicas())->renew_replica(id_of(replica), lease));
  }
};

TEST_CASE("replicas count while their leases hold, each once", "[engines]") {
  const replicas_bench on;
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(2) == 2);
  CHECK(on.renew(3, milliseconds{0}) == 2);
  CHECK(on.renew(3) == 3);
  CHECK(on.renew(2, milliseconds{-1}) == 2);
  CHECK(on.renew(1) == 2);
}

TEST_CASE("replicas hear what those that serve told last", "[engines]") {
  const replicas_bench on;
  on.renew(1);
  on.renew(2);
  on.renew(3, milliseconds{0});
  const auto in = had(on.opened->replicas());
  for (const auto* text : {"first", "last"})
    had(in->tell_replicas(id_of(1), text));
  had(in->tell_replicas(id_of(3), "gone"));
  had(in->tell_replicas(id_of(4), "has no lease"));
  on.renew(1);
  const auto heard = had(in->hear_replicas());
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].replica_id == id_of(1));
  CHECK(heard[0].summary == "last");
  CHECK(std::chrono::abs(milliseconds{had(in->store_time()) - heard[0].told_ts}) <
        milliseconds{60'000});
  CHECK(heard[1].replica_id == id_of(2));
  CHECK(heard[1].summary.empty());
}

TEST_CASE("a lease ends by the store's clock", "[engines]") {
  const replicas_bench on;
  on.renew(1, milliseconds{300});
  CHECK(e2e::eventually([&] { return on.renew(2) == 1; }));
}

TEST_CASE("replicas whose clocks are wrong agree on what has expired", "[engines]") {
  const replicas_bench on;
  const auto now_ts = had(had(on.opened->replicas())->store_time());
  // An export that is kept for one more hour.
  const export_claim claim{{id_of(1), {0, 10}},  id_of(7), id_of(8),
                           milliseconds{60'000}, now_ts,   now_ts};
  auto record = had(had(on.opened->exports())->claim_export(claim)).record;
  record.facts.keep_until_ts = now_ts + 3'600'000;
  record.sha256 = std::string(64, '0');
  REQUIRE(had(had(on.opened->exports())->complete_export(record)));
  for (const auto skew : {std::chrono::hours{3}, std::chrono::hours{-2}}) {
    const wrong_clock machine{skew};
    store_clock clock{machine};
    const auto count = std::make_shared<replica_count>();
    replica_lease lease{on.opened, id_of(5), count, std::make_shared<replica_board>(), clock};
    had(lease.renew());
    CHECK(count->get() == 1);
    CHECK(std::chrono::abs(clock.offset() + skew) < milliseconds{60'000});
    const auto exports = had(on.opened->exports());
    CHECK(had(exports->exports_over(clock.unix_ms(), 0, 10)).empty());
    CHECK(had(exports->exports_over(clock.unix_ms() + 3'700'000, 0, 10)).size() == 1);
  }
}

} // namespace
} // namespace matchcloud::store
