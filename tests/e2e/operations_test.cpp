// The answers of both transports to every operation except the listing of regions.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <httplib.h>

#include <set>

namespace {

using namespace matchcloud::e2e;
using names = std::vector<std::string>;

const std::string json_header = "Content-Type: application/json\r\n";
const std::string game_path = "/cloud/games/" + std::string{demo_game};

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
}

TEST_CASE("findings name the entry, look into what is repeated, and say one mistake once",
          "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto got =
      post(transport, versions_target,
           R"({"display_name":"v","config":{"cdn":{"routes":[{"glob":"a","priority":0,)"
           R"("middlewares":[{"kind":{"zz":{}}}]}]},"matchmaker":{"docker":{"args":["a",1],)"
           R"("ports":{"game":{}}},"idle_lobbies":{"min":0,"max":1},"idle_lobbies":{"min":0}}}})");
  CHECK(got.body ==
        R"({"errors":[{"path":["config","cdn","routes","0","middlewares","0","kind","zz"],)"
        R"("code":"unknown-member","message":"`kind` has no member `zz`. Its only member is )"
        R"(`custom_headers`."},{"path":["config","matchmaker","docker","args","1"],)"
        R"("code":"wrong-type","message":"`args[1]` must be a string, but is a number. Put it in )"
        R"(double quotes."},{"path":["config","matchmaker","docker","ports","game"],)"
        R"("code":"required","message":"`ports.game` has neither `port` nor `port_range`. Add )"
        R"(`port`."},{"path":["config","matchmaker","idle_lobbies"],"code":"duplicate-member",)"
        R"("message":"`matchmaker` has the member `idle_lobbies` more than once. Keep one of )"
        R"(them."},{"path":["config","matchmaker","idle_lobbies","max"],"code":"required",)"
        R"("message":"`max` is required, but is absent. Add an integer."}]})");
  const auto detail = [&](const std::string& body) {
    return text_at(parse_json(post(transport, groups_target, body).body), "detail");
  };
  using namespace std::string_literals;
  CHECK(detail("{\"display_name\":\"a\0b\"}"s) ==
        "At line 1, column 19 (byte 18): a control character in a string must be escaped (found "
        "`\\u0000`). Write `\\u0000` in its place, or remove it.");
  CHECK(detail(R"({"x":[1.0e]})") ==
        "At line 1, column 11 (byte 10): expected a digit in the exponent, found `]`.");
}

TEST_CASE("an export's body may have unknown members where they are configured to be ignored",
          "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const std::string target =
      "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history";
  const std::string body = R"({"query_start":0,"query_end":0,"futur":1})";
  const auto refused =
      raw_connection{plain_server(transport).data()}.ask(request("POST", target, body));
  check_whole_problem(refused, 400, "query_invalid");
  CHECK(refused.body.find("has no member `futur`") != std::string::npos);
  raw_connection client{configured_server(transport).data()};
  const auto got = client.ask(request("POST", "/mm" + target, body));
  INFO(got.body);
  CHECK(got.status == 200);
  const auto document = parse_json(client.ask(request("GET", "/mm/openapi.json")).body);
  CHECK_FALSE(document["components"]["schemas"]["ExportSpan"].HasMember("additionalProperties"));
}

TEST_CASE("bodies that are no JSON object are refused with the place", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  for (const auto& target : {groups_target, games_target, versions_target}) {
    INFO(target);
    check_whole_problem(post(transport, target, R"({"display_name":)"), 400, "body_malformed");
    check_whole_problem(post(transport, target, ""), 400, "body_malformed");
    check_whole_problem(post(transport, target, "{\"display_name\":\"\xff\"}"), 400,
                        "body_malformed");
    check_whole_problem(post(transport, target, R"(["Team"])"), 400, "body_not_object");
    check_whole_problem(post(transport, target, "null"), 400, "body_not_object");
  }
  const auto got = post(transport, groups_target, "{\n  \"display_name\" 1}");
  CHECK(text_at(parse_json(got.body), "detail").find("line 2") != std::string::npos);
}

