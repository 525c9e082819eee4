#include "http/front/access_gate.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::http {
namespace {

request asking(std::string method_token, std::string target) {
  request made;
  made.method = parse_method(method_token);
  made.method_token = std::move(method_token);
  made.target = std::move(target);
  made.set(header::host, "localhost");
  made.peer = *model::parse_ip_address("127.0.0.1");
  return made;
}

head_verdict judged(access_gate& by, const request& head, std::uint64_t length) {
  caller_facts caller;
  return by.judge(head, caller, length);
}

front_settings ops(bool has_faults = false) {
  front_settings made;
  made.plane = plane::ops;
  made.has_faults = has_faults;
  return made;
}

TEST_CASE("an operation of the ops plane is found by its path and method") {
  struct expectation {
    std::string method;
    std::string path;
    operation what;
    std::string first = {};
    std::string second = {};
  };
  for (const auto& row :
       {expectation{"GET", "/healthz", operation::get_health},
        expectation{"HEAD", "/readyz", operation::get_readiness},
        expectation{"GET", "/metrics", operation::get_metrics},
        expectation{"GET", "/actors", operation::list_actors},
        expectation{"GET", "/events", operation::watch_status},
        expectation{"POST", "/v1/lobbies", operation::ingest_lobbies},
        expectation{"GET", "/v1/games", operation::list_elements, "games"},
        expectation{"GET", "/v1/tiers/a", operation::get_element, "tiers", "a"},
        expectation{"PUT", "/v1/tiers/a", operation::put_element, "tiers", "a"},
        expectation{"DELETE", "/v1/regions/b", operation::remove_element, "regions", "b"},
        expectation{"GET", "/faults", operation::list_faults},
        expectation{"DELETE", "/faults", operation::clear_faults},
        expectation{"PUT", "/faults/clock", operation::put_fault, "clock"},
        expectation{"DELETE", "/faults/clock", operation::clear_fault, "clock"}}) {
    CAPTURE(row.method, row.path);
    const auto head = asking(row.method, row.path);
    const auto found = find_operation(head, ops(true));
    REQUIRE(found);
    CHECK(found->row->id == row.what);
    CHECK(found->parameters[0] == row.first);
    CHECK(found->parameters[1] == row.second);
  }
}

TEST_CASE("a head is refused in a fixed order: method, path, method of the path, who asks") {
  const auto refused = [](request head, const front_settings& settings) {
    const auto found = find_operation(head, settings);
    REQUIRE(!found);
    return found.error();
  };
  auto hostile = asking("BREW", "/nowhere");
  hostile.set(header::host, "evil.example");
  CHECK(refused(hostile, ops()).why.code == base::errc::method_not_implemented);
  hostile.method = method::patch;
  CHECK(refused(hostile, ops()).why.code == base::errc::route_not_found);
  hostile.target = "/v1/tiers/a";
  const auto other = refused(hostile, ops());
  CHECK(other.why.code == base::errc::method_not_allowed);
  CHECK(other.headers == "Allow: GET, HEAD, PUT, DELETE, OPTIONS\r\n");
  hostile.method = method::put;
  const auto foreign = refused(hostile, ops());
  CHECK(foreign.why.code == base::errc::host_not_allowed);
  CHECK(foreign.which == operation::put_element);
}

TEST_CASE("health checks in HTTP/1.0 need no Host, and nothing else does without") {
  const auto ask = [](std::string_view method_token, std::string_view target, bool http_1_0) {
    request made;
    made.method_token = method_token;
    made.method = parse_method(method_token);
    made.target = target;
    made.http_1_0 = http_1_0;
    return made;
  };
  for (const auto* method_token : {"GET", "HEAD", "OPTIONS"})
    for (const auto* target : {"/healthz", "/readyz", "/readyz?x=1"}) {
      CAPTURE(method_token, target);
      CHECK(find_operation(ask(method_token, target, true), ops()));
      CHECK_FALSE(find_operation(ask(method_token, target, false), ops()));
    }
  for (const auto* target : {"/", "/metrics", "/v1/games", "/events", "/v1/version"}) {
    CAPTURE(target);
    const auto refused = find_operation(ask("GET", target, true), ops());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().why.code == base::errc::host_not_allowed);
    CHECK(refused.error().why.detail.find("no Host") != std::string::npos);
  }
  auto from_page = ask("GET", "/healthz", true);
  from_page.set(header::origin, "https://evil.example");
  CHECK_FALSE(find_operation(from_page, ops()));
  auto rebound = ask("GET", "/healthz", true);
  rebound.set(header::host, "evil.example");
  CHECK_FALSE(find_operation(rebound, ops()));
}

