// The answers of both transports to requests of each kind. tests/openapi provokes every status of
// every operation.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <httplib.h>

namespace {

using namespace matchcloud::e2e;
using names = std::vector<std::string>;

const std::string json_header = "Content-Type: application/json\r\n";

answer post(const std::string& transport, const std::string& target, std::string_view body,
            std::string_view headers = {}) {
  raw_connection client{plain_server(transport).data()};
  return client.ask(request("POST", target, body, headers));
}

/// Checks that `got` is a problem with this status and code, in the shape that all problems have.
void check_whole_problem(const answer& got, int status, const std::string& code) {
  INFO(got.body);
  CHECK(got.status == status);
  CHECK(got.header("content-type") == "application/problem+json");
  const auto problem = parse_json(got.body);
  CHECK(member_names(problem) ==
        names{"type", "title", "status", "detail", "code", "message", "request_id"});
  CHECK(text_at(problem, "code") == code);
  CHECK(text_at(problem, "type") == "urn:matchcloud:problem:" + code);
  CHECK_FALSE(text_at(problem, "title").empty());
  CHECK_FALSE(text_at(problem, "detail").empty());
  CHECK(text_at(problem, "message") == text_at(problem, "detail"));
  CHECK(text_at(problem, "request_id") == got.header("x-request-id"));
  if (problem.IsObject() && problem.HasMember("status"))
    CHECK(problem["status"].GetInt() == status);
}

TEST_CASE("a sound payload has no findings", "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  for (const auto& target : {groups_target, games_target}) {
    const auto got = post(transport, target, good_group, json_header);
    CHECK(got.status == 200);
    CHECK(got.header("content-type") == "application/json");
    CHECK(got.body == R"({"errors":[]})");
  }
  const auto version = post(transport, versions_target, R"({"display_name":"1.0","config":{}})",
                            "Content-Type: application/JSON; charset=utf-8\r\n");
  CHECK(version.status == 200);
  CHECK(version.body == R"({"errors":[]})");
}

TEST_CASE("findings have path, code and message, in document order", "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  CHECK(findings(post(transport, groups_target, "{}").body) == names{"required display_name"});
  CHECK(findings(post(transport, games_target, R"({"display_name":7})").body) ==
        names{"wrong-type display_name"});
  CHECK(findings(post(transport, groups_target, R"({"display_name":"1234567890123456789012345"})")
                     .body) == names{"too-long display_name"});

  const auto version = post(transport, versions_target, R"({"config": {
    "cdn": {"routes": [{"glob": "*", "priority": -1, "middlewares": []}]},
    "matchmaker": {"tierr": "x", "game_modes": {"ranked": {"idle_lobbies": {"min": 1}}}}}})");
  CHECK(version.status == 200);
  CHECK(findings(version.body) ==
        names{"out-of-range config/cdn/routes/0/priority", "unknown-member config/matchmaker/tierr",
              "required config/matchmaker/game_modes/ranked/idle_lobbies/max",
              "required display_name"});
  const auto document = parse_json(version.body);
  for (const auto& entry : document["errors"].GetArray()) {
    CHECK(member_names(entry) == names{"path", "code", "message"});
    CHECK_FALSE(text_at(entry, "message").empty());
  }
}

TEST_CASE("unknown members are no findings where they are configured to be ignored",
          "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{configured_server(transport).data()};
  const auto got = client.ask(
      request("POST", "/mm" + versions_target, R"({"display_name":"1","config":{},"futur":1})"));
  CHECK(got.body == R"({"errors":[]})");
  const auto exported = client.ask(request(
      "POST", "/mm/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
      R"({"query_start":0,"query_end":0,"futur":1})"));
  CHECK(exported.status == 200);
  CHECK(client.ask(request("GET", regions_target)).problem_code() == "route_not_found");
}

/// A request, and the problem or the status that answers it on either transport.
struct answered_row {
  std::string method;
  std::string target;
  std::string headers;
  std::string body;
  int status;
  std::string code;
};

