#include "load/report.hpp"
#include "load/run.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/load/servers.hpp"

#include <algorithm>
#include <csignal>
#include <future>
#include <map>
#include <regex>
#include <set>

#include <unistd.h>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

/// On a machine with other load, a thread sometimes wakes up late.
constexpr double busy_machine_ms = 60;

options shortly(const std::string& url, double rate) {
  options options;
  options.url = url;
  options.mix = single_mix("regions");
  options.duration = 300ms;
  options.connections = 16;
  if (rate > 0) options.open_loop = arrivals::shape{arrival_kind::constant, rate, 0ns};
  return options;
}

results measured(const options& options) {
  const cli::interrupt signals;
  auto made = base::attempt([&] { return run(options, signals); });
  REQUIRE(made);
  return *std::move(made);
}

double ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

/// Interrupts a run by a signal once the server has received `requests` requests.
results interrupted(const options& options, const delayed_server& server, std::uint64_t requests,
                    const cli::interrupt& signals) {
  auto running = std::async(std::launch::async,
                            [&] { return base::attempt([&] { return run(options, signals); }); });
  while (server.requests() < requests)
    running.wait_for(1ms);
  ::kill(::getpid(), SIGTERM);
  auto of = running.get();
  REQUIRE(of);
  REQUIRE(of->stopped_early);
  return *std::move(of);
}

std::uint64_t count(const results& of, failure kind) {
  return of.all.failures[static_cast<std::size_t>(kind)];
}

TEST_CASE("a known delay is what is measured", "[load]") {
  const delayed_server server{ok_reply(good_listing), 20ms};
  auto options = shortly(server.url(), 200);
  options.duration = 600ms;
  const auto of = measured(options);
  CHECK(of.all.sent == 120);
  CHECK(of.all.answered == 120);
  CHECK(of.all.errors() == 0);
  CHECK(of.all.by_status.at(200) == 120);
  CHECK(server.requests() == 120);
  CHECK(ms(of.all.latency.percentile_ns(0)) >= 20);
  CHECK(ms(of.all.latency.percentile_ns(50)) < 20 + busy_machine_ms);
  CHECK(of.all.late.delays.count() == of.all.sent);
  CHECK(ms(of.all.late.delays.percentile_ns(50)) < busy_machine_ms);
}

TEST_CASE("a stalled server cannot hide: latency counts from the intended time", "[load]") {
  // One connection, 100 requests/s and a stall of 400 ms: 40 requests were due during it, of which
  // the first waited 400 ms and the last 10. Measuring from the actual send would see only one.
  delayed_server server{ok_reply(good_listing)};
  server.stall_once(100ms, 400ms);
  auto options = shortly(server.url(), 100);
  options.duration = 1s;
  options.connections = 1;
  const auto of = measured(options);
  CHECK(of.all.sent == 100);
  CHECK(of.all.answered == 100);
  CHECK(ms(of.all.latency.max_ns()) >= 380);
  CHECK(ms(of.all.latency.percentile_ns(90)) >= 280);
  CHECK(ms(of.all.latency.percentile_ns(75)) >= 130);
  CHECK(of.all.late.for_connections >= 35);
  CHECK(ms(of.all.late.delays.max_ns()) >= 370);
  // That no connection was free is the server's doing.
  CHECK(of.on_time.count() == 100);
  CHECK(ms(of.on_time.max_ns()) >= 280);
  CHECK(limit_of(of).reason.starts_with("connections: "));
}

