// The catalog on the ops plane and by commands, and the visibility of changes.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

namespace {

using namespace matchcloud::e2e;

/// A change must be visible within a second; a busy machine gets more, but less than `patience`.
constexpr milliseconds soon{5'000};

const std::string eu_namespace = "00000000-0000-4000-8000-000000000021";
const std::string new_game = "00000000-0000-4000-8000-000000000003";

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

  auto unknown = region_named("Atlantis");
  unknown.insert(1, R"("owner":"a",)");
  check_problem(ask_admin(of, "PUT", "/v1/regions/atl", unknown), 400, "import_invalid");
  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Atlantis")).status == 200);
  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Risen")).status == 200);
  CHECK(eventually([&] { return regions_of(of).find("\"Risen\"") != std::string::npos; },
                   deadline{soon}));

  const auto removed = ask_admin(of, "DELETE", "/v1/regions/atl");
  CHECK(removed.status == 204);
  CHECK(removed.body.empty());
  CHECK(lists_soon(of, "atl", false));
  check_problem(ask_admin(of, "GET", "/v1/regions/atl"), 404, "element_not_found");
  CHECK(ask_admin(of, "PUT", "/v1/regions/atl", region_named("Again")).status == 201);
  check_problem(ask_admin(of, "DELETE", "/v1/games/" + second_game), 409, "still_referred");
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

TEST_CASE("a web page cannot administer, by its own name or by another", "[operations]") {
  const auto& of = plain_server("loops");
  const auto before = ask_admin(of, "GET", "/v1/tiers").body;
  for (const std::string method : {"GET", "PUT", "DELETE"})
    check_problem(
        ask_admin(of, method, "/v1/tiers/basic-1d1", {}, "Origin: http://localhost:1\r\n"), 403,
        "origin_not_allowed");
  raw_connection rebound{of.ops()};
  check_problem(rebound.ask("DELETE /v1/tiers/basic-1d1 HTTP/1.1\r\nHost: evil.example\r\n"
                            "Origin: http://evil.example\r\n\r\n"),
                403, "host_not_allowed");
  CHECK(ask_admin(of, "GET", "/v1/tiers").body == before);
  // Pages of its own may read and write.
  CHECK(ask_admin(of, "PUT", "/v1/tiers/basic-1d1", {}, "Origin: http://localhost\r\n").status ==
        200);
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
        arguments{"put", "planets", "mars", "{}"}, arguments{}}) {
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

} // namespace
