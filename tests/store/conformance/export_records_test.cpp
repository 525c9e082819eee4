#include "store/export_records.hpp"

#include "tests/store/conformance/engines.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace matchcloud::store {
namespace {

struct bench : conforming_store {
  bench() : conforming_store{each_complete_engine()} {}

  std::shared_ptr<database> opened = had(open());

  lease<export_records> records() const { return had(opened->exports()); }

  static model::export_query query_of(std::uint8_t game) {
    return {id_of(game), {7, std::numeric_limits<std::uint64_t>::max()}};
  }
  static export_record whole(std::uint8_t number, std::int64_t keep_until_ts = 1'000) {
    return {{id_of(number), query_of(1), keep_until_ts}, 1, true, 10, std::string(64, 'a')};
  }
  void complete(std::uint8_t number, std::int64_t keep_until_ts = 1'000) const {
    had(records()->begin_export(id_of(number), query_of(1), 0));
    REQUIRE(had(records()->complete_export(whole(number, keep_until_ts))));
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

TEST_CASE("an export is found once it is complete, by every process", "[engines]") {
  const bench on;
  had(on.records()->begin_export(id_of(1), bench::query_of(1), 5));
  CHECK_FALSE(on.find(1));
  CHECK(had(on.records()->export_usage_now()) == export_usage{});
  CHECK(had(on.records()->complete_export(bench::whole(1))));
  const auto other = had(on.open());
  CHECK(had(had(other->exports())->find_export(id_of(1))) == bench::whole(1));
  CHECK(had(on.records()->export_usage_now()) == export_usage{1, 10});
}

TEST_CASE("an export is completed once, by who has its generation", "[engines]") {
  const bench on;
  CHECK_FALSE(had(on.records()->complete_export(bench::whole(1))));
  had(on.records()->begin_export(id_of(1), bench::query_of(1), 5));
  auto of_other = bench::whole(1);
  of_other.generation = 2;
  CHECK_FALSE(had(on.records()->complete_export(of_other)));
  CHECK(had(on.records()->complete_export(bench::whole(1))));
  auto again = bench::whole(1);
  again.size_bytes = 20;
  CHECK_FALSE(had(on.records()->complete_export(again)));
  CHECK(on.find(1)->size_bytes == 10);
  CHECK_FALSE(on.records()->begin_export(id_of(1), bench::query_of(1), 5).has_value());
}

TEST_CASE("exports are over when they expire, or were begun long ago", "[engines]") {
  const bench on;
  on.complete(1, 1'000);
  on.complete(2, 2'000);
  had(on.records()->begin_export(id_of(3), bench::query_of(1), 500));
  CHECK(on.over(999, 500).empty());
  CHECK(on.over(1'000, 500) == std::vector{1});
  CHECK(on.over(2'000, 501) == std::vector{1, 2, 3});
  CHECK(on.over(2'000, 501, 2).size() == 2);
  had(on.records()->forget_export(id_of(1)));
  had(on.records()->forget_export(id_of(1)));
  had(on.records()->forget_export(id_of(3)));
  CHECK_FALSE(on.find(1));
  CHECK(on.over(9'000, 9'000) == std::vector{2});
  CHECK(had(on.records()->export_usage_now()) == export_usage{1, 10});
}

TEST_CASE("all exports are read, complete or not, until they are not wanted", "[engines]") {
  const bench on;
  on.complete(1);
  had(on.records()->begin_export(id_of(2), bench::query_of(2), 5));
  std::vector<bool> complete(3);
  int seen = 0;
  had(on.records()->read_exports([&](const export_record& each) {
    ++seen;
    complete[each.facts.export_id.bytes[15]] = each.is_complete;
    CHECK(each.facts.query == bench::query_of(each.facts.export_id.bytes[15]));
    return true;
  }));
  CHECK(seen == 2);
  CHECK(complete == std::vector{false, true, false});
  had(on.records()->read_exports([&](const export_record&) { return ++seen < 3; }));
  CHECK(seen == 3);
}

} // namespace
} // namespace matchcloud::store
