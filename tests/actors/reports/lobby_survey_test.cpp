#include "actors/reports/lobby_survey.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"

#include <deque>
#include <string>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
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

TEST_CASE("a history counts what began in each bucket and what ran at its begin") {
  lobby_survey_bench of;
  of.add(50, 150);    // runs on into the span
  of.add(100, 100);   // for no time
  of.add(110, 320);   // over several buckets
  of.add(399, 1'000); // runs on behind the span
  const auto found = of.survey(read_history_query("100", "400", "3"));
  CHECK(found["bucket_ms"].GetInt() == 100);
  CHECK(numbers(found["started"]) == std::vector<int>{2, 0, 1});
  CHECK(numbers(found["running"]) == std::vector<int>{1, 1, 1});
  CHECK(found["running_now"].GetInt() == 0);
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
  CHECK(found["peak"]["running"].GetInt() == 3);
  CHECK(found["peak"]["at"].GetInt() == 120);
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

TEST_CASE("a list of running lobbies has as many as are wanted of those that fit") {
  lobby_survey_bench of;
  for (int i = 0; i < 6; ++i)
    of.add(of.now - 1'000 + i, std::nullopt,
           std::string{i % 2 == 0 ? "fra" : "gru"} +
               ",,large,00000000-0000-4000-8000-000000000031,1.4,duel");
  const auto two = of.survey(read_running_query("", "2", {.region_id = "gru"}));
  CHECK(two["lobbies"].Size() == 2);
  CHECK(two["more"].GetBool());
  const auto three = of.survey(read_running_query("", "3", {.region_id = "gru"}));
  CHECK(three["lobbies"].Size() == 3);
  CHECK_FALSE(three["more"].GetBool());
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
  CHECK(ended["total_uptime_ms"].GetInt() == 2'500);
  const auto running = of.survey(one_lobby_query{id_of(2)});
  CHECK(running["stop_ts"].IsNull());
  CHECK(running["total_uptime_ms"].GetInt() == 4'000);
  const auto unknown =
      survey_lobbies_of(id_of(1), one_lobby_query{id_of(9)}, *of.database, of.within);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == base::errc::lobby_unknown);
}

TEST_CASE("a lobby that runs counts until now") {
  lobby_survey_bench of;
  of.add(of.now - 1'000, std::nullopt);
  const auto text = [](std::int64_t time) { return std::to_string(time); };
  const auto found = of.survey(read_history_query(text(of.now - 2'000), text(of.now + 2'000), "4"));
  CHECK(numbers(found["started"]) == std::vector<int>{0, 1, 0, 0});
  CHECK(numbers(found["running"]) == std::vector<int>{0, 1, 1, 0});
  CHECK(found["running_now"].GetInt() == 1);
}

TEST_CASE("a survey whose time is up is partial") {
  lobby_survey_bench of;
  for (int i = 0; i < 10; ++i)
    of.add(i, 100);
  of.behind->while_reading = [&] { of.clock.advance(seconds{11}); };
  const auto found = of.survey(read_history_query("0", "10", "1"));
  CHECK(found["is_partial"].GetBool());
  CHECK(found["partial_from"].GetInt() == 0);
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
  CHECK(found["partial_from"].GetInt() == 2); // it had read the lobbies that began at 0, 1 and 2
  CHECK(found["peak"]["running"].GetInt() == 3);
}

TEST_CASE("a short span has fewer buckets than are wanted, and none behind its end") {
  lobby_survey_bench of;
  of.add(0, 5'000);
  const auto found = of.survey(read_history_query("0", "1001", "500"));
  CHECK(found["bucket_ms"].GetInt() == 3);
  CHECK(found["started"].Size() == 334);
  CHECK(found["running"].Size() == 334);
}

TEST_CASE("running lobbies are listed with all that is known of them, as many as are wanted") {
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

TEST_CASE("a survey of an unknown game, or of a store that fails, is an error") {
  lobby_survey_bench of;
  const auto query = *read_running_query("", "");
  const auto unknown = survey_lobbies_of(id_of(9), query, *of.database, of.within);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == base::errc::game_not_found);
  of.behind->failure = base::error{base::errc::store_failed, "gone"};
  const auto failed = survey_lobbies_of(id_of(1), query, *of.database, of.within);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == base::errc::store_failed);
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
    CHECK(refused.error().code == base::errc::query_invalid);
  }
  CHECK(read_running_query("0", "1000"));
  for (const auto* limit : {"0", "1001", "x"})
    CHECK_FALSE(read_running_query("", limit));
  CHECK_FALSE(read_running_query("-1", ""));
  const auto refused = read_lobby_filter("", "", "1.4", "");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::query_invalid);
}

} // namespace
} // namespace matchcloud::actors
