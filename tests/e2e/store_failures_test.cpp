// Answers to clients when the store fails: they state the failure, but not where the store lies.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <string>

namespace {

using namespace matchcloud::e2e;

const std::string region = R"({"region_display_name":"X","provider_display_name":"Y",)"
                           R"("datacenter_coord":{"latitude":1.5,"longitude":-2}})";
const std::string lobby =
    R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0003",)"
    R"("namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"lon",)"
    R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-000000000031",)"
    R"("version_name":"1","game_mode":"duel","start_ts":1769900400000})";

answer ask_failing(const address& of, const std::string& method, const std::string& target,
                   const std::string& body = {}) {
  return raw_connection{of}.ask(method + " " + target +
                                " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body);
}

/// Checks that `got` describes the failure in general terms, and that the log has the details.
void check_told(const server& of, const world& in, const answer& got, const std::string& cause) {
  INFO(got.body);
  CHECK(got.status == 503);
  CHECK(got.problem_code() == "store_failed");
  CHECK(got.header("retry-after") == "1");
  const auto detail = text_at(parse_json(got.body), "detail");
  CHECK(detail.find('/') == std::string::npos);
  CHECK(detail.find("matchcloud.db") == std::string::npos);
  CHECK(detail.find(cause) == std::string::npos);
  CHECK(detail.find("Try again later") != std::string::npos);
  const auto name = "(request " + got.header("x-request-id") + ")\n";
  const bool is_said = of.process().says(name);
  const auto log = of.process().errors();
  INFO(log);
  REQUIRE(is_said);
  const auto end = log.find(name);
  const auto line = log.substr(log.rfind('\n', end) + 1, end - log.rfind('\n', end));
  CHECK(line.find("store_failed: " + in.data_dir()) != std::string::npos);
  CHECK(line.find(cause) != std::string::npos);
}

TEST_CASE("the ops plane does not say where a store lies that fails, its log does",
          "[operations][embedded]") {
  const world own;
  const server of{{"--enable-fault-injection"}, own};
  const auto fail_at = [&](const std::string& point) {
    CHECK(ask_failing(of.ops(), "PUT", "/faults/" + point, R"({"kind":"error"})").status == 200);
  };
  fail_at("store.open");
  for (const std::string target : {"/v1/regions", "/v1/regions/lon", "/v1/games", "/v1/tiers"})
    check_told(of, own, ask_failing(of.ops(), "GET", target), "a fault is injected at store.open");
  fail_at("store.write");
  check_told(of, own, ask_failing(of.ops(), "POST", "/v1/lobbies", lobby),
             "a fault is injected at store.write");
  CHECK(ask_failing(of.ops(), "DELETE", "/faults/store.open").status == 204);
  check_told(of, own, ask_failing(of.ops(), "PUT", "/v1/regions/xyz", region),
             "a fault is injected at store.write");
  check_told(of, own, ask_failing(of.ops(), "DELETE", "/v1/regions/fra"),
             "a fault is injected at store.write");
}

TEST_CASE("the data plane does not say where a store lies that fails", "[operations]") {
  const world own;
  const server of{{"--enable-fault-injection"}, own};
  CHECK(ask_failing(of.ops(), "PUT", "/faults/store.read", R"({"kind":"error"})").status == 200);
  const auto game = "/cloud/games/" + std::string{demo_game};
  const auto listed = ask_failing(of.data(), "GET", game + "/avatars");
  CHECK(listed.problem_code() == "store_failed");
  CHECK(text_at(parse_json(listed.body), "detail") ==
        "The game's avatars cannot be read now. Retry later.");
  const auto exported = ask_failing(of.data(), "POST", game + "/matchmaker/lobbies/export-history",
                                    R"({"query_start":0,"query_end":1})");
  CHECK(exported.problem_code() == "store_failed");
  CHECK(text_at(parse_json(exported.body), "detail").find('/') == std::string::npos);
}

} // namespace
