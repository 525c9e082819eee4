// What the service says of its requests is what clients measure.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace matchcloud::e2e {
namespace {

const std::string second_game = "00000000-0000-4000-8000-000000000002";

void inject(const server& into, const std::string& point, const std::string& rule) {
  REQUIRE(ask_ops(into, "PUT", "/faults/" + point, rule).status / 100 == 2);
}

rapidjson::Document ask_json(const server& of, const std::string& target) {
  const auto got = ask_ops(of, "GET", target);
  INFO(got.body);
  REQUIRE(got.status == 200);
  return parse_json(got.body);
}

/// Sends requests of one operation; returns what the load generator measured.
rapidjson::Document load(const server& to, const std::string& operation, const std::string& rate,
                         const std::string& duration) {
  const fixtures::temporary_directory directory;
  const auto json = directory.path("results.json");
  const auto done =
      run({"--rate", rate, "--duration", duration, "--connections", "64", "--operation", operation,
           "--json", json, "http://127.0.0.1:" + std::to_string(to.data().port)},
          {}, {}, fixtures::load_program());
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  std::ifstream file{json};
  return parse_json(std::string{std::istreambuf_iterator<char>{file}, {}});
}

/// How the percentiles of a service's past differ from what its client measured; empty if they do
/// not.
std::string difference_measured() {
  const server service{{"--enable-fault-injection", "--fault-seed", "1"}};
  // Most take 150 to 300 ms, a few 900 to 1,100: known, and long next to the milliseconds for which
  // requests wait between the client and the service on a busy machine.
  inject(service, "avatar.receive", R"({"kind":"delay","delay_ms":[150,300]})");
  inject(service, "avatar.reply", R"({"kind":"delay","delay_ms":[900,1100],"probability":0.03})");
  const auto measured = load(service, "avatars", "150", "4s");
  const auto sent = measured["sent"].GetUint64();
  // The last second is sampled once it is over.
  std::uint64_t seen = 0;
  rapidjson::Document history;
  REQUIRE(eventually([&] {
    history = ask_json(service, "/v1/history?step=3600");
    seen = 0;
    for (const auto& point : history["points"].GetArray())
      seen = std::max<std::uint64_t>(seen, point["data_plane"]["requests"].GetUint64());
    return seen == sent || history["points"].Size() > 1;
  }));
  if (seen != sent) return "an hour ended in the meantime: two points share the requests";
  std::string different;
  for (const auto& point : history["points"].GetArray()) {
    if (point["data_plane"]["requests"].GetUint64() != sent) continue;
    const auto& service_says = point["data_plane"]["latency_us"];
    const auto& client_says = measured["latency_us"];
    for (const auto& [ours, theirs] :
         {std::pair{"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}, {"p99_9", "p99.9"}}) {
      const auto in_service = service_says[ours].GetDouble();
      const auto in_client = client_says[theirs].GetDouble();
      if (in_service != Approx(in_client).epsilon(0.07))
        different.append(ours)
            .append(": ")
            .append(std::to_string(in_service))
            .append(" us, not ")
            .append(std::to_string(in_client))
            .append("; ");
    }
  }
  return different;
}

TEST_CASE("percentiles of the past are those that matchcloud-load measures", "[load]") {
  // Where others need the processors, requests wait between the client and the service.
  constexpr int attempts = 3;
  std::string different;
  for (int i = 0; i < attempts && (i == 0 || !different.empty()); ++i)
    different = difference_measured();
  CHECK(different == "");
}

TEST_CASE("from the past to the operation, and from its traces to the game and the slow step",
          "[load]") {
  const server service{{"--enable-fault-injection"}};
  inject(service, "avatar.receive",
         R"({"kind":"delay","delay_ms":300,"game":")" + second_game + R"("})");
  static_cast<void>(load(service, "regions", "100", "1s"));
  for (int i = 0; i < 5; ++i)
    for (const auto& game : {std::string{demo_game}, second_game}) {
      raw_connection client{service.data()};
      CHECK(client.ask(request("GET", "/cloud/games/" + game + "/avatars")).status == 200);
    }

  // What is wrong?
  std::string next;
  REQUIRE(eventually([&] {
    const auto attention = ask_json(service, "/v1/attention");
    for (const auto& each : attention["findings"].GetArray())
      if (text_at(each, "cause") == "slow_operation") next = text_at(each, "look_at");
    return !next.empty();
  }));
  CHECK(next == "/v1/traces?operation=list_avatars");

  // Is it that operation alone?
  std::set<std::string> slow;
  REQUIRE(eventually([&] {
    const auto history = ask_json(service, "/v1/history?step=1");
    for (const auto& point : history["points"].GetArray())
      for (const auto& each : point["operations"].GetArray())
        if (each["latency_us"]["p99"].GetUint64() > 250'000)
          slow.emplace(text_at(each, "operation"));
    return !slow.empty();
  }));
  CHECK(slow == std::set<std::string>{"list_avatars"});

  // Of which game, and where was it?
  const auto kept = ask_json(service, next + "&slower_than_ms=250");
  REQUIRE(kept["traces"].Size() == 5);
  for (const auto& each : kept["traces"].GetArray()) {
    CHECK(text_at(each, "game_id") == second_game);
    std::string longest;
    std::int64_t longest_us = 0;
    for (const auto& step : each["steps"].GetArray())
      if (step["us"].GetInt64() > longest_us) {
        longest_us = step["us"].GetInt64();
        longest = std::string{text_at(step, "kind")} + " " + std::string{text_at(step, "place")};
      }
    CHECK(longest == "fault avatar.receive");
    CHECK(longest_us > 250'000);
  }
  const auto others =
      ask_json(service, "/v1/traces?operation=list_avatars&game_id=" + std::string{demo_game});
  REQUIRE(others["traces"].Size() > 0);
  for (const auto& each : others["traces"].GetArray())
    CHECK(each["total_us"].GetInt64() < 250'000);
}

} // namespace
} // namespace matchcloud::e2e
