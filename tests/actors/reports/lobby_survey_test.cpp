#include "actors/reports/lobby_survey.hpp"

#include "actors/reports/lobby_counts.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <deque>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using e2e::number_at;
using e2e::parse_json;
using e2e::text_at;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A store with game 1 and the lobbies that a test gives it.
struct lobby_survey_bench {
  manual_clock clock;
  std::shared_ptr<fake_database> behind = std::make_shared<fake_database>();
  std::shared_ptr<store::database> database = open_fake(behind);
  std::deque<std::string> columns;
  std::int64_t now = clock.unix_ms();
  survey_bounds within{&clock, seconds{10}};

  lobby_survey_bench() { behind->content = *two_regions(); }

  void add(std::int64_t start_ts, std::optional<std::int64_t> stop_ts,
           const std::string& attributes =
               "fra,Frankfurt,basic-1d1,00000000-0000-4000-8000-000000000031,1.4,duel") {
    const auto number = static_cast<std::uint8_t>(behind->lobbies.size() + 1);
    columns.push_back("00000000-0000-4000-8000-000000000011,\"a \"\"prod\"\", b\"," + attributes);
    behind->lobbies.push_back({id_of(number), {start_ts, stop_ts}, &columns.back()});
  }
  rapidjson::Document survey(const base::expected<lobby_survey_query>& query) {
    REQUIRE(query);
    const auto found = survey_lobbies_of(id_of(1), *query, *database, within);
    REQUIRE(found);
    return parse_json(*found);
  }
};

std::vector<int> numbers(const rapidjson::Value& list) {
  std::vector<int> all;
  for (const auto& each : list.GetArray())
    all.push_back(each.GetInt());
  return all;
}

