// A request that fails is found by its ids: in its problem, the log, its trace and the metrics.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace matchcloud::e2e;

const std::string trace_id = "0af7651916cd43dd8448eb211c80319c";
const std::string trace_headers =
    "X-Request-Id: shop-17\r\ntraceparent: 00-" + trace_id + "-b7ad6b7169203331-01\r\n";

void inject(const server& of, const std::string& point, const std::string& rule) {
  CHECK(of.ask_ops_plane("PUT /faults/" + point + " HTTP/1.1\r\nHost: localhost\r\n" +
                         "Content-Length: " + std::to_string(rule.size()) + "\r\n\r\n" + rule)
            .status == 200);
}

TEST_CASE("the ids of a failed request are in its problem, the log and its trace", "[operations]") {
  const world own; // whose lists nobody has asked for
  const server of{{"--enable-fault-injection"}, own};
  inject(of, "store.read", R"({"kind":"error"})");
  const auto problems = [&] {
    return of.metric(R"(matchcloud_problems_total{code="store_failed"})");
  };
  const auto before = problems();
  const auto got =
      raw_connection{of.data()}.ask(request("GET", demo_avatars_target, {}, trace_headers));
  CHECK(got.status == 503);
  const auto problem = parse_json(got.body);
  CHECK(text_at(problem, "request_id") == "shop-17");
  CHECK(text_at(problem, "trace_id") == trace_id);
  CHECK(problems() == before + 1);
  CHECK(of.process().says("(request shop-17, trace " + trace_id + ")"));
  const auto traces = parse_json(
      of.ask_ops_plane("GET /v1/traces?status=503 HTTP/1.1\r\nHost: localhost\r\n\r\n").body);
  REQUIRE(traces["traces"].Size() == 1);
  CHECK(text_at(traces["traces"][0], "trace_id") == trace_id);
}

/// The newest trace of an operation.
rapidjson::Document newest_trace(const server& of, const std::string& operation) {
  auto traces = parse_json(of.ask_ops_plane("GET /v1/traces?operation=" + operation +
                                            " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                               .body);
  REQUIRE(traces["traces"].Size() > 0);
  rapidjson::Document newest;
  newest.CopyFrom(traces["traces"][0], newest.GetAllocator());
  return newest;
}

/// How many microseconds of a trace are of `kind` at `place`.
std::int64_t traced_us(const rapidjson::Value& trace, const std::string& kind,
                       const std::string& place) {
  std::int64_t sum = 0;
  for (const auto& step : trace["steps"].GetArray())
    if (text_at(step, "kind") == kind && text_at(step, "place") == place)
      sum += step["us"].GetInt64();
  return sum;
}

TEST_CASE("a delay that was injected into the store is a fault in traces", "[operations]") {
  const world own; // whose lists nobody has asked for
  const server of{{"--enable-fault-injection"}, own};
  inject(of, "store.read", R"({"kind":"delay","delay_ms":200})");
  inject(of, "store.commit", R"({"kind":"delay","delay_ms":200})");
  CHECK(raw_connection{of.data()}.ask(request("GET", demo_avatars_target)).status == 200);
  const auto lines = lobby_line(1);
  CHECK(of.ask_ops_plane("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Type: application/x-ndjson\r\nContent-Length: " +
                         std::to_string(lines.size()) + "\r\n\r\n" + lines)
            .status == 200);
  const std::string region = R"({"region_display_name":"Here","provider_display_name":"P",)"
                             R"("datacenter_coord":{"latitude":1.5,"longitude":-2}})";
  CHECK(of.ask_ops_plane("PUT /v1/regions/here HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Type: application/json\r\nContent-Length: " +
                         std::to_string(region.size()) + "\r\n\r\n" + region)
                .status /
            100 ==
        2);
  CHECK(raw_connection{of.data()}
            .ask(request("POST",
                         "/cloud/games/" + std::string{demo_game} +
                             "/matchmaker/lobbies/export-history",
                         R"({"query_start":0,"query_end":1})"))
            .status == 200);
  constexpr std::int64_t delay_us = 200'000;
  for (const auto& [operation, point] : {std::pair{"list_avatars", "store.read"},
                                         {"export_lobby_history", "store.read"},
                                         {"ingest_lobbies", "store.commit"},
                                         {"put_element", "store.commit"}}) {
    CAPTURE(operation);
    const auto trace = newest_trace(of, operation);
    const auto delayed_us = traced_us(trace, "fault", point);
    CHECK(delayed_us >= delay_us);
    // The work of an export goes on after its answer.
    if (std::string_view{operation} != "export_lobby_history")
      CHECK(traced_us(trace, "work", "store") + delayed_us <= trace["total_us"].GetInt64());
  }
}

TEST_CASE("problems without a trace name none", "[operations]") {
  const server of;
  for (const std::string wrong : {"", "traceparent: junk\r\n", "traceparent: 00-0-0-0\r\n"}) {
    const auto got = raw_connection{of.data()}.ask(request("GET", "/nowhere", {}, wrong));
    CHECK(got.problem_code() == "route_not_found");
    CHECK(!parse_json(got.body).HasMember("trace_id"));
  }
}

} // namespace
