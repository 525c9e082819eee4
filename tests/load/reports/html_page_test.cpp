#include "load/reports/reporting.hpp"

#include "base/failure.hpp"
#include "load/report.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

options asked() {
  options made;
  made.url = "http://127.0.0.1:8080";
  made.mix = single_mix("regions");
  made.mix.front().weight = 3;
  made.mix.push_back(single_mix("avatars").front());
  made.open_loop = arrivals::shape{arrival_kind::poisson, 100, 1s};
  made.ramp = 1s;
  made.duration = 3s;
  return made;
}

results measured_run() {
  results made;
  made.began_ms = 1'700'000'000'000;
  made.seconds = 3;
  made.parts.resize(2);
  for (int second = 0; second < 4; ++second) {
    moment each;
    each.begins = second;
    each.seconds = second + 1;
    each.sent = 101;
    each.answered = 100;
    each.failures[static_cast<std::size_t>(failure::status)] = 1;
    each.ns.fill(900'000);
    each.ns.front() = 100'000;
    each.parts.resize(2);
    each.parts[0].latency = {{100'000, 60}, {900'000, 15}};
    each.parts[1].latency = {{100'000, 25}};
    each.parts[1].failures[static_cast<std::size_t>(failure::status)] = 1;
    made.moments.push_back(each);
    made.parts[0].latency.record(100'000);
  }
  made.parts[0].sent = made.parts[0].answered = 225;
  made.parts[1].sent = 78;
  made.parts[1].answered = 75;
  for (int i = 0; i < 3; ++i)
    made.parts[1].fail(failure::status, "500 </script><!--<script>alert('&')</script>");
  for (const auto& each : made.parts)
    made.all.add(each);
  return made;
}

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

/// The JSON in a page, as its script reads it: up to the first end of a script.
std::string run_in(const std::string& page) {
  const std::string begin = R"(id="run">)";
  const auto from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script", from) - from);
}

TEST_CASE("a page has the run's JSON, which no text in it can end", "[load]") {
  const auto options = asked();
  const auto report = json_report(options, measured_run());
  const auto page = html_page(report);
  const auto inside = run_in(page);
  CHECK(inside.find('<') == std::string::npos);
  const auto run = e2e::parse_json(inside);
  CHECK(run == e2e::parse_json(report));
  CHECK(run["first_errors"]["status"].GetString() ==
        std::string{"500 </script><!--<script>alert('&')</script>"});
  CHECK(page.ends_with("</html>\n"));
  CHECK(has(page, "color-scheme: light dark"));
  CHECK(has(page, "content=\"default-src 'none'; "));
  for (const char* const loaded : {"<link", "<img", "src=", "href=", "@import", "url("}) {
    CAPTURE(loaded);
    CHECK_FALSE(has(page, loaded));
  }
}

TEST_CASE("the JSON has what a page says of a run's options", "[load]") {
  auto options = asked();
  options.asserted = parse_assertions("errors<1");
  const auto run = e2e::parse_json(json_report(options, measured_run()));
  CHECK(run["headline"].GetString() ==
        std::string{"http://127.0.0.1:8080: 100 requests/s (poisson) for 3.0 s, 64 connections, "
                    "1 thread"});
  CHECK(run["ramp_seconds"].GetDouble() == 1);
  CHECK(run["duration_seconds"].GetDouble() == 3);
  CHECK(run["timeout_ms"].GetInt() == 10'000);
  CHECK(run["mix"][0]["name"].GetString() == std::string{"regions"});
  CHECK(run["mix"][0]["percent"].GetDouble() == 75);
  CHECK(run["assertions"][0]["result"].GetString() == std::string{"errors<1: 3"});
  // 100 us are in the bucket up to 100.351 us, but none took longer than 100.
  CHECK(run["operations"][0]["histogram"] == e2e::parse_json("[[100.0,4]]"));
  CHECK(run["histogram"] == run["operations"][0]["histogram"]);
  const auto& first = run["intervals"][0];
  CHECK(first["errors_by_kind"]["status"].GetInt() == 1);
  // 60 of 75 replies took at most 100 us.
  CHECK(first["operations"][0]["p99_us"].GetDouble() == 900);
  CHECK(first["operations"][1]["p99_us"].GetDouble() == 100);
}

TEST_CASE("only a response with points is a history", "[load]") {
  const auto view = base::attempt(
      [&] { return parse_history(R"({"points":[{},{"at":2500,"covers_ms":500}]})", 1'000); });
  REQUIRE(view);
  CHECK(view->ends == 2);
  for (const char* const wrong : {"", "[]", "{}", R"({"points":1})"})
    CHECK_FALSE(base::attempt([&] { return parse_history(wrong, 0); }));
  for (const char* const odd : {R"({"points":[]})", R"({"points":[5]})"})
    CHECK(base::attempt([&] { return parse_history(odd, 0); })->ends == 0);
}

} // namespace
} // namespace matchcloud::load