TEST_CASE("a history counts started and running lobbies by bucket") {
  lobby_survey_bench of;
  of.add(50, 150);    // runs on into the span
  of.add(100, 100);   // for no time
  of.add(110, 320);   // over several buckets
  of.add(399, 1'000); // runs on behind the span
  const auto found = of.survey(read_history_query("100", "400", "3"));
  CHECK(number_at(found, "bucket_ms") == 100);
  CHECK(numbers(found["started"]) == std::vector<int>{2, 0, 1});
  CHECK(numbers(found["running"]) == std::vector<int>{1, 1, 1});
  CHECK(number_at(found, "running_now") == 0);
  CHECK_FALSE(found["is_partial"].GetBool());
}

TEST_CASE("a history tells its peak, and when that was first") {
  lobby_survey_bench of;
  of.add(50, 150);
  of.add(110, 320);
  of.add(120, 140);
  of.add(310, 330);
  const auto found = of.survey(read_history_query("100", "400", "1"));
  CHECK(numbers(found["running"]) == std::vector<int>{1});
  CHECK(number_at(found, "peak/running") == 3);
  CHECK(number_at(found, "peak/at") == 120);
  CHECK(found["partial_from"].IsNull());
  CHECK(of.survey(read_history_query("400", "500", "1"))["peak"].IsNull());
}

TEST_CASE("a history tells from when on it is complete") {
  lobby_survey_bench of;
  CHECK(of.survey(read_history_query("0", "1", ""))["complete_from"].IsNull());
  of.behind->complete_from_ts = 77;
  CHECK(of.survey(read_history_query("0", "1", ""))["complete_from"].GetInt() == 77);
}

TEST_CASE("surveys are of the lobbies that fit a filter") {
  lobby_survey_bench of;
  const std::string old = "00000000-0000-4000-8000-00000000003a";
  const auto add = [&](const std::string& attributes) {
    of.add(of.now - 1'000, std::nullopt, attributes);
  };
  add("fra,Frankfurt,basic-1d1," + old + ",1.4,duel");
  add("fra,Frankfurt,large," + old + ",1.4,duel");
  add("gru,Sao Paulo,large," + old + ",1.4,\"a, b\"");
  add("gru,Sao Paulo,large,00000000-0000-4000-8000-00000000003b,1.5,duel");
  const auto count = [&](const lobby_filter& filter) {
    const auto begin = std::to_string(of.now - 2'000);
    const auto end = std::to_string(of.now);
    const auto found = of.survey(read_history_query(begin, end, "1", filter));
    const auto running = found["running_now"].GetInt();
    CHECK(numbers(found["started"]) == std::vector<int>{running});
    CHECK((running == 0 ? found["peak"].IsNull() : found["peak"]["running"].GetInt() == running));
    // What one may choose by does not shrink with what is chosen.
    CHECK(found["versions"].Size() == 2);
    CHECK(std::string{found["versions"][0]["version_name"].GetString()} == "1.4");
    REQUIRE(found["game_modes"].Size() == 2);
    CHECK(std::string{found["game_modes"][0].GetString()} == "a, b");
    const auto listed = of.survey(read_running_query("", "", filter));
    CHECK(static_cast<int>(listed["lobbies"].Size()) == running);
    return running;
  };
  CHECK(count({}) == 4);
  CHECK(count({.region_id = "fra"}) == 2);
  CHECK(count({.tier = "large"}) == 3);
  CHECK(count({.game_mode = "duel"}) == 3);
  CHECK(count({.game_mode = "a, b"}) == 1);
  CHECK(count(*read_lobby_filter("", "", "00000000-0000-4000-8000-00000000003A", "")) == 3);
  CHECK(count({.region_id = "gru", .tier = "large", .version_id = old}) == 1);
  CHECK(count({.region_id = "Frankfurt"}) == 0); // a name is no id
}

TEST_CASE("a lobby is found by its id, also when it runs no more") {
  lobby_survey_bench of;
  of.add(1'000, 3'500);
  of.add(of.now - 4'000, std::nullopt);
  const auto ended = of.survey(one_lobby_query{id_of(1)});
  CHECK(text_at(ended, "lobby_id") == model::to_string(id_of(1)));
  CHECK(text_at(ended, "region_name") == "Frankfurt");
  CHECK(text_at(ended, "version_name") == "1.4");
  CHECK(text_at(ended, "start_ts") == "1970-01-01T00:00:01.000Z");
  CHECK(text_at(ended, "stop_ts") == "1970-01-01T00:00:03.500Z");
  CHECK(number_at(ended, "total_uptime_ms") == 2'500);
  const auto running = of.survey(one_lobby_query{id_of(2)});
  CHECK(running["stop_ts"].IsNull());
  CHECK(number_at(running, "total_uptime_ms") == 4'000);
  const auto unknown =
      survey_lobbies_of(id_of(1), one_lobby_query{id_of(9)}, *of.database, of.within);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == errc::lobby_unknown);
}

TEST_CASE("a lobby that runs counts until now") {
  lobby_survey_bench of;
  of.add(of.now - 1'000, std::nullopt);
  const auto text = [](std::int64_t time) { return std::to_string(time); };
  const auto found = of.survey(read_history_query(text(of.now - 2'000), text(of.now + 2'000), "4"));
  CHECK(numbers(found["started"]) == std::vector<int>{0, 1, 0, 0});
  CHECK(numbers(found["running"]) == std::vector<int>{0, 1, 1, 0});
  CHECK(number_at(found, "running_now") == 1);
}

TEST_CASE("a survey whose time is up is partial") {
  lobby_survey_bench of;
  for (int i = 0; i < 10; ++i)
    of.add(i, 100);
  of.behind->while_reading = [&] { of.clock.advance(seconds{11}); };
  const auto found = of.survey(read_history_query("0", "10", "1"));
  CHECK(found["is_partial"].GetBool());
  CHECK(number_at(found, "partial_from") == 0);
  CHECK(found["peak"].IsNull());
}

TEST_CASE("a survey that nobody wants any more ends") {
  lobby_survey_bench of;
  for (int i = 0; i < 10; ++i)
    of.add(i, 100);
  int looks = 0;
  of.within.is_unwanted = [&] { return ++looks > 3; };
  const auto found = of.survey(read_history_query("0", "10", "1"));
  CHECK(found["is_partial"].GetBool());
  CHECK(number_at(found, "partial_from") == 2); // it had read the lobbies that began at 0, 1 and 2
  CHECK(number_at(found, "peak/running") == 3);
}

TEST_CASE("a short span has fewer buckets than requested") {
  lobby_survey_bench of;
  of.add(0, 5'000);
  const auto found = of.survey(read_history_query("0", "1001", "500"));
  CHECK(number_at(found, "bucket_ms") == 3);
  CHECK(found["started"].Size() == 334);
  CHECK(found["running"].Size() == 334);
}

TEST_CASE("running lobbies are listed, up to the limit") {
  lobby_survey_bench of;
  of.add(of.now - 5'000, std::nullopt);
  of.add(of.now - 4'000, of.now + 1);
  of.add(of.now - 3'000, std::nullopt);
  of.add(of.now - 1'000, std::nullopt);
  const auto all = of.survey(read_running_query("", ""));
  REQUIRE(all["lobbies"].Size() == 3);
  CHECK_FALSE(all["more"].GetBool());
  CHECK(text_at(all["lobbies"][0], "namespace_name") == "a \"prod\", b");
  CHECK(text_at(all["lobbies"][0], "game_mode") == "duel");
  const auto two = of.survey(read_running_query("", "2"));
  CHECK(two["lobbies"].Size() == 2);
  CHECK(two["more"].GetBool());
  const auto old = of.survey(read_running_query("2999", ""));
  CHECK(old["lobbies"].Size() == 2);
  CHECK_FALSE(old["more"].GetBool());
}

TEST_CASE("surveys of unknown games and failing stores are errors") {
  lobby_survey_bench of;
  const auto query = *read_running_query("", "");
  const auto unknown = survey_lobbies_of(id_of(9), query, *of.database, of.within);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == errc::game_not_found);
  of.behind->failure = base::error{errc::store_failed, "gone"};
  const auto failed = survey_lobbies_of(id_of(1), query, *of.database, of.within);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == errc::store_failed);
}

TEST_CASE("the parameters of surveys have bounds") {
  CHECK(read_history_query("0", "1", ""));
  CHECK(read_history_query("0", "1", "500"));
  for (const auto& [start, end, buckets] :
       std::vector<std::array<std::string, 3>>{{"", "1", ""},
                                               {"0", "", ""},
                                               {"1", "1", ""},
                                               {"2", "1", ""},
                                               {"-1", "1", ""},
                                               {"0", "9223372036854775808", ""},
                                               {"0", "1", "0"},
                                               {"0", "1", "501"},
                                               {"0", "1", "x"}}) {
    const auto refused = read_history_query(start, end, buckets);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::query_invalid);
  }
  CHECK(read_running_query("0", "1000"));
  for (const auto* limit : {"0", "1001", "x"})
    CHECK_FALSE(read_running_query("", limit));
  CHECK_FALSE(read_running_query("-1", ""));
  const auto refused = read_lobby_filter("", "", "1.4", "");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::query_invalid);
}

using model::time_span;
using lobbies = std::vector<time_span>;

peak_count peak_of(const time_span& span, const lobbies& all) {
  peak_count peak{span};
  for (const auto& each : all)
    REQUIRE(peak.add(each));
  return peak;
}

/// Looks at every instant of the span.
std::pair<std::size_t, std::uint64_t> peak_by_looking(const time_span& span, const lobbies& all) {
  std::pair<std::size_t, std::uint64_t> most{0, 0};
  for (auto now = span.begin; now < span.end; ++now) {
    const auto running = static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const auto& each) { return each.begin <= now && now < each.end; }));
    if (running > most.first) most = {running, now};
  }
  return most;
}

TEST_CASE("a peak is found between the begins of buckets") {
  const lobbies all{{1, 9}, {2, 5}, {3, 4}, {4, 6}, {9, 10}};
  const auto peak = peak_of({0, 10}, all);
  CHECK(peak.running() == 3);
  CHECK(peak.at() == 3);
  bucket_counts buckets{{0, 10}, 1};
  for (const auto& each : all)
    buckets.add(each);
  CHECK(buckets.running() == std::vector<std::int64_t>{0});
}

TEST_CASE("more lobbies at once than are counted are refused") {
  peak_count peak{{0, 10}, 2};
  CHECK(peak.add({0, 3}));
  CHECK(peak.add({1, 4}));
  CHECK_FALSE(peak.add({2, 4}));
  CHECK(peak.add({3, 4}));
  CHECK(peak.running() == 2);
}

TEST_CASE("a peak is what looking at every instant finds") {
  CHECK(rc::check([] {
    const auto time = rc::gen::inRange<std::uint64_t>(0, 40);
    const auto span = [&] {
      const auto pair = *rc::gen::pair(time, time);
      return time_span{std::min(pair.first, pair.second), std::max(pair.first, pair.second)};
    };
    lobbies all;
    for (auto count = *rc::gen::inRange(0, 30); count > 0; --count)
      all.push_back(span());
    std::ranges::sort(all);
    const auto within = span();
    const auto peak = peak_of(within, all);
    const auto looked = peak_by_looking(within, all);
    RC_ASSERT(peak.running() == looked.first);
    RC_ASSERT(peak.at() == looked.second);
  }));
}

} // namespace
} // namespace matchcloud::actors
