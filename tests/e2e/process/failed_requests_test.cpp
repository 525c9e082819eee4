// Requests that fail or whose clients give up: what happened is what the service shows of it.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

#include <csignal>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

/// A service whose avatar lists wait until `go_on`.
struct slow_service {
  world own; // whose lists nobody has requested
  fixtures::temporary_directory folder;
  std::string file = folder.path("access.log");
  server of{{"--listen", "127.0.0.1:0", "--enable-fault-injection", "--access-log", "all",
             "--access-log-file", file},
            own};
  std::vector<raw_connection> clients;

  explicit slow_service(const std::string& point) {
    const std::string rule = R"({"kind":"stall"})";
    CHECK(of.ask_ops_plane(request("PUT", "/faults/" + point, rule)).status == 200);
  }
  void ask(int count) {
    for (int i = 0; i < count; ++i)
      clients.emplace_back(of.data()).send(request("GET", demo_avatars_target));
    REQUIRE(eventually([&] { return in_flight() == static_cast<double>(clients.size()); }));
  }
  void go_on() const { CHECK(of.ask_ops_plane(request("DELETE", "/faults")).status == 204); }
  double in_flight() const { return of.metric("matchcloud_requests_in_flight"); }
  double ended(const std::string& status) const {
    return of.metric("matchcloud_requests_total{operation=\"list_avatars\",status=\"" + status +
                     "\"}");
  }
  rapidjson::Document report(const std::string& path) const {
    return parse_json(of.ask_ops_plane(request("GET", path)).body);
  }
  /// Ends the service. The lines of the access log about avatar lists, by status.
  std::map<int, int> end() {
    of.process().signal(SIGTERM);
    CHECK(of.process().exit_code() == 0);
    std::map<int, int> lines;
    std::istringstream all{fixtures::read_whole(file)};
    for (std::string line; std::getline(all, line);)
      if (const auto entry = parse_json(line); text_at(entry, "operation") == "list_avatars")
        ++lines[entry["status"].GetInt()];
    return lines;
  }
};

TEST_CASE("clients that give up are counted everywhere, those that wait are answered",
          "[lifecycle]") {
  slow_service on{"avatar.receive"};
  on.ask(6);
  for (int i = 0; i < 3; ++i)
    on.clients[static_cast<std::size_t>(i)].reset();
  on.clients[3].finish();
  REQUIRE(eventually([&] { return on.ended("499") == 3; }));
  on.go_on();
  for (std::size_t i = 3; i < 6; ++i)
    CHECK(on.clients[i].receive().status == 200);
  CHECK(on.ended("499") == 3);
  CHECK(on.ended("200") == 3);
  CHECK(on.of.metric("matchcloud_request_duration_seconds_count{operation=\"list_avatars\"}") == 6);
  CHECK(eventually([&] {
    std::uint64_t all = 0, gone = 0;
    const auto history = on.report("/v1/history?step=3600");
    for (const auto& point : history["points"].GetArray()) {
      all += point["data_plane"]["requests"].GetUint64();
      gone += point["data_plane"]["answers"]["client_gone"].GetUint64();
    }
    return all == 6 && gone == 3;
  }));
  CHECK(on.report("/v1/traces?status=499&operation=list_avatars")["traces"].Size() == 3);
  bool is_named = false;
  const auto attention = on.report("/v1/attention");
  for (const auto& each : attention["findings"].GetArray())
    is_named = is_named || text_at(each, "cause") == "clients_gone";
  CHECK(is_named);
  CHECK(on.end() == std::map<int, int>{{200, 3}, {499, 3}});
}

TEST_CASE("work that waits for an actor is not begun once its clients are gone", "[lifecycle]") {
  slow_service on{"avatar.receive"};
  on.ask(4);
  for (auto& each : on.clients)
    each.reset();
  REQUIRE(eventually([&] { return on.ended("499") == 4; }));
  on.go_on();
  // Messages hold their requests, so the last one is gone by then.
  REQUIRE(eventually([&] { return on.in_flight() == 0; }));
  CHECK(on.of.metric("matchcloud_avatar_loads_total") == 0);
  CHECK(raw_connection{on.of.data()}.ask(request("GET", demo_avatars_target)).status == 200);
  CHECK(on.of.metric("matchcloud_avatar_loads_total") == 1);
}

// -- failed requests ---------------------------------------------------------

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

TEST_CASE("a delay that was injected into the store is a fault in traces", "[operations]") {
  const world own; // whose lists nobody has asked for
  const server of{{"--enable-fault-injection"}, own};
  inject(of, "store.read", R"({"kind":"delay","delay_ms":200})");
  CHECK(raw_connection{of.data()}.ask(request("GET", demo_avatars_target)).status == 200);
  const auto found =
      parse_json(of.ask_ops_plane(request("GET", "/v1/traces?operation=list_avatars")).body);
  REQUIRE(found["traces"].Size() == 1);
  const auto& trace = found["traces"][0];
  std::int64_t work_us = 0, fault_us = 0;
  for (const auto& step : trace["steps"].GetArray()) {
    const auto what = text_at(step, "kind") + " " + text_at(step, "place");
    if (what == "work store") work_us += step["us"].GetInt64();
    if (what == "fault store.read") fault_us += step["us"].GetInt64();
  }
  CHECK(fault_us >= 200'000);
  CHECK(work_us + fault_us <= trace["total_us"].GetInt64());
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
