// Health and metrics.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud::e2e;

answer ask_plane(const server& of, const std::string& target, const std::string& host = "localhost",
                 const std::string& method = "GET") {
  raw_connection client{of.ops()};
  return client.ask(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
}

TEST_CASE("the ops plane tells that the server lives and is ready", "[operations]") {
  const auto& of = plain_server();
  const auto health = ask_plane(of, "/healthz");
  CHECK(health.status == 200);
  CHECK(health.body == R"({"status":"ok"})");
  const auto ready = ask_plane(of, "/readyz");
  CHECK(ready.status == 200);
  CHECK(ready.body == R"({"ready":true})");
}

TEST_CASE("the ops plane answers to addresses and localhost, not to other names", "[operations]") {
  const auto& of = plain_server("loops");
  for (const std::string target : {"/healthz", "/readyz", "/metrics"}) {
    for (const std::string host : {"localhost", "LocalHost:8081", "127.0.0.1", "127.0.0.1:8081",
                                   "[::1]", "[::1]:8081", "10.1.2.3:80"})
      CHECK(ask_plane(of, target, host).status == 200);
    for (const std::string host : {"evil.example", "evil.example:8081", "localhost.evil.example",
                                   "127.0.0.1.evil.example"}) {
      const auto refused = ask_plane(of, target, host);
      CHECK(refused.status == 403);
      CHECK(refused.problem_code() == "host_not_allowed");
    }
  }
}

TEST_CASE("a page of another site can link to the console, and embed or read nothing",
          "[operations]") {
  const auto& of = plain_server();
  const auto cross_site = [&](const std::string& path) {
    return of.ask_ops_plane(request("GET", path, {}, "Sec-Fetch-Site: cross-site\r\n"));
  };
  CHECK(cross_site("/actors").problem_code() == "origin_not_allowed");
  CHECK(cross_site("/v1/regions").problem_code() == "origin_not_allowed");
  CHECK(cross_site("/").problem_code() != "origin_not_allowed");
  for (const std::string path : {"/", "/healthz", "/metrics", "/v1/regions", "/nothing"})
    CHECK(ask_plane(of, path).header("cross-origin-resource-policy") == "same-origin");
}

TEST_CASE("what is refused on the data plane is not kept by caches", "[operations]") {
  for (const std::string path : {"/nothing", "/cloud/games/42/avatars",
                                 "/media/avatars/00000000-0000-4000-8000-000000000001/"
                                 "0123456789abcdef0123456789abcdef.png"}) {
    raw_connection client{plain_server().data()};
    const auto got = client.ask(request("GET", path));
    CHECK(got.status >= 400);
    CHECK(got.header("cache-control") == "no-store");
  }
}

TEST_CASE("what the ops plane does not have is a problem that names what it has", "[operations]") {
  const auto& of = plain_server("loops");
  for (const std::string target : {"//", "/health", "/matchmaker/regions"}) {
    const auto got = ask_plane(of, target);
    CHECK(got.status == 404);
    CHECK(got.problem_code() == "route_not_found");
    const auto problem = parse_json(got.body);
    CHECK(text_at(problem, "detail").find("/metrics") != std::string::npos);
    CHECK(text_at(problem, "message") == text_at(problem, "detail"));
  }
}

TEST_CASE("metrics are in Prometheus' text format, a family for each", "[operations]") {
  check_serves(plain_server().data());
  const auto got = ask_plane(plain_server(), "/metrics");
  CHECK(got.status == 200);
  CHECK(got.header("content-type") == "text/plain; version=0.0.4");
  const auto check_family = [&](const std::string& name, const std::string& type) {
    INFO(name);
    CHECK(got.body.find("# HELP " + name + " ") != std::string::npos);
    CHECK(got.body.find("# TYPE " + name + " " + type + "\n") != std::string::npos);
  };
  for (const std::string name :
       {"matchcloud_requests_total", "matchcloud_connections_accepted_total",
        "matchcloud_received_bytes_total", "matchcloud_sent_bytes_total",
        "matchcloud_redispatched_total", "matchcloud_actor_restarts_total"})
    check_family(name, "counter");
  for (const std::string name :
       {"matchcloud_connections", "matchcloud_requests_in_flight", "matchcloud_budget_used_bytes"})
    check_family(name, "gauge");
  for (const std::string name :
       {"matchcloud_request_duration_seconds", "matchcloud_loop_stall_seconds"})
    check_family(name, "histogram");
  CHECK(got.body.find("matchcloud_request_duration_seconds_bucket{operation=\"list_regions\","
                      "le=\"+Inf\"}") != std::string::npos);
  // Without a 0 before it, Prometheus would not see the first failure as a rise.
  CHECK(got.body.find("matchcloud_requests_total{operation=\"put_element\",status=\"507\"} 0\n") !=
        std::string::npos);
}

TEST_CASE("counters move by what was asked", "[operations]") {
  const auto& of = plain_server();
  const auto answered = [&](const std::string& operation, const std::string& status) {
    return of.metric("matchcloud_requests_total{operation=\"" + operation + "\",status=\"" +
                     status + "\"}");
  };
  const auto listed = answered("list_regions", "200");
  const auto refused = answered("validate_group", "415");
  const auto unmatched = answered("unmatched", "404");
  const auto timed =
      of.metric("matchcloud_request_duration_seconds_count{operation=\"list_regions\"}");
  raw_connection client{of.data()};
  for (int i = 0; i < 5; ++i)
    client.ask(request("GET", regions_target));
  client.ask(request("POST", groups_target, good_group, "Content-Type: a/b\r\n"));
  client.ask(request("GET", "/nowhere"));
  CHECK(answered("list_regions", "200") == listed + 5);
  CHECK(answered("validate_group", "415") == refused + 1);
  CHECK(answered("unmatched", "404") == unmatched + 1);
  CHECK(of.metric("matchcloud_request_duration_seconds_count{operation=\"list_regions\"}") ==
        timed + 5);
}

TEST_CASE("the history of the data plane has its requests, and no refusal is their latency",
          "[operations]") {
  const server own;
  raw_connection client{own.data()};
  for (int i = 0; i < 10; ++i)
    CHECK(client.ask(request("GET", regions_target)).status == 200);
  for (int i = 0; i < 20; ++i)
    CHECK(client.ask(request("POST", groups_target, good_group, "Content-Type: a/b\r\n")).status ==
          415);
  for (int i = 0; i < 40; ++i)
    CHECK(ask_plane(own, "/nowhere").status == 404);
  std::map<std::string, std::uint64_t> counts;
  CHECK(eventually([&] {
    counts.clear();
    const auto history = parse_json(ask_plane(own, "/v1/history?step=3600").body);
    for (const auto& point : history["points"].GetArray()) {
      counts["requests"] += point["data_plane"]["requests"].GetUint64();
      counts["latency"] += point["data_plane"]["latency_us"]["count"].GetUint64();
      counts["refusals"] += point["data_plane"]["refusals_us"]["count"].GetUint64();
      for (const auto& each : point["operations"].GetArray())
        counts[text_at(each, "plane") + " " + text_at(each, "operation")] +=
            each["requests"].GetUint64();
    }
    return counts["requests"] >= 30 && counts["ops unmatched"] >= 40;
  }));
  CHECK(counts["requests"] == 30);
  CHECK(counts["latency"] == 10);
  CHECK(counts["refusals"] == 20);
  CHECK(counts["data list_regions"] == 10);
  CHECK(counts["data validate_group"] == 20);
  CHECK(counts["ops unmatched"] == 40);
  CHECK(counts["data unmatched"] == 0);
  CHECK(own.metric("matchcloud_refusal_duration_seconds_count") == 60);
  CHECK(own.metric("matchcloud_request_duration_seconds_count{operation=\"validate_group\"}") == 0);
}

TEST_CASE("connections and bytes are counted", "[operations]") {
  const server own{{"--loops", "2"}};
  CHECK(own.metric("matchcloud_connections") == 0);
  {
    std::vector<raw_connection> clients;
    for (int i = 0; i < 10; ++i)
      clients.emplace_back(own.data()).ask(regions_request);
    CHECK(own.metric("matchcloud_connections") == 10);
  }
  CHECK(own.metric("matchcloud_connections_accepted_total") == 10);
  CHECK(own.metric("matchcloud_received_bytes_total") ==
        10 * static_cast<double>(regions_request.size()));
  CHECK(own.metric("matchcloud_sent_bytes_total") > 10'000);
  CHECK(eventually([&] { return own.metric("matchcloud_connections") == 0; }));
  CHECK(eventually([&] { return own.metric("matchcloud_requests_in_flight") == 0; }));
  CHECK(eventually([&] { return own.metric("matchcloud_budget_used_bytes") == 0; }));
}

TEST_CASE("what the cache of listings does is counted", "[operations]") {
  const server own{{"--loops", "1"}};
  const auto counted = [&](const std::string& what) {
    return own.metric("matchcloud_ranking_cache_" + what);
  };
  CHECK(counted("bytes") == 0);
  raw_connection client{own.data()};
  for (int i = 0; i < 3; ++i)
    client.ask(request("GET", regions_target));
  CHECK(counted("misses_total") == 1);
  CHECK(counted("hits_total") == 2);
  CHECK(counted("evictions_total") == 0);
  CHECK(counted("bytes") > 0);
}

/// The finding of this cause, once there is one.
rapidjson::Document finding_of(const server& of, std::string_view cause) {
  rapidjson::Document found;
  REQUIRE(eventually([&] {
    const auto all = parse_json(ask_plane(of, "/v1/attention").body);
    for (const auto& each : all["findings"].GetArray())
      if (text_at(each, "cause") == cause) found.CopyFrom(each, found.GetAllocator());
    return found.IsObject();
  }));
  return found;
}

TEST_CASE("failing uploads are found, by operation, status and code", "[operations]") {
  const server own{{"--enable-fault-injection"}};
  REQUIRE(own.ask_ops_plane(request("PUT", "/faults/ingestion.receive", R"({"kind":"error"})",
                                    "Content-Type: application/json\r\n"))
              .status == 200);
  const auto failed = own.ask_ops_plane(
      request("POST", "/v1/lobbies", "{}", "Content-Type: application/x-ndjson\r\n"));
  REQUIRE(failed.status >= 500);
  const auto status = std::to_string(failed.status);
  const auto finding = finding_of(own, "failed_requests");
  CHECK(finding["value"].GetInt() == 1);
  REQUIRE(finding["about"].Size() == 2);
  std::set<std::string> about;
  for (const auto& each : finding["about"].GetArray())
    for (const auto& [name, value] : each["of"].GetObject())
      about.insert(std::string{name.GetString()} + " " + value.GetString());
  CHECK(about == std::set<std::string>{"operation ingest_lobbies", "status " + status,
                                       "code " + failed.problem_code()});
  CHECK(text_at(finding, "look_at") == "/v1/traces?operation=ingest_lobbies");
}

TEST_CASE("a flood of refusals is found, with its network", "[operations]") {
  const server own;
  raw_connection client{own.data()};
  for (int i = 0; i < 700; ++i)
    REQUIRE(client.ask(request("GET", "/nothing")).status == 404);
  const auto finding = finding_of(own, "requests_refused");
  CHECK(finding["value"].GetInt() > 50);
  REQUIRE(finding["about"].Size() == 1);
  CHECK(text_at(finding["about"][0]["of"], "network") == "127.0.0.0/24");
  CHECK(finding["about"][0]["value"].GetInt() == 700);
}

} // namespace