TEST_CASE("both transports answer requests of each kind alike", "[operations]") {
  const std::string transport = GENERATE("loops", "httplib");
  const std::string typed = "Content-Type: text/plain\r\n";
  for (const auto& each : {
           answered_row{"GET", "/matchmaker/regions/", "", "", 404, "route_not_found"},
           {"GET", "/healthz", "", "", 404, "route_not_found"},
           {"GET", "/matchmaker/re%gions", "", "", 400, "target_malformed"},
           {"GET", "/%6Datchmaker/regions?x=1&y=%zz", "", "", 200, ""},
           {"PUT", regions_target, "", "", 405, "method_not_allowed"},
           {"GET", games_target, "", "", 405, "method_not_allowed"},
           {"TRACE", regions_target, "", "", 501, "method_not_implemented"},
           {"POST", groups_target, typed, good_group, 415, "media_type_unsupported"},
           {"POST", groups_target, "Content-Type:\r\n", good_group, 200, ""},
           {"POST", groups_target, "Content-Encoding: identity\r\n", good_group, 200, ""},
           {"POST", groups_target, "", R"({"display_name":)", 400, "body_malformed"},
           {"POST", groups_target, "", "null", 400, "body_not_object"},
           {"POST", groups_target, "", std::string(200'000, '['), 400, "body_too_deep"},
           {"POST", "/cloud/games/1/versions/validate", "", "{", 400, "id_malformed"},
           {"POST", groups_target, "", std::string(1'048'577, ' '), 413, "body_too_large"},
       }) {
    CAPTURE(transport, each.method, each.target, each.headers, each.body.substr(0, 40));
    raw_connection client{plain_server(transport).data()};
    const auto got = client.ask(request(each.method, each.target, each.body, each.headers));
    CHECK(got.status == each.status);
    if (each.status < 413) CHECK(got.header("date").ends_with(" GMT"));
    if (!each.code.empty() && each.status <= 405) check_whole_problem(got, each.status, each.code);
    if (!each.code.empty()) CHECK(got.problem_code() == each.code);
    if (each.status == 405) CHECK(got.header("allow").ends_with(", OPTIONS"));
    if (each.status == 413)
      CHECK(got.body.find("The body has more than 1048576 bytes, the limit. Send less, or split it "
                          "into several requests if possible. The service's operator can raise "
                          "body-limit-bytes.") != std::string::npos);
  }
  raw_connection client{plain_server(transport).data()};
  CHECK(client.ask(request("OPTIONS", regions_target)).header("allow") == "GET, HEAD, OPTIONS");
  CHECK(client.ask(request("OPTIONS", "*")).header("allow") == "GET, HEAD, POST, OPTIONS");
  const auto whole = client.ask(request("GET", regions_target, {}, "X-Request-Id: mine\r\n"));
  CHECK(whole.header("x-request-id") == "mine");
  CHECK(client.ask(request("HEAD", regions_target)).header("content-length") ==
        std::to_string(whole.body.size()));
  const auto insane = client.ask(request("GET", regions_target, {}, "X-Request-Id: <script>\r\n"));
  CHECK(insane.header("x-request-id").size() == 32);
  const auto unsized = client.ask("POST " + groups_target + " HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(unsized.problem_code() == "body_malformed");
  // Large bodies have a separate validator.
  CHECK(findings(client.ask(request("POST", games_target, std::string(70'000, ' ') + "{}")).body) ==
        names{"required display_name"});
  if (transport == "httplib") return; // it sends a Content-Length with 204, against RFC 9110
  const auto pong = client.ask(request("GET", "/ping", {}, "Origin: https://a.example\r\n"));
  CHECK(pong.status == 204);
  CHECK(pong.header("content-length").empty());
  CHECK(pong.header("timing-allow-origin") == "*");
}

TEST_CASE("an ordinary HTTP library keeps its connection, and streams a body", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& to = plain_server(transport).data();
  httplib::Client client{to.host, to.port};
  client.set_keep_alive(true);
  for (int i = 0; i < 3; ++i) {
    const auto listed = client.Get(regions_target.c_str());
    REQUIRE(listed);
    CHECK(listed->status == 200);
    const auto validated = client.Post(groups_target.c_str(), good_group, "application/json");
    REQUIRE(validated);
    CHECK(validated->body == R"({"errors":[]})");
    const auto head = client.Head(regions_target.c_str());
    REQUIRE(head);
    CHECK(head->status == 200);
  }
  const auto streamed = client.Post(
      groups_target.c_str(),
      [](std::size_t, httplib::DataSink& sink) {
        sink.write(good_group.data(), good_group.size());
        sink.done();
        return true;
      },
      "application/json");
  REQUIRE(streamed);
  CHECK(streamed->body == R"({"errors":[]})");
}

answer ask_openapi(const address& port, const std::string& target,
                   const std::string& headers = {}) {
  raw_connection client{port};
  return client.ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

TEST_CASE("a service returns the OpenAPI documents that the command prints", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& of = plain_server(transport);
  const auto data = run({"openapi"});
  REQUIRE(data.exit_code == 0);
  CHECK(run({"openapi", "--plane", "data"}).out == data.out);
  const auto ops = run({"openapi", "--plane", "ops"});
  CHECK(text_at(parse_json(data.out), "openapi") == "3.1.0");
  CHECK(ask_openapi(of.data(), "/openapi.json").body + "\n" == data.out);
  CHECK(ask_openapi(of.ops(), "/openapi.json").body + "\n" == ops.out);
  CHECK(ask_openapi(of.ops(), "/data/openapi.json").body + "\n" == data.out);
}

TEST_CASE("an OpenAPI document is revalidated and compressed", "[operations]") {
  const auto& of = plain_server("loops");
  const auto plain = ask_openapi(of.data(), "/openapi.json");
  CHECK(plain.status == 200);
  CHECK(plain.header("content-type") == "application/json");
  CHECK(plain.header("cache-control") == "no-cache");
  CHECK(plain.header("vary") == "Accept-Encoding");
  CHECK(plain.header("access-control-allow-origin") == "*");
  const auto known =
      ask_openapi(of.data(), "/openapi.json", "If-None-Match: " + plain.header("etag") + "\r\n");
  CHECK(known.status == 304);
  CHECK(known.body.empty());
  const auto small = ask_openapi(of.data(), "/openapi.json", "Accept-Encoding: gzip\r\n");
  CHECK(small.header("content-encoding") == "gzip");
  CHECK(small.header("etag") != plain.header("etag"));
  CHECK(small.body.size() < plain.body.size() / 4);
  CHECK(matchcloud::fixtures::inflated(small.body) == plain.body);
}

} // namespace
