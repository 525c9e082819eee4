// The catalog on the ops plane and by commands, and the visibility of changes.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <thread>

namespace {

using namespace matchcloud::e2e;

/// A change must be visible within a second; a busy machine gets more, but less than `patience`.
constexpr milliseconds soon{5'000};

const std::string eu_namespace = "00000000-0000-4000-8000-000000000021";
const std::string new_game = "00000000-0000-4000-8000-000000000003";
const std::string new_namespace = "00000000-0000-4000-8000-000000000031";

std::string region_named(const std::string& name) {
  return R"({"region_display_name":")" + name +
         R"(","provider_display_name":"P","datacenter_coord":{"latitude":1.5,"longitude":-2}})";
}

answer ask_admin(const server& of, const std::string& method, const std::string& target,
                 const std::string& body = {}, const std::string& headers = {}) {
  auto text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (method == "PUT" || method == "POST" || method == "PATCH")
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  raw_connection client{of.ops()};
  client.send(text + "\r\n" + body);
  return client.receive(method == "HEAD");
}

/// The regions listing for players of `of`.
std::string regions_of(const server& of) {
  raw_connection client{of.data()};
  return client.ask(request("GET", regions_target)).body;
}

bool lists_soon(const server& of, const std::string& region_id, bool listed = true) {
  return eventually(
      [&] {
        const auto found = regions_of(of).find("\"region_id\":\"" + region_id + "\"");
        return (found != std::string::npos) == listed;
      },
      deadline{soon});
}

void check_problem(const answer& got, int status, const std::string& code) {
  INFO(got.body);
  CHECK(got.status == status);
  CHECK(got.problem_code() == code);
  CHECK(got.header("content-type") == "application/problem+json");
  CHECK(text_at(parse_json(got.body), "request_id") == got.header("x-request-id"));
}

TEST_CASE("a region that is put is listed to players within a second, and gone when deleted",
          "[operations]") {
  const world own;
  const server of{{}, own};
  const auto put = ask_admin(of, "PUT", "/v1/regions/atl", region_named("Atlantis"));
  CHECK(put.status == 201);
  CHECK(put.header("content-type") == "application/json");
  const auto as_stored = R"({"region_id":"atl",)" + region_named("Atlantis").substr(1);
  CHECK(put.body == as_stored);
  CHECK(lists_soon(of, "atl"));
  CHECK(ask_admin(of, "GET", "/v1/regions/atl").body == as_stored);
  CHECK(ask_admin(of, "HEAD", "/v1/regions/atl").status == 200);

  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Atlantis")).status == 200);
  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Risen")).status == 200);
  CHECK(eventually([&] { return regions_of(of).find("\"Risen\"") != std::string::npos; },
                   deadline{soon}));

  const auto removed = ask_admin(of, "DELETE", "/v1/regions/atl");
  CHECK(removed.status == 204);
  CHECK(removed.body.empty());
  CHECK(lists_soon(of, "atl", false));
  check_problem(ask_admin(of, "GET", "/v1/regions/atl"), 404, "element_not_found");
  check_problem(ask_admin(of, "DELETE", "/v1/regions/atl"), 404, "element_not_found");
  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Again")).status == 201);
}

TEST_CASE("a removed game is no game any more, until it is put again", "[operations]") {
  const world own;
  const server of{{}, own};
  const auto validates = [&](const std::string& game) {
    raw_connection client{of.data()};
    return client
        .ask(request("POST", "/cloud/games/" + game + "/versions/validate",
                     R"({"display_name":"1","config":{}})"))
        .status;
  };
  const auto refused = ask_admin(of, "DELETE", "/v1/games/" + second_game);
  check_problem(refused, 409, "still_referred");
  CHECK(refused.body.find(eu_namespace) != std::string::npos);
  CHECK(validates(second_game) == 200);

  CHECK(ask_admin(of, "DELETE", "/v1/namespaces/" + eu_namespace).status == 204);
  CHECK(ask_admin(of, "DELETE", "/v1/games/" + second_game).status == 204);
  CHECK(eventually([&] { return validates(second_game) == 404; }, deadline{soon}));
  CHECK(ask_admin(of, "PUT", "/v1/games/" + second_game, R"({"display_name":"Back"})").status ==
        201);
  CHECK(eventually([&] { return validates(second_game) == 200; }, deadline{soon}));
}

