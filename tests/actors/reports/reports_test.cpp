#include "actors/reports/reports.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <string>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using namespace std::chrono_literals;

struct reports_bench : deterministic_system {
  std::string status = R"({"ready":true})";
  int samples = 0;
  std::shared_ptr<probe_log> front_log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(front_log);
  manual_pool pool;
  services with;
  caf::actor of;

  reports_bench() {
    with.surveying = &pool;
    reports_settings settings;
    settings.from = {[] { return "metrics"; }, [] { return "actors"; }, [this] { return status; },
                     [this] { ++samples; }};
    settings.from.past = [](const past_query& asked) -> base::expected<std::string> {
      if (!asked.from_ms) return base::fail(errc::query_invalid, "no begin");
      return "from " + std::to_string(*asked.from_ms);
    };
    settings.watchers_limit = 2;
    of = spawn<reports>(with, settings);
    run();
  }
  ~reports_bench() { kill(of); }

  std::shared_ptr<ticket> watch(std::uint64_t exchange) {
    auto made = std::make_shared<ticket>();
    send_as(front, of, watch_status{{exchange, 1}, made});
    return made;
  }
  std::size_t parts_of(std::uint64_t exchange) const {
    std::size_t found = 0;
    for (const auto& each : front_log->answer_parts)
      found += each.exchange.exchange == exchange ? 1 : 0;
    return found;
  }
};

TEST_CASE("a report is rendered when it is asked for") {
  reports_bench on;
  on.send_as(on.front, on.of, render_report{{1, 1}, render_report::kind::metrics});
  on.send_as(on.front, on.of, render_report{{2, 1}, render_report::kind::actors});
  REQUIRE(on.front_log->texts.size() == 2);
  CHECK(*on.front_log->texts[0].text == "metrics");
  CHECK(on.front_log->texts[0].content_type == "text/plain; version=0.0.4");
  CHECK(*on.front_log->texts[1].text == "actors");
  CHECK(on.front_log->texts[1].content_type == "application/json");
}

TEST_CASE("watchers get the status at once and at every tick") {
  reports_bench on;
  on.watch(1);
  REQUIRE(on.front_log->begun.size() == 1);
  CHECK(on.front_log->begun[0].content_type == "text/event-stream");
  REQUIRE(on.parts_of(1) == 1);
  CHECK(*on.front_log->answer_parts[0].bytes == "event: status\ndata: {\"ready\":true}\n\n");
  on.watch(2);
  on.status = R"({"ready":false})";
  on.advance(1'000ms);
  REQUIRE(on.front_log->answer_parts.size() == 4);
  CHECK(*on.front_log->answer_parts[2].bytes == "event: status\ndata: {\"ready\":false}\n\n");
  CHECK(on.front_log->answer_parts[2].bytes == on.front_log->answer_parts[3].bytes);
}

TEST_CASE("the number of watchers is limited") {
  reports_bench on;
  const auto first = on.watch(1);
  on.watch(2);
  on.watch(3);
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::overloaded);
  first->over = true;
  on.advance(1'000ms);
  CHECK(on.parts_of(1) == 1);
  on.watch(4);
  CHECK(on.parts_of(4) == 1);
}

TEST_CASE("the past is sampled at every tick and requested by its span") {
  reports_bench on;
  const auto sampled = on.samples;
  on.advance(1'000ms);
  on.advance(1'000ms);
  CHECK(on.samples == sampled + 2);
  render_report wanted{{1, 1}, render_report::kind::past};
  wanted.past.from_ms = 5;
  on.send_as(on.front, on.of, wanted);
  REQUIRE(on.front_log->texts.size() == 1);
  CHECK(*on.front_log->texts[0].text == "from 5");
  wanted.past.from_ms.reset();
  on.send_as(on.front, on.of, wanted);
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::query_invalid);
}

TEST_CASE("the past is asked for by its begin or by its length") {
  const auto read = [](const std::string& from, const std::string& last) {
    return read_past_query([=](std::string_view name) {
      return name == "from" ? from : name == "last" ? last : std::string{};
    });
  };
  CHECK(read("", "").value().last == 1h);
  CHECK(read("", "600").value().last == 10min);
  CHECK(read("5", "").value().from_ms == 5);
  CHECK(read("5", "600").value().from_ms == 5);
  for (const auto& refused : {read("", "0"), read("", "86401"), read("-1", "")}) {
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::query_invalid);
  }
}

TEST_CASE("without threads for surveys, a request for one is refused") {
  reports_bench on;
  on.pool.full = true;
  on.send_as(on.front, on.of,
             survey_lobbies{{1, 1}, id_of(1), *read_running_query("", ""), nullptr});
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::overloaded);
}

TEST_CASE("a watcher that reads nothing misses updates beyond its bound") {
  reports_bench on;
  on.status = std::string(4'000, 'x');
  const auto size = on.status.size() + std::string_view{"event: status\ndata: \n\n"}.size();
  on.watch(1);
  for (int i = 0; i < 10; ++i)
    on.advance(1'000ms);
  CHECK(on.parts_of(1) == reports::unread_limit_bytes / size);
  on.send_as(on.front, on.of, answer_taken{{1, 1}, size});
  on.advance(1'000ms);
  on.advance(1'000ms);
  CHECK(on.parts_of(1) == reports::unread_limit_bytes / size + 1);
}

TEST_CASE("nothing is rendered while nobody watches") {
  reports_bench on;
  on.watch(1)->over = true;
  on.advance(1'000ms);
  on.advance(60'000ms);
  CHECK(on.front_log->answer_parts.size() == 1);
}

} // namespace
} // namespace matchcloud::actors