TEST_CASE("requests that follow each other fast are sent together, and measured as others are",
          "[load]") {
  const delayed_server server{ok_reply(good_listing), 5ms};
  auto options = shortly(server.url(), 5'000);
  options.duration = 600ms;
  options.connections = 64;
  const auto of = measured(options);
  CHECK(of.all.sent == 3'000);
  CHECK(of.all.answered == 3'000);
  CHECK(of.all.errors() == 0);
  CHECK(server.requests() == 3'000);
  CHECK(ms(of.all.latency.percentile_ns(0)) >= 5);
  CHECK(ms(of.all.latency.percentile_ns(50)) < 5 + busy_machine_ms);
  // Some are sent a little ahead, which makes none late.
  CHECK(of.all.late.delays.percentile_ns(5) == 0);
  CHECK(of.all.late.delays.count() == 3'000);
}

TEST_CASE("a closed loop sends as fast as replies come", "[load]") {
  const delayed_server server{ok_reply(good_listing), 10ms};
  auto options = shortly(server.url(), 0);
  options.connections = 4;
  options.threads = 2;
  const auto of = measured(options);
  CHECK(of.all.errors() == 0);
  CHECK(of.all.sent == of.all.answered);
  // Four connections at 10 ms per request: 30 rounds at most.
  CHECK(of.all.answered <= 4 * 31);
  CHECK(of.all.answered >= 4 * 5);
  CHECK(ms(of.all.latency.percentile_ns(0)) >= 10);
  CHECK(text_report(options, of).find("\nclosed loop hides stalls") != std::string::npos);
  CHECK(e2e::parse_json(json_report(options, of))["loop"].GetString() == std::string{"closed"});
}

TEST_CASE("latencies are also said without this program's own lateness, where they differ",
          "[load]") {
  const auto options = shortly("http://127.0.0.1:1", 100);
  results of;
  of.parts.resize(1);
  of.all.latency.record(100'000'000);
  of.on_time.record(5'000'000);
  CHECK(text_report(options, of).find("\non time     p50 5.00 ms, p90 5.00 ms, p99 5.00 ms, ") !=
        std::string::npos);
  const auto json = e2e::parse_json(json_report(options, of));
  CHECK(json["results_version"].GetInt() == 2);
  CHECK(json["on_time_us"]["p99"].GetDouble() == Approx(5'000).epsilon(0.001));
  of.on_time = of.all.latency;
  CHECK(text_report(options, of).find("on time") == std::string::npos);
}

TEST_CASE("the ramp is sent but not measured", "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 200);
  options.ramp = 400ms;
  options.open_loop->ramp = 400ms;
  const auto of = measured(options);
  CHECK(of.all.sent == Approx(60).margin(2));
  CHECK(server.requests() == Approx(100).margin(4));
}

TEST_CASE("intervals follow each other and have what each operation did in them", "[load]") {
  const delayed_server server{ok_reply(good_listing), 5ms};
  auto options = shortly(server.url(), 200);
  options.ramp = 1s;
  options.open_loop->ramp = 1s;
  options.duration = 1'500ms;
  options.threads = 2;
  options.mix.push_back(options.mix.front());
  const auto of = measured(options);
  REQUIRE(of.moments.size() >= 3);
  CHECK_FALSE(of.moments.front().is_measured);
  CHECK(of.moments[1].is_measured);
  CHECK(of.began_ms > 1'700'000'000'000);
  double at = 0;
  std::uint64_t answered = 0;
  for (const auto& each : of.moments) {
    CHECK(each.begins == at);
    at = each.seconds;
    REQUIRE(each.parts.size() == 2);
    for (const auto& part : each.parts) {
      std::uint64_t counted = 0;
      for (const auto& [up_to_ns, count] : part.latency) {
        CHECK(up_to_ns >= 5'000'000);
        counted += count;
      }
      CHECK(counted == part.answered);
      answered += part.answered;
    }
    CHECK(std::ranges::is_sorted(each.ns));
    CHECK(each.of(99.9) >= each.of(99));
  }
  CHECK(answered == server.requests());
  const auto written = e2e::parse_json(json_report(options, of));
  const auto& first = written["intervals"][0]["operations"][1];
  CHECK(first["name"].GetString() == std::string{"regions"});
  CHECK(first["answered"].GetUint64() == of.moments[0].parts[1].answered);
  CHECK(first["latency_ns_counts"][0][0].GetUint64() == of.moments[0].parts[1].latency[0].first);
}

/// Checks that all 30 requests are errors and nothing else.
void check_no_answer(const results& of) {
  CHECK(of.all.sent == 30);
  CHECK(of.all.errors() == 30);
  CHECK(of.all.answered == 0);
  CHECK(of.all.latency.count() == 0);
  CHECK(of.requests_per_second() == 0);
  for (const auto& each : of.moments) {
    CHECK(each.answered == 0);
    CHECK(each.of(100) == 0);
  }
}

TEST_CASE("replies are judged, not only their status", "[load]") {
  const delayed_server wrong{ok_reply(R"({"regions":[]})")};
  auto of = measured(shortly(wrong.url(), 100));
  CHECK(count(of, failure::content) == 30);
  CHECK(of.all.by_status.at(200) == 30);
  check_no_answer(of);
  CHECK(of.all.examples[static_cast<std::size_t>(failure::content)] == "has no `/regions/0`");

  const delayed_server busy{"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"};
  of = measured(shortly(busy.url(), 100));
  CHECK(count(of, failure::status) == 30);
  CHECK(of.all.by_status.at(503) == 30);
  check_no_answer(of);

  const std::string come_back{"HTTP/1.1 503 No\r\nretry-after: 1\r\nContent-Length: 4\r\n\r\nbusy"};
  const delayed_server away{come_back};
  of = measured(shortly(away.url(), 100));
  CHECK(count(of, failure::unavailable) == 30);
  CHECK(of.all.by_status.at(503) == 30);
  check_no_answer(of);

  const delayed_server other{"220 mail.example ESMTP\r\n"};
  auto options = shortly(other.url(), 100);
  options.timeout = 100ms;
  of = measured(options);
  // The server never ends the head that it seems to send.
  CHECK(count(of, failure::timeout) == 30);
}

TEST_CASE("a wrong reply after the timeout stays in the percentiles, as other errors do",
          "[load]") {
  // One connection has a request due every 100 ms and a reply every 300 ms, so that each waits
  // longer than the one before it, the first for less than the timeout.
  const delayed_server server{ok_reply(R"({"regions":[]})"), 300ms};
  auto options = shortly(server.url(), 10);
  options.connections = 1;
  options.timeout = 600ms;
  options.duration = 1s;
  const auto of = measured(options);
  CHECK(of.all.answered == 0);
  CHECK(of.all.errors() == of.all.intended());
  CHECK(count(of, failure::content) >= 2);
  CHECK(of.all.latency.count() > count(of, failure::unsent));
  CHECK(of.all.latency.count() < of.all.intended());
  CHECK(ms(of.all.latency.percentile_ns(0)) >= 590);
}

TEST_CASE("requests that get a 503 are repeated for as long as is said, and count once", "[load]") {
  const std::string come_back{"HTTP/1.1 503 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"};
  delayed_server away{ok_reply(good_listing)};
  away.begin_with(20, come_back);
  auto options = shortly(away.url(), 50);
  options.duration = 600ms;
  options.repeat_503 = 5s;
  auto of = measured(options);
  CHECK(of.all.sent == 30);
  CHECK(of.all.answered == 30);
  CHECK(of.all.errors() == 0);
  CHECK(of.all.repeated == 20);
  CHECK(of.all.by_status == std::map<int, std::uint64_t>{{200, 30}});
  CHECK(of.all.latency.max_ns() >= 250'000'000);
  CHECK(text_report(options, of).find("repeated    20 times") != std::string::npos);

  const delayed_server gone{come_back};
  options = shortly(gone.url(), 50);
  options.duration = 600ms;
  options.repeat_503 = 400ms;
  options.asserted = parse_assertions("unavailable=30,repeated<=30");
  of = measured(options);
  CHECK(of.all.answered == 0);
  CHECK(std::ranges::all_of(options.asserted, [&](const auto& each) { return holds(each, of); }));
}

TEST_CASE("requests without a reply are counted once, by their kind", "[load]") {
  const delayed_server late{ok_reply(good_listing), 5s};
  auto options = shortly(late.url(), 100);
  options.timeout = 100ms;
  auto of = measured(options);
  CHECK(of.all.sent == 30);
  CHECK(of.all.answered == 0);
  CHECK(count(of, failure::timeout) == 30);
  CHECK(of.all.errors() == 30);
  CHECK(ms(of.all.latency.percentile_ns(50)) >= 100);

  // One connection without answers: most requests are never sent, and all are counted.
  options.connections = 1;
  options.timeout = 200ms;
  of = measured(options);
  CHECK(of.all.intended() == 30);
  CHECK(count(of, failure::unsent) > 15);
  CHECK(limit_of(of).reason.starts_with("connections: "));
  CHECK(of.all.errors() == 30);
}

TEST_CASE("a new connection for each request, from many addresses", "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 200);
  options.requests_per_connection = 1;
  options.sources = 8;
  auto of = measured(options);
  CHECK(of.all.errors() == 0);
  CHECK(of.all.answered == 60);
  // The first connection only checks that the server is reachable.
  CHECK(server.connections() == 1 + 60);
}

TEST_CASE("each connection keeps to its token, and tokens are shared out evenly", "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 500);
  options.tokens = {"one", "two", "three"};
  options.connections = 8;
  options.threads = 3;
  const auto of = measured(options);
  CHECK(of.all.errors() == 0);
  std::map<std::string, int> connections;
  for (const auto& values : server.authorizations()) {
    REQUIRE(values.size() == 1);
    ++connections[*values.begin()];
  }
  const std::map<std::string, int> even{{"Bearer one", 3}, {"Bearer two", 3}, {"Bearer three", 2}};
  CHECK(connections == even);
}

TEST_CASE("a new connection has the token of the one that it replaces", "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 200);
  options.tokens = {"one", "two"};
  options.connections = 2;
  options.requests_per_connection = 1;
  CHECK(measured(options).all.errors() == 0);
  std::map<std::string, int> requests;
  for (const auto& values : server.authorizations())
    ++requests[*values.begin()];
  CHECK(requests.size() == 2);
  CHECK(requests["Bearer one"] + requests["Bearer two"] == 60);
}

TEST_CASE("refusals count by their status, and what repeats a token is shown without it",
          "[load]") {
  const std::string token = "mc_game_" + std::string(49, 'k');
  for (const std::string status : {"401", "403", "429"}) {
    CAPTURE(status);
    const std::string body = "no such token: " + token + ", " + std::string(115, '-') + token;
    const delayed_server server{"HTTP/1.1 " + status + " No\r\nRetry-After: 1\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body};
    auto options = shortly(server.url(), 100);
    options.tokens = {token};
    options.asserted = parse_assertions("status." + status + "=30");
    const auto of = measured(options);
    CHECK(of.all.by_status.at(std::stoi(status)) == 30);
    CHECK(count(of, failure::status) == 30);
    CHECK(holds(options.asserted.front(), of));
    const auto& example = of.all.examples[static_cast<std::size_t>(failure::status)];
    CHECK(example.starts_with(status + " no such token: *****"));
    for (const auto& report : {text_report(options, of), json_report(options, of)}) {
      CHECK(report.find(status) != std::string::npos);
      // Nor a part of it, where the example ends.
      CHECK(report.find("mc_game") == std::string::npos);
    }
  }
}

TEST_CASE("a server that cannot be reached is named at once", "[load]") {
  std::string url;
  {
    const delayed_server gone{ok_reply("")};
    url = gone.url();
  }
  const cli::interrupt signals;
  const auto of = base::attempt([&] { return run(shortly(url, 10), signals); });
  REQUIRE_FALSE(of);
  CHECK(of.error().detail.ends_with("cannot be reached: Connection refused"));
}

TEST_CASE("a signal ends a run early, with what was measured", "[load]") {
  // Created before other threads: one that received the signal would end the program.
  const cli::interrupt signals;
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 100);
  options.duration = 60s;
  const auto of = interrupted(options, server, 10, signals);
  CHECK(of.all.sent >= 10);
  CHECK(of.all.sent == of.all.answered);
  CHECK(of.all.errors() == 0);
}

TEST_CASE("a signal ends the wait for a server that does not answer, and nothing is forgotten",
          "[load]") {
  const cli::interrupt signals;
  const delayed_server server{ok_reply(good_listing), 60s};
  auto options = shortly(server.url(), 1'000);
  options.duration = options.timeout = 60s;
  options.connections = 4;
  const auto begun = std::chrono::steady_clock::now();
  const auto of = interrupted(options, server, 4, signals);
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
  CHECK(of.all.sent == 4);
  CHECK(count(of, failure::abandoned) == 4);
  // 1,000 requests per second were due in that time.
  CHECK(of.all.intended() == 4 + count(of, failure::unsent));
  CHECK(of.all.latency.count() == of.all.intended());
}

TEST_CASE("the rate is what was asked, also where the last reply came long before the end",
          "[load]") {
  const delayed_server server{ok_reply(good_listing)};
  auto options = shortly(server.url(), 5);
  options.duration = 600ms;
  const auto of = measured(options);
  CHECK(of.all.answered == 3);
  CHECK(of.seconds == Approx(0.6).epsilon(0.2));
  CHECK(of.requests_per_second() == Approx(5).epsilon(0.2));
  REQUIRE(of.moments.size() == 1);
  CHECK(of.moments.front().sent == 3);
}

TEST_CASE("no request is sent on a connection that the server has ended", "[load]") {
  delayed_server server{ok_reply(good_listing)};
  server.break_after(1);
  auto options = shortly(server.url(), 0);
  options.connections = 2;
  options.duration = 200ms;
  const auto of = measured(options);
  CHECK(of.all.answered > 3);
  CHECK(of.all.errors() == 0);
  CHECK(of.all.answered == of.all.sent);
}

TEST_CASE("each stage has its own results, of the requests that were due in it", "[load]") {
  const delayed_server server{ok_reply(good_listing), 20ms};
  auto options = shortly(server.url(), 0);
  options.open_loop = arrivals::shape{arrival_kind::constant, 400, 0ns};
  options.open_loop->stages = {{"calm", 100, 100, 300ms},
                               {"ramp", 100, 400, 200ms},
                               {"pause", 0, 0, 100ms},
                               {"spike", 400, 400, 100ms}};
  options.duration = 700ms;
  options.threads = 2;
  const auto of = measured(options);
  REQUIRE(of.stages.size() == 4);
  CHECK(of.stages[0].sent == 30);
  CHECK(of.stages[1].sent == 50);
  CHECK(of.stages[2].sent == 0);
  CHECK(of.stages[3].sent == 40);
  CHECK(of.all.sent == 120);
  for (const auto& each : of.stages) {
    CHECK(each.answered == each.sent);
    CHECK(each.late.delays.count() == each.sent);
    CHECK((each.sent == 0 || ms(each.latency.percentile_ns(0)) >= 20));
  }
  const auto text = text_report(options, of);
  CHECK(text.find("4 stages up to 400 requests/s (constant)") != std::string::npos);
  CHECK(text.find("spike") != std::string::npos);
  // Nothing was measured in the pause, so it has no latency.
  CHECK(std::regex_search(text, std::regex{R"(\npause +0 +0 +0( +-){6} +0\n)"}));
  CHECK(json_report(options, of)
            .find(R"("stages":[{"name":"calm","from":100.00,"to":100.00,)"
                  R"("seconds":0.300,"requests_per_second":100.0,)") != std::string::npos);
  const auto json = e2e::parse_json(json_report(options, of));
  for (const auto& [name, latency] : json["stages"][2]["latency_us"].GetObject())
    CHECK(latency.IsNull());
  CHECK(json["stages"][2]["late_sends"]["p50_us"].IsNull());
  CHECK(json["stages"][3]["requests_per_second"].GetDouble() == Approx(400).epsilon(0.01));
  CHECK(json["stages"][3]["latency_us"]["max"].GetDouble() >= 20'000);
}

} // namespace
} // namespace matchcloud::load
