#include "http/front/access_gate.hpp"

#include "http/front/routes.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <string>

namespace matchcloud::http {
namespace {

using base::errc;
using fixtures::contains;

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

TEST_CASE("refusals come in order: method, path, the path's methods, host") {
  const auto refused = [](request head, const front_settings& settings) {
    const auto found = find_operation(head, settings);
    REQUIRE(!found);
    return found.error();
  };
  auto hostile = asking("BREW", "/nowhere");
  hostile.set(header::host, "evil.example");
  const auto unknown = refused(hostile, ops());
  CHECK(unknown.why.code == errc::method_not_implemented);
  CHECK(contains(unknown.why.detail, "'BREW'"));
  CHECK(unknown.which == operation::unmatched);
  hostile.method = method::patch;
  CHECK(refused(hostile, ops()).why.code == errc::route_not_found);
  hostile.target = "/v1/tiers/a";
  const auto other = refused(hostile, ops());
  CHECK(other.why.code == errc::method_not_allowed);
  CHECK(other.headers == "Allow: GET, HEAD, PUT, DELETE, OPTIONS\r\n");
  hostile.method = method::put;
  const auto foreign = refused(hostile, ops());
  CHECK(foreign.why.code == errc::host_not_allowed);
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
    CHECK(refused.error().why.code == errc::host_not_allowed);
    CHECK(contains(refused.error().why.detail, "no Host"));
  }
  auto from_page = ask("GET", "/healthz", true);
  from_page.set(header::origin, "https://evil.example");
  CHECK_FALSE(find_operation(from_page, ops()));
  auto rebound = ask("GET", "/healthz", true);
  rebound.set(header::host, "evil.example");
  CHECK_FALSE(find_operation(rebound, ops()));
}

TEST_CASE("each plane has its own paths, and faults only if enabled") {
  CHECK(!find_operation(asking("GET", "/matchmaker/regions"), ops()));
  CHECK(!find_operation(asking("GET", "/healthz"), front_settings{}));
  CHECK(!find_operation(asking("GET", "/faults"), ops(false)));
  CHECK(!find_operation(asking("GET", "/v1/avatars"), ops()));
  CHECK(!find_operation(asking("POST", "/v1/avatars"), ops()));
  CHECK(find_operation(asking("GET", "/v1/lobbies"), ops()).error().why.code ==
        errc::method_not_allowed);
  const auto detail = find_operation(asking("GET", "//"), ops()).error().why.detail;
  for (const std::string path : {"/healthz", "/metrics", "/openapi.json", "/v1"})
    CHECK(contains(detail, path));
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
  for (const std::string good : {"", "; a=b; charset=utf-8;"}) {
    CAPTURE(good);
    CHECK(code(data, "/cloud/games/validate", "application/json" + good).empty());
    CHECK(code(lines, "/v1/lobbies", "application/x-ndjson" + good).empty());
  }
  const std::string bad = "; a=b;CHARSET=utf-32";
  for (const auto& type : {"application/json" + bad, std::string{"text/json"}})
    CHECK(code(data, "/cloud/games/validate", type) == "media_type_unsupported");
  CHECK(code(data, "/cloud/games/validate", "").empty());
  CHECK(code(lines, "/v1/lobbies", "application/x-ndjson" + bad) == "media_type_unsupported");
}

TEST_CASE("a body is refused by its type or announced size, with CORS headers") {
  access_gate rules{std::make_shared<const front_settings>(ops())};
  auto lines = asking("POST", "/v1/lobbies");
  CHECK(judged(rules, lines, 4UL * 1024 * 1024 * 1024));
  CHECK(judged(rules, lines, 4UL * 1024 * 1024 * 1024 + 1).error().why.code ==
        errc::body_too_large);
  lines.set(header::content_type, "application/json");
  const auto verdict = judged(rules, lines, 1);
  REQUIRE_FALSE(verdict);
  CHECK(verdict.error().why.code == errc::media_type_unsupported);
  CHECK(verdict.error().which == operation::ingest_lobbies);
  auto asterisk = asking("OPTIONS", "*");
  CHECK(judged(rules, asterisk, 5));

  access_gate data{std::make_shared<const front_settings>()};
  auto post = asking("POST", "/matchmaker/regions");
  const auto posted = judged(data, post, 5).error();
  CHECK(posted.why.code == errc::method_not_allowed);
  CHECK(contains(posted.headers, "Access-Control-Allow-Origin: *\r\n"));
}

constexpr std::string_view versions = "/cloud/games/G/versions/validate";

base::errc why_not(std::string_view path, std::string_view base_path = "") {
  const auto found = find_route(path, base_path);
  REQUIRE(!found.has_value());
  return found.error().code;
}

TEST_CASE("every operation has its path and method") {
  struct expectation {
    std::string_view path;
    operation what;
    method how;
    std::string_view parameter;
  };
  const expectation table[] = {
      {"/matchmaker/regions", operation::list_regions, method::get, ""},
      {"/matchmaker/regions/group", operation::rank_group, method::post, ""},
      {"/cloud/groups/validate", operation::validate_group, method::post, ""},
      {"/cloud/games/validate", operation::validate_game, method::post, ""},
      {versions, operation::validate_version, method::post, "G"},
      {"/cloud/games/G/avatars", operation::list_avatars, method::get, "G"},
      {"/cloud/games/G/matchmaker/lobbies/export-history", operation::export_lobby_history,
       method::post, "G"},
      {"/exports/E/lobby-history.csv", operation::download_export, method::get, "E"}};
  for (const auto& row : table) {
    CAPTURE(row.path);
    const auto found = find_route(row.path, "");
    REQUIRE(found);
    CHECK(found->row->id == row.what);
    CHECK(found->row->method == row.how);
    CHECK(found->parameters[0] == row.parameter);
  }
}

TEST_CASE("an image's path has an upload and a file name, each one segment") {
  const auto found = find_route("/media/avatars/U/F.png", "").value();
  CHECK(found.row->id == operation::download_media);
  CHECK(found.parameters[0] == "U");
  CHECK(found.parameters[1] == "F.png");
  CHECK(find_route("/media/avatars/U/..%2f..%2fetc", "").value().parameters[1] == "../../etc");
  CHECK(why_not("/media/avatars/U/../etc") == errc::route_not_found);
  CHECK(why_not("/media/avatars/U/") == errc::route_not_found);
  CHECK(why_not("/media/avatars//F.png") == errc::route_not_found);
  CHECK(why_not("/media/avatars/U") == errc::route_not_found);
}

TEST_CASE("a route allows its method, OPTIONS, and HEAD where it is GET") {
  const auto& get = row_of(operation::list_regions);
  CHECK(allow_of(get) == "GET, HEAD, OPTIONS");
  for (const auto allowed : {method::get, method::head, method::options})
    CHECK(allows(get, allowed));
  for (const auto refused : {method::post, method::put, method::patch, method::del, method::other})
    CHECK(!allows(get, refused));

  const auto& post = row_of(operation::validate_game);
  CHECK(allow_of(post) == "POST, OPTIONS");
  for (const auto allowed : {method::post, method::options})
    CHECK(allows(post, allowed));
  for (const auto refused : {method::get, method::head, method::put, method::other})
    CHECK(!allows(post, refused));
}

TEST_CASE("only the whole path is a route, in its own case") {
  for (const std::string_view path :
       {"", "/", "//", "matchmaker/regions", "/matchmaker", "/matchmaker/regions/",
        "/matchmaker//regions", "//matchmaker/regions", "/matchmaker/regions/x",
        "/Matchmaker/regions", "/matchmaker/REGIONS", "/cloud/games//versions/validate",
        "/cloud/games/G/avatars/", "/cloud/games/G/H/avatars", "/./matchmaker/regions",
        "/x/../matchmaker/regions", "/cloud/games/G/matchmaker/lobbies/export-history/x",
        "/a/b/c/d/e/f/g/h/i/j", "/matchmaker/regions;x"}) {
    CAPTURE(path);
    CHECK(why_not(path) == errc::route_not_found);
  }
}

TEST_CASE("a segment is decoded once, after the split") {
  CHECK(find_route("/m%61tchmaker/re%67ions", "").value().row->id == operation::list_regions);
  CHECK(find_route("/cloud/games/a%2Fb/avatars", "").value().parameters[0] == "a/b");
  CHECK(find_route("/cloud/games/a%2fb/avatars", "").value().parameters[0] == "a/b");
  CHECK(find_route("/cloud/games/%2525/avatars", "").value().parameters[0] == "%25");
  CHECK(find_route("/cloud/games/%C3%A9/avatars", "").value().parameters[0] == "\xC3\xA9");
  CHECK(find_route("/cloud/games/a%20b/avatars", "").value().parameters[0] == "a b");
  CHECK(why_not("/matchmaker%2Fregions") == errc::route_not_found);
  CHECK(why_not("/m%2561tchmaker/regions") == errc::route_not_found);
}

TEST_CASE("a bad escape is refused, also where there is no route") {
  for (const std::string_view segment : {"%", "%4", "%4G", "%G4", "%%41", "%-1", "%+1", "%0x",
                                         "% 1", "%00", "%0d", "%0A", "%1f", "%7F", "%09"}) {
    CAPTURE(segment);
    CHECK(why_not("/cloud/games/" + std::string{segment} + "/avatars") == errc::target_malformed);
    CHECK(why_not("/" + std::string{segment}) == errc::target_malformed);
    CHECK(!percent_decode(segment));
  }
  CHECK(percent_decode("").value().empty());
  CHECK(percent_decode("%20%7e%ff").value() == " ~\xff");
}

TEST_CASE("routes live below the base path and nowhere else") {
  CHECK(find_route("/api/v1/matchmaker/regions", "/api/v1"));
  CHECK(why_not("/matchmaker/regions", "/api/v1") == errc::route_not_found);
  CHECK(why_not("/api/v1", "/api/v1") == errc::route_not_found);
  CHECK(why_not("/api/v1matchmaker/regions", "/api/v1") == errc::route_not_found);
  CHECK(why_not("/api/v1x/matchmaker/regions", "/api/v1") == errc::route_not_found);
  CHECK(why_not("/API/v1/matchmaker/regions", "/api/v1") == errc::route_not_found);
  CHECK(why_not("/api/v1/api/v1/matchmaker/regions", "/api/v1") == errc::route_not_found);
}

TEST_CASE("a long unknown path is quoted in part only") {
  const auto found = find_route("/" + std::string(5'000, 'x'), "");
  REQUIRE(!found.has_value());
  CHECK(found.error().detail.size() < 400);
}

} // namespace
} // namespace matchcloud::http