TEST_CASE("each plane has its own paths, and there are faults only where they are enabled") {
  CHECK(!find_operation(asking("GET", "/matchmaker/regions"), ops()));
  CHECK(!find_operation(asking("GET", "/healthz"), front_settings{}));
  CHECK(!find_operation(asking("GET", "/faults"), ops(false)));
  CHECK(!find_operation(asking("GET", "/v1/avatars"), ops()));
  CHECK(!find_operation(asking("POST", "/v1/avatars"), ops()));
  CHECK(find_operation(asking("GET", "/v1/lobbies"), ops()).error().why.code ==
        base::errc::method_not_allowed);
  const auto detail = find_operation(asking("GET", "//"), ops()).error().why.detail;
  for (const std::string path : {"/healthz", "/metrics", "/openapi.json", "/v1"})
    CHECK(detail.find(path) != std::string::npos);
}

TEST_CASE("a body in another charset than UTF-8 is refused, whatever its media type") {
  access_gate data{std::make_shared<const front_settings>()};
  access_gate lines{std::make_shared<const front_settings>(ops())};
  const auto code = [](access_gate& rules, std::string target, std::string_view type) {
    auto head = asking("POST", std::move(target));
    head.set(header::content_type, type);
    const auto verdict = judged(rules, head, 5);
    return verdict ? "" : std::string{base::describe(verdict.error().why.code).code};
  };
  for (const std::string good :
       {"", ";charset=utf-8", "; charset=UTF-8", ";\tCharset=\"utf-8\"", "; charset=us-ascii",
        "; charset=utf8", ";", "; profile=x", "; a=b; charset=utf-8;", "; charset=", "; charset"}) {
    CAPTURE(good);
    CHECK(code(data, "/cloud/games/validate", "application/json" + good).empty());
    CHECK(code(lines, "/v1/lobbies", "application/x-ndjson" + good).empty());
  }
  for (const std::string bad :
       {"; charset=utf-16", ";charset=\"UTF-16LE\"", "; charset=iso-8859-1", "; charset=\"utf-8",
        "; a=b;CHARSET=utf-32", ";charset=utf-8;charset=utf-16"}) {
    CAPTURE(bad);
    CHECK(code(data, "/cloud/games/validate", "application/json" + bad) ==
          "media_type_unsupported");
    CHECK(code(lines, "/v1/lobbies", "application/x-ndjson" + bad) == "media_type_unsupported");
  }
}

TEST_CASE("a body is judged by its type and announced size, with the answer's CORS headers") {
  access_gate rules{std::make_shared<const front_settings>(ops())};
  auto lines = asking("POST", "/v1/lobbies");
  CHECK(judged(rules, lines, 4UL * 1024 * 1024 * 1024));
  CHECK(judged(rules, lines, 4UL * 1024 * 1024 * 1024 + 1).error().why.code ==
        base::errc::body_too_large);
  lines.set(header::content_type, "application/json");
  const auto verdict = judged(rules, lines, 1);
  REQUIRE_FALSE(verdict);
  CHECK(verdict.error().why.code == base::errc::media_type_unsupported);
  CHECK(verdict.error().which == operation::ingest_lobbies);
  auto asterisk = asking("OPTIONS", "*");
  CHECK(judged(rules, asterisk, 5));

  access_gate data{std::make_shared<const front_settings>()};
  auto post = asking("POST", "/matchmaker/regions");
  const auto posted = judged(data, post, 5).error();
  CHECK(posted.why.code == base::errc::method_not_allowed);
  CHECK(posted.headers.find("Access-Control-Allow-Origin: *\r\n") != std::string::npos);
}

} // namespace
} // namespace matchcloud::http
