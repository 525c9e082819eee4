// A request that fails is found by its ids: in its problem, the log, its trace and the metrics.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <string>

namespace {

using namespace matchcloud::e2e;

const std::string trace_id = "0af7651916cd43dd8448eb211c80319c";
const std::string trace_headers =
    "X-Request-Id: shop-17\r\ntraceparent: 00-" + trace_id + "-b7ad6b7169203331-01\r\n";

void fail_at(const server& of, const std::string& point) {
  const std::string rule = R"({"kind":"error"})";
  CHECK(of.ask_ops_plane("PUT /faults/" + point + " HTTP/1.1\r\nHost: localhost\r\n" +
                         "Content-Length: " + std::to_string(rule.size()) + "\r\n\r\n" + rule)
            .status == 200);
}

TEST_CASE("the ids of a failed request are in its problem, the log and its trace", "[operations]") {
  const world own; // whose lists nobody has asked for
  const server of{{"--enable-fault-injection"}, own};
  fail_at(of, "store.read");
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

TEST_CASE("problems without a trace name none", "[operations]") {
  const server of;
  for (const std::string wrong : {"", "traceparent: junk\r\n", "traceparent: 00-0-0-0\r\n"}) {
    const auto got = raw_connection{of.data()}.ask(request("GET", "/nowhere", {}, wrong));
    CHECK(got.problem_code() == "route_not_found");
    CHECK(!parse_json(got.body).HasMember("trace_id"));
  }
}

} // namespace