TEST_CASE("a region that a namespace lists is not removed; one that all have is", "[operations]") {
  const world own;
  const server of{{}, own};
  const auto refused = ask_admin(of, "DELETE", "/v1/regions/fra");
  check_problem(refused, 409, "still_referred");
  CHECK(text_at(parse_json(refused.body), "detail").find(eu_namespace) != std::string::npos);
  CHECK(ask_admin(of, "DELETE", "/v1/regions/syd").status == 204);
  const auto moved = R"({"game_id":")" + second_game + R"(","name":"eu","regions":["lon"]})";
  CHECK(ask_admin(of, "PUT", "/v1/namespaces/" + eu_namespace, moved).status == 200);
  CHECK(ask_admin(of, "DELETE", "/v1/regions/fra").status == 204);
}

TEST_CASE("a namespace gives its domain up and comes back to its own game only", "[operations]") {
  const world own;
  const server of{{}, own};
  const auto at = "/v1/namespaces/" + new_namespace;
  const auto with_domain = R"({"game_id":")" + std::string{demo_game} +
                           R"(","name":"asia","domains":["eu.second.example"]})";
  const auto taken = ask_admin(of, "PUT", at, with_domain);
  check_problem(taken, 400, "import_invalid");
  CHECK(taken.body.find("eu.second.example") != std::string::npos);
  CHECK(ask_admin(of, "DELETE", "/v1/namespaces/" + eu_namespace).status == 204);
  const auto put = ask_admin(of, "PUT", at, with_domain);
  CHECK(put.status == 201);
  CHECK(put.body == R"({"namespace_id":")" + new_namespace + R"(","game_id":")" +
                        std::string{demo_game} +
                        R"(","name":"asia","domains":["eu.second.example"]})");
  const auto elsewhere = R"({"game_id":")" + std::string{demo_game} + R"(","name":"eu"})";
  const auto moved = ask_admin(of, "PUT", "/v1/namespaces/" + eu_namespace, elsewhere);
  check_problem(moved, 400, "import_invalid");
  CHECK(moved.body.find("cannot return to game") != std::string::npos);
}

