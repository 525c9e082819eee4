#include "load/reports/html_report.hpp"

#include "tests/catch.hpp"

#include <set>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

/// What is wrong with how the tags of a page are nested; empty if nothing is.
std::string wrong_nesting(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const auto end = page.find('>', at);
    if (end == std::string::npos) return "a tag does not end";
    const auto tag = page.substr(at + 1, end - at - 1);
    const auto name = tag.substr(0, tag.find_first_of(" \n"));
    if (name == "!doctype" || name == "meta" || tag.ends_with('/')) continue;
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return name + " closes " + (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " stays open";
}

options asked() {
  options made;
  made.url = "http://127.0.0.1:8080";
  made.mix = single_mix(http::operation::list_regions);
  made.mix.front().weight = 3;
  made.mix.push_back(single_mix(http::operation::list_avatars).front());
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
    each.errors = 1;
    each.p50_ns = 100'000;
    each.p99_ns = each.p99_9_ns = each.max_ns = 900'000;
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
    made.parts[1].fail(failure::status, "500 <script>alert('&')</script>");
  for (const auto& each : made.parts)
    made.all.add(each);
  return made;
}

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST_CASE("a page about a run needs nothing else and hides nothing", "[load]") {
  const auto options = asked();
  const auto of = measured_run();
  const auto page =
      html_report({&options, &of, nullptr, nullptr, {"host", "cpu <1>", 2, "k", "v"}});
  CHECK(wrong_nesting(page).empty());
  for (const char* const title :
       {"Latency over time", "Distribution over time", "Throughput and errors", "Operations",
        "The run", "Intervals", "2023-11-14 22:13:20 UTC", "cpu &lt;1&gt;", "regions 75.0 %"}) {
    CAPTURE(title);
    CHECK(has(page, title));
  }
  // The only parts that a run without --find, stages and --ops lacks.
  CHECK_FALSE(has(page, "<h2>Latency and throughput"));
  CHECK_FALSE(has(page, "own view</h2>"));
  CHECK(has(page, "&lt;script&gt;alert(&#39;&amp;&#39;)"));
  CHECK_FALSE(has(page, "<script"));
  for (const char* const loaded : {"<link", "<img", "src=", "href=", "@import", "url("}) {
    CAPTURE(loaded);
    CHECK_FALSE(has(page, loaded));
  }
  CHECK(has(page, "prefers-color-scheme: dark"));
  CHECK(has(page, "class=\"shaded\""));
  // 60 replies of the first second, of one operation, and 25 of the other.
  CHECK(has(page, "0.0 to 1.0 s, 82.5 \u00b5s to 100 \u00b5s: 85"));
}

TEST_CASE("a page about stages has the curve of those with a rate of their own", "[load]") {
  const auto options = asked();
  auto of = measured_run();
  for (const double rate : {100.0, 300.0}) {
    of.stages.push_back({{"steady", rate, rate, 1s}, of.all});
    of.stages.push_back({{"ramp", rate, rate + 1, 1s}, of.all});
  }
  const auto page = html_report({&options, &of, nullptr, nullptr, {}});
  CHECK(wrong_nesting(page).empty());
  const auto begin = page.find("<h2>Latency and throughput");
  REQUIRE(begin != std::string::npos);
  const auto curve = page.substr(begin, page.find("</section>", begin) - begin);
  CHECK(has(curve, "<td>300</td>"));
  CHECK_FALSE(has(curve, "<td>301</td>"));
  CHECK_FALSE(has(curve, "<td>200</td>"));
}

TEST_CASE("a page has what the search and the service say", "[load]") {
  const auto options = asked();
  const auto of = measured_run();
  found_capacity found;
  found.kept_rate = 100;
  found.broken_rate = 200;
  found.gave_way = "server";
  found.gave_way_reason = "p99<5ms: 7.20 ms";
  found.steps = {{.rate = 100, .p50_ns = 1'000, .kept = true}, {.rate = 200, .p50_ns = 9'000}};
  const auto service = parse_history(R"({"points":[
    {"at":1700000000500,"covers_ms":1000,"loops":[0.25,0.5],"counts":{"shed":7},
     "data_plane":{"requests":90,"answers":{"5xx":3},"latency_us":{"p50":40,"p99":70,"max":95}}},
    {"at":1700000009000,"covers_ms":1000,"loops":[],"counts":{},"data_plane":{"requests":5000}}]})",
                                     of.began_ms);
  REQUIRE(service);
  const auto page = html_report({&options, &of, &found, &*service, {}});
  CHECK(wrong_nesting(page).empty());
  CHECK(has(page, "<h2>Latency and throughput"));
  CHECK(has(page, "What gave way: the server. p99&lt;5ms: 7.20 ms"));
  CHECK(has(page, "own view</h2>"));
  CHECK(has(page, "loop 2"));
  // What was behind the run is left out.
  CHECK(has(page, "<tr><td>requests</td><td>90</td></tr>"));
  CHECK(has(page, "<tr><td>shed</td><td>7</td></tr>"));
  CHECK(has(page, "shed: 7"));
}

TEST_CASE("a page has each flow as a whole", "[load]") {
  auto options = asked();
  options.mix.emplace_back().any = any_flow{"export <all>", {}, {}};
  auto of = measured_run();
  of.flows.resize(1);
  of.flows[0].sent = 12;
  of.flows[0].answered = 11;
  of.flows[0].fail(failure::status, "step 2 returned 503");
  const auto page = html_report({&options, &of, nullptr, nullptr, {}});
  CHECK(wrong_nesting(page).empty());
  const auto begin = page.find("<h2>Flows");
  REQUIRE(begin != std::string::npos);
  const auto flows = page.substr(begin, page.find("</section>", begin) - begin);
  CHECK(has(flows, "<td>export &lt;all&gt;</td>"));
  CHECK(has(flows, "<td>11</td>"));
  CHECK(has(flows, "step 2 returned 503"));
  const auto plain = asked();
  const auto without = measured_run();
  CHECK_FALSE(has(html_report({&plain, &without, nullptr, nullptr, {}}), "<h2>Flows"));
}

TEST_CASE("a page about a run without anything is whole", "[load]") {
  const auto options = asked();
  const results of;
  const auto page = html_report({&options, &of, nullptr, nullptr, {}});
  CHECK(wrong_nesting(page).empty());
}

TEST_CASE("a history becomes points on the time of the run", "[load]") {
  const auto view = parse_history(R"({"from":0,"points":[{"at":2500,"covers_ms":500,
    "loops":[1],"counts":{"shed":2},"data_plane":{"requests":3,"latency_us":{"p99":12}}}]})",
                                  1'000);
  REQUIRE(view);
  REQUIRE(view->points.size() == 1);
  CHECK(view->points[0].begins == 1.5);
  CHECK(view->points[0].ends == 2);
  CHECK(view->points[0].requests == 3);
  CHECK(view->points[0].p99_ns == 12'000);
  CHECK(view->points[0].counts.at("shed") == 2);
  for (const char* const wrong : {"", "[]", "{}", R"({"points":1})"})
    CHECK_FALSE(parse_history(wrong, 0));
  // Members that are not what they should be count as nothing.
  CHECK(parse_history(R"({"points":[{"data_plane":[],"loops":{},"counts":[{}]},5]})", 0));
}

} // namespace
} // namespace matchcloud::load