TEST_CASE("64 levels of nesting are read, 65 are refused", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto nested = [](std::size_t levels) {
    return R"({"display_name":"Team","x":)" + std::string(levels - 1, '[') +
           std::string(levels - 1, ']') + "}";
  };
  CHECK(post(transport, groups_target, nested(63)).status == 200);
  CHECK(post(transport, groups_target, nested(64)).status == 200);
  check_whole_problem(post(transport, groups_target, nested(65)), 400, "body_too_deep");
  check_whole_problem(post(transport, groups_target, std::string(200'000, '[')), 400,
                      "body_too_deep");
}

TEST_CASE("a body larger than 64 KiB is validated like a small one", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  for (const std::size_t padding : {65'000, 70'000, 1'000'000}) {
    const auto spaces = std::string(padding, ' ');
    CHECK(post(transport, groups_target, good_group + spaces).body == R"({"errors":[]})");
    CHECK(findings(post(transport, games_target, spaces + "{}").body) ==
          names{"required display_name"});
  }
}

TEST_CASE("only JSON is taken, and no Content-Type counts as JSON", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  for (const auto& target : {groups_target, games_target, versions_target})
    for (const std::string type : {"text/plain", "application/jsonx", "text/json"})
      check_whole_problem(post(transport, target, good_group, "Content-Type: " + type + "\r\n"),
                          415, "media_type_unsupported");
  CHECK(post(transport, groups_target, good_group).status == 200);
}

TEST_CASE("the game of a version must exist and its id be a UUID", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const std::string sound = R"({"display_name":"1","config":{}})";
  const auto of = [&](const std::string& id, const std::string& body) {
    return post(transport, "/cloud/games/" + id + "/versions/validate", body);
  };
  check_whole_problem(of("00000000-0000-4000-8000-0000000000ff", sound), 404, "game_not_found");
  for (const std::string id :
       {"1", "00000000-0000-4000-8000-00000000000g", "00000000000040008000000000000001-", "%20"})
    check_whole_problem(of(id, sound), 400, "id_malformed");
  // Ids are checked before the body, and the body before the game.
  check_whole_problem(of("1", "{"), 400, "id_malformed");
  check_whole_problem(of("00000000-0000-4000-8000-0000000000ff", "{"), 400, "body_malformed");
  CHECK(of("00000000-0000-4000-8000-000000000001", sound).status == 200);
  CHECK(of("%30%30000000-0000-4000-8000-000000000001", sound).status == 200);
}

TEST_CASE("unknown paths and malformed targets are problems", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  for (const std::string target :
       {"/", "/matchmaker", "/matchmaker/regions/", "/Matchmaker/regions", "//matchmaker/regions",
        "/cloud/groups/validate/more", "/mm/matchmaker/regions", "/healthz", "/a/b/c/d/e/f/g/h"})
    check_whole_problem(client.ask(request("GET", target)), 404, "route_not_found");
  check_whole_problem(client.ask(request("GET", "/matchmaker/re%gions")), 400, "target_malformed");
  check_whole_problem(client.ask(request("GET", "/matchmaker/regions%00")), 400,
                      "target_malformed");
  CHECK(client.ask(request("GET", "/matchmaker/regions?x=1&y=%zz")).status == 200);
  CHECK(client.ask(request("GET", "/%6Datchmaker/regions")).status == 200);
}

TEST_CASE("with a base path only what stands below it is served", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{configured_server(transport).data()};
  CHECK(client.ask(request("GET", "/mm/matchmaker/regions")).status == 200);
  CHECK(client.ask(request("POST", "/mm/cloud/groups/validate", good_group)).status == 200);
  for (const std::string target : {"/matchmaker/regions", "/mmmatchmaker/regions", "/mm", "/mm/"})
    check_whole_problem(client.ask(request("GET", target)), 404, "route_not_found");
}

TEST_CASE("a method that a path does not take is refused with those it takes", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  const auto check_refused = [&](const std::string& method, const std::string& target,
                                 const std::string& allow) {
    INFO(method << " " << target);
    const auto got = client.ask(request(method, target));
    check_whole_problem(got, 405, "method_not_allowed");
    CHECK(got.header("allow") == allow);
  };
  for (const std::string method : {"PUT", "DELETE", "PATCH"}) {
    check_refused(method, regions_target, "GET, HEAD, OPTIONS");
    check_refused(method, games_target, "POST, OPTIONS");
  }
  check_refused("POST", regions_target, "GET, HEAD, OPTIONS");
  for (const auto& target : {groups_target, games_target, versions_target})
    check_refused("GET", target, "POST, OPTIONS");
  const auto head = client.ask(request("HEAD", groups_target));
  CHECK(head.status == 405);
  CHECK(head.header("allow") == "POST, OPTIONS");
  CHECK(client.ask(request("GET", regions_target)).status == 200);
}

TEST_CASE("OPTIONS tells what a path takes", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  const auto allowed = [&](const std::string& target) {
    const auto got = client.ask(request("OPTIONS", target));
    CHECK(got.status == 204);
    // Stock httplib sends a Content-Length, against RFC 9110 section 8.6.
    if (std::string_view{transport} == "loops") CHECK(got.header("content-length").empty());
    return got.header("allow");
  };
  CHECK(allowed(regions_target) == "GET, HEAD, OPTIONS");
  CHECK(allowed(versions_target) == "POST, OPTIONS");
  CHECK(allowed("*") == "GET, HEAD, POST, OPTIONS");
  check_whole_problem(client.ask(request("OPTIONS", "/nowhere")), 404, "route_not_found");
}

TEST_CASE("every response has the request's id, the client's own where it is sane",
          "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  const auto id_for = [&](const std::string& id, const std::string& target) {
    return client.ask(request("GET", target, {}, "X-Request-Id: " + id + "\r\n"))
        .header("x-request-id");
  };
  const auto longest = std::string(128, 'a');
  for (const auto& id : {std::string{"a"}, std::string{"Trace-1_2.3:4/5+6=7@8"}, longest}) {
    CHECK(id_for(id, regions_target) == id);
    CHECK(id_for(id, "/nowhere") == id);
    CHECK(id_for(id, groups_target) == id);
  }
  for (const auto& id : {std::string{"a b"}, std::string{"<script>"}, longest + "a"}) {
    const auto given = id_for(id, regions_target);
    CHECK(given != id);
    CHECK(given.size() == 32);
  }
  std::set<std::string> made;
  for (int i = 0; i < 20; ++i)
    made.insert(client.ask(request("GET", regions_target)).header("x-request-id"));
  CHECK(made.size() == 20);
  CHECK(made.count("") == 0);
}

TEST_CASE("every response has a date", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  for (const auto& target : {regions_target, std::string{"/nowhere"}}) {
    const auto date = client.ask(request("GET", target)).header("date");
    CHECK(date.size() == 29);
    CHECK(date.ends_with(" GMT"));
  }
}

TEST_CASE("an ordinary HTTP library is understood", "[operations]") {
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

TEST_CASE("a catalog change by another process is seen by every loop within a second",
          "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const world own;
  const server changing{{"--transport", transport, "--loops", "4"}, own};
  std::vector<raw_connection> clients;
  for (int i = 0; i < 24; ++i)
    clients.emplace_back(changing.data());
  const auto has_moon = [](raw_connection& client) {
    const auto listed = client.ask(request("GET", regions_target));
    return listed.body.find(R"("region_id":"moon")") != std::string::npos;
  };
  const std::string game = "00000000-0000-4000-8000-000000000003";
  const auto known = [&](raw_connection& client) {
    return client
        .ask(request("POST", "/cloud/games/" + game + "/versions/validate",
                     R"({"display_name":"1","config":{}})"))
        .status;
  };
  for (auto& client : clients) {
    CHECK_FALSE(has_moon(client));
    CHECK(known(client) == 404);
  }
  own.import(R"({"regions": [{"region_id": "moon", "region_display_name": "Moon",
    "provider_display_name": "Far", "datacenter_coord": {"latitude": 0, "longitude": 0}}],
    "games": [{"game_id": ")" +
             game + R"(", "display_name": "Third", "namespaces": []}]})");
  // One second is the requirement; a busy machine gets twice that.
  const deadline until{milliseconds{2'000}};
  for (auto& client : clients) {
    CHECK(eventually([&] { return has_moon(client); }, until));
    CHECK(eventually([&] { return known(client) == 200; }, until));
  }
}

TEST_CASE("a request without a length has no body, and is answered at once", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  const auto posted = client.ask("POST /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(posted.status == 400);
  CHECK(posted.problem_code() == "body_malformed");
  const auto put = client.ask("PUT /cloud/groups/validate HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(put.status == 405);
  CHECK(put.problem_code() == "method_not_allowed");
}

TEST_CASE("who expects 100 Continue is refused before the body, on every ground that a head gives",
          "[operations]") {
  const auto& of = plain_server("loops");
  const auto ask = [&](const std::string& method, const std::string& target,
                       const std::string& headers = {}) {
    return raw_connection{of.data()}.ask(method + " " + target +
                                         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n"
                                         "Expect: 100-continue\r\n" +
                                         headers + "\r\n");
  };
  CHECK(ask("POST", "/nowhere").status == 404);
  CHECK(ask("PUT", groups_target).status == 405);
  CHECK(ask("PUT", groups_target).header("allow") == "POST, OPTIONS");
  CHECK(ask("POST", groups_target, "Content-Type: text/plain\r\n").status == 415);
  const auto exported =
      ask("POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history");
  CHECK(exported.status == 413);
  CHECK(exported.header("connection") == "close");
  CHECK(ask("POST", groups_target).status == 100);
}

} // namespace