TEST_CASE("lists have every element and the revision", "[operations]") {
  const world own;
  const server of{{}, own};
  for (const std::string kind : {"games", "namespaces", "regions", "tiers"}) {
    const auto got = ask_admin(of, "GET", "/v1/" + kind);
    CHECK(got.status == 200);
    CHECK(member_names(parse_json(got.body)) == arguments{kind, "revision"});
    CHECK(ask_admin(of, "HEAD", "/v1/" + kind).header("content-length") ==
          std::to_string(got.body.size()));
    // The command prints the same, byte for byte.
    CHECK(run({"catalog", "list", kind, "--format", "json", "--data-dir", own.data_dir()}).out ==
          got.body + "\n");
  }
  const auto before = parse_json(ask_admin(of, "GET", "/v1/tiers").body);
  CHECK(before["tiers"].Size() == 7);
  CHECK(ask_admin(of, "PUT", "/v1/tiers/basic-9d9").status == 201);
  CHECK(ask_admin(of, "GET", "/v1/tiers/basic-9d9").body == "\"basic-9d9\"");
  raw_connection unsized{of.ops()};
  CHECK(unsized.ask("PUT /v1/tiers/basic-9d9 HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200);
  const auto after = parse_json(ask_admin(of, "GET", "/v1/tiers").body);
  CHECK(after["tiers"].Size() == 8);
  CHECK(after["revision"].GetInt() == before["revision"].GetInt() + 1);
}

TEST_CASE("requests that cannot be done say why and change nothing", "[operations]") {
  const world own;
  const server of{{}, own};
  const auto before = ask_admin(of, "GET", "/v1/regions").body;
  const std::string at = "/v1/regions/atl";
  const auto good = region_named("Atlantis");
  for (const std::string target : {"/v1/regions/", "/v1/regions/a/b", "/v1", "/v1/", "/v1/avatars",
                                   "/v1/regionsx", "/v1/regions%2fatl%2fb"})
    check_problem(ask_admin(of, "GET", target), 404, "route_not_found");
  for (const std::string id : {"ATL", "a%20b", "012345678901234567890123456789012"})
    check_problem(ask_admin(of, "PUT", "/v1/regions/" + id, good), 400, "id_malformed");
  check_problem(ask_admin(of, "PUT", "/v1/regions/%00", good), 400, "target_malformed");
  check_problem(ask_admin(of, "DELETE", "/v1/games/1"), 400, "id_malformed");

  for (const std::string method : {"POST", "PATCH"}) {
    const auto got = ask_admin(of, method, at, good);
    check_problem(got, 405, "method_not_allowed");
    CHECK(got.header("allow") == "GET, HEAD, PUT, DELETE, OPTIONS");
  }
  const auto options = ask_admin(of, "OPTIONS", at);
  CHECK(options.status == 204);
  CHECK(options.header("allow") == "GET, HEAD, PUT, DELETE, OPTIONS");
  for (const std::string method : {"PUT", "DELETE", "POST"}) {
    const auto got = ask_admin(of, method, "/v1/regions", good);
    check_problem(got, 405, "method_not_allowed");
    CHECK(got.header("allow") == "GET, HEAD, OPTIONS");
  }
  check_problem(ask_admin(of, "TRACE", at), 501, "method_not_implemented");

  check_problem(ask_admin(of, "PUT", at, good, "Content-Type: text/plain\r\n"), 415,
                "media_type_unsupported");
  const auto coded = ask_admin(of, "PUT", at, good, "Content-Encoding: gzip\r\n");
  check_problem(coded, 415, "content_coding_unsupported");
  CHECK(coded.header("accept-encoding") == "identity");
  CHECK(
      ask_admin(of, "PUT", at, "{}", "Content-Type: application/JSON; charset=utf-8\r\n").status ==
      400);
  check_problem(ask_admin(of, "PUT", at, "{"), 400, "import_invalid");
  check_problem(ask_admin(of, "PUT", at, ""), 400, "import_invalid");
  const auto wrong = ask_admin(of, "PUT", at, R"({"region_id":"fra"})");
  check_problem(wrong, 400, "import_invalid");
  CHECK(text_at(parse_json(wrong.body), "detail").find("as in the request, or no id") !=
        std::string::npos);
  CHECK(ask_admin(of, "GET", "/v1/regions").body == before);
}

TEST_CASE("bodies on the ops plane are bounded, and the answer arrives before they are read",
          "[limits]") {
  const server of{{"--body-timeout-ms", "1000"}};
  const std::string at = "/v1/regions/atl";
  check_problem(ask_admin(of, "PUT", at, std::string(65'537, ' ')), 413, "body_too_large");
  check_problem(ask_admin(of, "PUT", at, std::string(600'000, ' ')), 413, "body_too_large");
  check_problem(ask_admin(of, "POST", "/nowhere", std::string(600'000, ' ')), 404,
                "route_not_found");
  check_problem(ask_admin(of, "PUT", at, std::string(65'536, ' ')), 400, "import_invalid");
  const auto head = "PUT " + at + " HTTP/1.1\r\nHost: localhost\r\n";
  {
    raw_connection client{of.ops()};
    client.send(head + "Content-Length: 99999999999999999999999\r\n\r\n");
    check_problem(client.receive(), 413, "body_too_large");
  }
  {
    raw_connection client{of.ops()};
    client.send(head + "Content-Length: 12x\r\n\r\n");
    check_problem(client.receive(), 400, "request_malformed");
  }
  {
    // Each byte arrives in time, the whole body does not.
    raw_connection client{of.ops()};
    client.send(head + "Content-Length: 60000\r\n\r\n");
    const deadline until;
    while (!until.passed() && !client.readable(milliseconds{100}) && client.try_send(" ")) {
    }
    check_problem(client.receive(), 408, "body_timeout");
  }
  {
    raw_connection client{of.ops()};
    client.send(head + "Transfer-Encoding: chunked\r\n\r\n20000\r\n" + std::string(0x20000, ' ') +
                "\r\n0\r\n\r\n");
    check_problem(client.receive(), 413, "body_too_large");
  }
  check_problem(raw_connection{of.ops()}.ask(head + "\r\n"), 400, "import_invalid");
  check_problem(raw_connection{of.ops()}.ask(head + "Transfer-Encoding: gzip\r\n\r\n"), 400,
                "request_malformed");
  raw_connection deleting{of.ops()};
  deleting.send("DELETE " + at + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  check_problem(deleting.receive(), 404, "element_not_found");
}

TEST_CASE("paths of any length and kind are answered", "[limits]") {
  const auto& of = plain_server("loops");
  for (const std::string method : {"GET", "PUT", "DELETE"}) {
    const auto ask_for = [&](std::size_t length) {
      return ask_admin(of, method, "/v1/regions/x/" + std::string(length, 'a'));
    };
    check_problem(ask_for(257), 404, "route_not_found");
    check_problem(ask_for(2'000), 404, "route_not_found");
    check_problem(ask_for(4'000), 414, "target_too_long");
  }
  CHECK(ask_admin(of, "GET", "/v1/regions/" + std::string(2'000, '/')).status == 404);
  CHECK(ask_admin(of, "GET", "/v1/tiers", {}, "Range: bytes=5-\r\n").status == 200);
  CHECK(ask_admin(of, "GET", "/v1/tiers", {}, "Range: bytes=5000000-\r\n").status == 200);
}

TEST_CASE("a web page cannot administer, by its own name or by another", "[operations]") {
  const auto& of = plain_server("loops");
  const auto before = ask_admin(of, "GET", "/v1/tiers").body;
  for (const std::string origin : {"https://evil.example", "null", "http://localhost:1",
                                   "https://localhost", "http://localhost.evil.example"})
    for (const std::string method : {"GET", "PUT", "DELETE"})
      check_problem(ask_admin(of, method, "/v1/tiers/basic-1d1", {}, "Origin: " + origin + "\r\n"),
                    403, "origin_not_allowed");
  check_problem(ask_admin(of, "PUT", "/v1/tiers/evil", {},
                          "Origin: http://localhost\r\nOrigin: https://evil.example\r\n"),
                400, "request_malformed");
  raw_connection rebound{of.ops()};
  check_problem(rebound.ask("DELETE /v1/tiers/basic-1d1 HTTP/1.1\r\nHost: evil.example\r\n"
                            "Origin: http://evil.example\r\n\r\n"),
                403, "host_not_allowed");
  CHECK(ask_admin(of, "GET", "/v1/tiers").body == before);
  // Pages of its own may read and write.
  CHECK(ask_admin(of, "PUT", "/v1/tiers/basic-1d1", {}, "Origin: http://localhost\r\n").status ==
        200);
  CHECK(ask_admin(of, "GET", "/v1/tiers", {}, "Origin: http://LOCALHOST\r\n").status == 200);
}

TEST_CASE("commands and two servers on one data directory see each other's changes",
          "[operations]") {
  const world own;
  const server first{{}, own};
  const server second{{}, own};
  const auto command = [&](arguments words) {
    words.insert(words.begin(), "catalog");
    words.insert(words.end(), {"--data-dir", own.data_dir()});
    return run(words);
  };
  const auto put = command({"put", "region", "atl", region_named("Atlantis")});
  INFO(put.errors);
  CHECK(put.exit_code == 0);
  CHECK(put.out == "region \"atl\": added\n");
  CHECK(lists_soon(first, "atl"));
  CHECK(lists_soon(second, "atl"));
  CHECK(ask_admin(first, "GET", "/v1/regions/atl").status == 200);

  CHECK(ask_admin(second, "PUT", "/v1/regions/mu", region_named("Mu")).status == 201);
  CHECK(lists_soon(first, "mu"));
  CHECK(command({"list", "regions"}).out.find("\nmu ") != std::string::npos);

  CHECK(ask_admin(first, "DELETE", "/v1/regions/mu").status == 204);
  CHECK(lists_soon(second, "mu", false));
  const auto removed = command({"remove", "regions", "mu"});
  CHECK(removed.exit_code == 1);
  CHECK(removed.errors.find("no region \"mu\"") != std::string::npos);
  CHECK(command({"remove", "region", "atl"}).out == "region \"atl\": removed\n");
  CHECK(lists_soon(first, "atl", false));
  CHECK(lists_soon(second, "atl", false));
}

TEST_CASE("changes by four threads at two servers all land", "[operations]") {
  constexpr int threads = 4;
  constexpr int puts = 12;
  const world own;
  const server first{{}, own};
  const server second{{}, own};
  const auto before = parse_json(ask_admin(first, "GET", "/v1/regions").body);
  std::vector<int> landed(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (int i = 0; i < puts; ++i) {
          const auto id = "/v1/regions/t" + std::to_string(t) + "-" + std::to_string(i);
          const auto status =
              ask_admin(i % 2 == 0 ? first : second, "PUT", id, region_named("N")).status;
          landed[static_cast<std::size_t>(t)] += status == 201 ? 1 : 0;
        }
      });
  }
  for (const auto each : landed)
    CHECK(each == puts);
  const auto after = parse_json(ask_admin(second, "GET", "/v1/regions").body);
  CHECK(after["regions"].Size() == before["regions"].Size() + threads * puts);
  CHECK(after["revision"].GetInt() == before["revision"].GetInt() + threads * puts);
  CHECK(lists_soon(first, "t0-0"));
  CHECK(lists_soon(second, "t3-11"));
}

TEST_CASE("the catalog commands print tables and say what is wrong", "[operations]") {
  const world own;
  const auto command = [&](arguments words) {
    words.insert(words.begin(), "catalog");
    words.insert(words.end(), {"--data-dir", own.data_dir()});
    return run(words);
  };
  const auto listed = command({"list", "namespaces"});
  CHECK(listed.exit_code == 0);
  CHECK(listed.out.starts_with("NAMESPACE ID                          NAME     GAME         "));
  CHECK(listed.out.find(eu_namespace + "  eu       Second Game  eu.second.example          "
                                       "fra, lon\n") != std::string::npos);

  CHECK(command({"put", "tier", "basic-8d1"}).out == "tier \"basic-8d1\": added\n");
  CHECK(command({"put", "tier", "basic-8d1"}).out == "tier \"basic-8d1\": nothing new\n");
  CHECK(command({"put", "game", new_game, R"({"display_name":"A"})"}).exit_code == 0);
  CHECK(command({"put", "game", new_game, R"({"display_name":"B"})"}).out ==
        "game " + new_game + ": replaced\n");

  for (const arguments& wrong :
       {arguments{"put", "region", "atl"}, arguments{"put", "region", "ATL", "{}"},
        arguments{"put", "planets", "mars", "{}"}, arguments{"remove", "game", "1"},
        arguments{"list"}, arguments{"list", "games", "--format", "xml"}, arguments{}}) {
    const auto got = command(wrong);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK_FALSE(got.errors.empty());
  }
  for (const arguments& impossible :
       {arguments{"put", "region", "atl", "{}"}, arguments{"remove", "region", "atl"},
        arguments{"remove", "game", second_game}}) {
    const auto got = command(impossible);
    CHECK(got.exit_code == 1);
    CHECK(got.errors.starts_with("matchcloud catalog " + impossible.front() + ": "));
  }
}

TEST_CASE("a number of any length is a number, and no end of the service", "[operations]") {
  const server& of = plain_server("loops");
  for (const std::string& number :
       {"[0." + std::string(360, '0') + "1]", "0." + std::string(300, '0') + "1e-60",
        std::string{"-0.1e-400"}})
    check_problem(ask_admin(of, "PUT", "/v1/tiers/x", number, "Content-Type: application/json\r\n"),
                  400, "import_invalid");
  CHECK(ask_admin(of, "GET", "/healthz").status == 200);
}

} // namespace
