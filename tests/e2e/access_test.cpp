// Who may do what: each operation with each kind of token, and with each that is not valid.
#include "model/access/token_text.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/tls_files.hpp"
#include "tests/service/tokens.hpp"

#include <array>
#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

const std::string demo{demo_game};
const std::string other_demo_game = "00000000-0000-4000-8000-000000000002";
const std::string nobodys_game = "00000000-0000-4000-8000-0000000000ff";
const std::string kinds[] = {"admin", "viewer", "metrics", "game", "studio", "player"};

/// One request that an operation answers, and who may send it.
struct asked_operation {
  std::string name;
  bool is_ops = false;
  std::string method;
  /// `GAME` stands for a game's id.
  std::string target;
  std::string body;
  std::set<std::string> allowed;
  /// Answered without a token.
  bool is_free = false;
  /// The status where the caller may.
  std::set<int> done{200};
};

const std::vector<asked_operation>& all_operations() {
  static const std::string id = "00000000-0000-4000-8000-00000000aaaa";
  static const std::set<std::string> observers{"admin", "viewer"};
  static const std::set<std::string> every_kind{std::begin(kinds), std::end(kinds)};
  static const std::vector<asked_operation> all{
      {"validate_version", false, "POST", "/cloud/games/GAME/versions/validate", "{}", {"game"}},
      {"validate_game", false, "POST", games_target, "{}", {"studio"}},
      {"validate_group", false, "POST", groups_target, "{}", {"studio"}},
      {"list_regions", false, "GET", regions_target, "", every_kind},
      {"rank_group", false, "POST", regions_target + "/group", R"({"players":[{}]})", every_kind},
      {"report_latencies", false, "POST", "/matchmaker/latencies", R"({"latencies":{"lon":23}})",
       every_kind},
      {"ping", false, "GET", "/ping", "", every_kind, false, {200, 204}},
      {"list_avatars", false, "GET", "/cloud/games/GAME/avatars", "", {"game"}},
      {"export_lobby_history",
       false,
       "POST",
       "/cloud/games/GAME/matchmaker/lobbies/export-history",
       R"({"query_start":0,"query_end":1})",
       {"game"}},
      {"download_media",
       false,
       "GET",
       "/media/avatars/" + id + "/00000000000000000000000000000000.png",
       "",
       {},
       true,
       {404}},
      {"download_export",
       false,
       "GET",
       "/exports/" + id + "/lobby-history.csv",
       "",
       {},
       true,
       {403}},
      {"get_openapi", false, "GET", "/openapi.json", "", {}, true},
      {"get_health", true, "GET", "/healthz", "", {}, true},
      {"get_readiness", true, "GET", "/readyz", "", {}, true},
      {"get_metrics", true, "GET", "/metrics", "", {"admin", "viewer", "metrics"}},
      {"list_actors", true, "GET", "/actors", "", observers},
      {"watch_status", true, "HEAD", "/events", "", observers},
      {"ingest_lobbies", true, "POST", "/v1/lobbies", "", {"admin"}},
      {"list_tokens", true, "GET", "/v1/tokens", "", {"admin"}},
      {"create_token", true, "POST", "/v1/tokens", "{}", {"admin"}, false, {400}},
      {"get_token", true, "GET", "/v1/tokens/" + id, "", {"admin"}, false, {404}},
      {"revoke_token", true, "DELETE", "/v1/tokens/" + id, "", {"admin"}, false, {404}},
      {"rotate_token", true, "POST", "/v1/tokens/" + id + "/rotate", "{}", {"admin"}, false, {404}},
      {"list_audit", true, "GET", "/v1/audit", "", {"admin"}},
      {"get_version", true, "GET", "/v1/version", "", observers},
      {"get_config", true, "GET", "/v1/config", "", observers},
      {"get_log_levels", true, "GET", "/v1/log-levels", "", observers},
      {"put_log_levels", true, "PUT", "/v1/log-levels", "{}", {"admin"}},
      {"validate_payload", true, "POST", "/v1/validate/game", "{}", observers},
      {"get_schema", true, "GET", "/v1/schema/game", "", observers},
      {"get_ranking", true, "GET", "/v1/ranking?address=10.0.0.1", "", observers},
      {"list_places", true, "GET", "/v1/places", "", observers},
      {"list_traces", true, "GET", "/v1/traces", "", observers},
      {"get_attention", true, "GET", "/v1/attention", "", observers},
      {"list_replicas", true, "GET", "/v1/replicas", "", observers},
      {"get_history", true, "GET", "/v1/history", "", observers},
      {"list_exports", true, "GET", "/v1/exports", "", observers},
      {"list_game_avatars", true, "GET", "/v1/games/" + demo + "/avatars", "", observers},
      {"get_image",
       true,
       "GET",
       "/v1/images/" + id + "/00000000000000000000000000000000.png",
       "",
       observers,
       false,
       {404}},
      {"survey_lobbies", true, "GET", "/v1/games/" + demo + "/lobbies?start=0&end=1", "",
       observers},
      {"list_running_lobbies", true, "GET", "/v1/games/" + demo + "/lobbies/running", "",
       observers},
      {"get_lobby",
       true,
       "GET",
       "/v1/games/" + demo + "/lobbies/" + id,
       "",
       observers,
       false,
       {404}},
      {"start_export", true, "POST", "/v1/games/" + demo + "/exports",
       R"({"query_start":0,"query_end":1})", observers},
      {"download_own_export",
       true,
       "GET",
       "/exports/" + id + "/lobby-history.csv",
       "",
       {},
       true,
       {403}},
      {"erase_game",
       true,
       "DELETE",
       "/v1/games/" + id + "/everything",
       "",
       {"admin"},
       false,
       {404}},
      {"list_erasures", true, "GET", "/v1/erasures", "", observers},
      {"remove_avatar",
       true,
       "DELETE",
       "/v1/games/" + demo + "/avatars/" + id,
       "",
       {"admin"},
       false,
       {404}},
      {"list_retention", true, "GET", "/v1/retention", "", observers},
      {"list_elements", true, "GET", "/v1/games", "", observers},
      {"get_element", true, "GET", "/v1/games/" + demo, "", observers},
      {"put_element", true, "PUT", "/v1/tiers/basic-1d1", "", {"admin"}},
      {"remove_element", true, "DELETE", "/v1/tiers/never-was", "", {"admin"}, false, {404}},
      {"list_faults", true, "GET", "/faults", "", observers},
      {"clear_faults", true, "DELETE", "/faults", "", {"admin"}, false, {204}},
      {"get_fault", true, "GET", "/faults/clock", "", observers},
      {"put_fault", true, "PUT", "/faults/clock", "{}", {"admin"}, false, {400}},
      {"clear_fault", true, "DELETE", "/faults/clock", "", {"admin"}, false, {204}},
      {"get_ops_openapi", true, "GET", "/openapi.json", "", {}, true},
      {"get_data_openapi", true, "GET", "/data/openapi.json", "", {}, true},
      // 404 where the program was built without the console.
      {"get_console", true, "GET", "/", "", {}, true, {200, 404}},
      {"get_reference", true, "GET", "/docs", "", {}, true, {200, 404}},
      {"get_console_file", true, "GET", "/assets/none.js", "", {}, true, {404}},
  };
  return all;
}

/// A world with a token of each kind, and some that are not valid.
struct token_world {
  world of;
  std::map<std::string, made_token> by_kind;
  std::string other_game;
  std::string expired;
  std::string revoked;
  std::string unknown = matchcloud::model::make_token_text(matchcloud::model::token_kind::admin,
                                                           std::array<std::uint8_t, 32>{1, 2, 3});

  token_world() {
    const server open{{}, of};
    for (const auto& kind : kinds)
      by_kind[kind] = create_token(open, kind, scope_of(kind, demo));
    other_game = create_token(open, "game", scope_of("game", other_demo_game)).text;
    expired = create_token(open, "admin", R"(,"expires_in_s":1)").text;
    const auto gone = create_token(open, "admin");
    revoked = gone.text;
    CHECK(ask_ops(open, "DELETE", "/v1/tokens/" + gone.id).status == 204);
    CHECK(ask_ops(open, "DELETE", "/v1/tokens/" + gone.id).status == 204);
    // Time passes until the token that lives for a second is over.
    CHECK(eventually([&] {
      return ask_ops(open, "GET", "/actors", {}, bearer(expired)).problem_code() == "token_expired";
    }));
  }

  static std::string scope_of(const std::string& kind, const std::string& game) {
    if (kind == "game") return R"(,"game_id":")" + game + "\"";
    if (kind == "player") return R"(,"namespace_id":")" + std::string{prod_namespace} + "\"";
    return {};
  }
  std::string token(const std::string& kind) const { return by_kind.at(kind).text; }
};

const token_world& tokens() {
  static const token_world only;
  return only;
}

std::string with_game(std::string target, const std::string& game) {
  const auto at = target.find("GAME");
  return at == std::string::npos ? target : target.replace(at, 4, game);
}

answer ask_operation(const server& of, const asked_operation& what, const std::string& headers,
                     const std::string& game = demo) {
  raw_connection client{what.is_ops ? of.ops() : of.data()};
  auto text = what.method + " " + with_game(what.target, game) +
              " HTTP/1.1\r\nHost: " + of.ops().authority() + "\r\n" + headers;
  if (!what.body.empty() || what.method == "POST" || what.method == "PUT")
    text += "Content-Length: " + std::to_string(what.body.size()) + "\r\n";
  client.send(text + "\r\n" + what.body);
  return client.receive(what.method == "HEAD");
}

void check_denied(const answer& got, int status, const std::string& code,
                  const std::string& challenge) {
  INFO(got.body);
  CHECK(got.status == status);
  if (!got.body.empty()) CHECK(got.problem_code() == code);
  CHECK(got.header("www-authenticate").starts_with("Bearer realm=\"matchcloud\"" + challenge));
}

/// Every check of one operation; each cell of the table in docs/security.md.
void check_row(const server& of, const asked_operation& what) {
  CAPTURE(what.name);
  const auto& known = tokens();
  const auto answered = [&](const answer& got) {
    INFO(got.body);
    CHECK(what.done.contains(got.status));
    CHECK(got.header("www-authenticate").empty());
  };
  if (what.is_free) {
    for (const auto& kind : kinds)
      answered(ask_operation(of, what, bearer(known.token(kind))));
    for (const auto& text : {known.unknown, known.expired, known.revoked, std::string{"mc_x"}})
      answered(ask_operation(of, what, bearer(text)));
    return answered(ask_operation(of, what, ""));
  }
  for (const auto& kind : kinds) {
    CAPTURE(kind);
    const auto got = ask_operation(of, what, bearer(known.token(kind)));
    if (what.allowed.contains(kind)) {
      answered(got);
    } else {
      check_denied(got, 403, "not_permitted", ", error=\"insufficient_scope\"");
      const auto detail = text_at(parse_json(got.body), "detail");
      for (const auto& needed : what.allowed)
        if (!got.body.empty()) CHECK(detail.find(needed) != std::string::npos);
    }
  }
  if (what.target.find("GAME") != std::string::npos && what.allowed.contains("game")) {
    check_denied(ask_operation(of, what, bearer(known.other_game)), 403, "not_permitted",
                 ", error=\"insufficient_scope\"");
    check_denied(ask_operation(of, what, bearer(known.token("game")), nobodys_game), 403,
                 "not_permitted", ", error=\"insufficient_scope\"");
  }
  const std::string invalid = ", error=\"invalid_token\"";
  check_denied(ask_operation(of, what, bearer(known.unknown)), 401, "token_unknown", invalid);
  check_denied(ask_operation(of, what, bearer(known.expired)), 401, "token_expired", invalid);
  check_denied(ask_operation(of, what, bearer(known.revoked)), 401, "token_revoked", invalid);
  check_denied(ask_operation(of, what, bearer("mc_game_short")), 401, "token_malformed", invalid);
  const auto none = ask_operation(of, what, "");
  check_denied(none, 401, "token_missing", "");
  CHECK(none.header("www-authenticate").find("error") == std::string::npos);
}

TEST_CASE("each operation lets in the tokens that the table says, and no others",
          "[operations][shipped]") {
  const server of{{"--auth", "required", "--ops-auth", "required", "--anonymous-regions=false",
                   "--enable-fault-injection"},
                  tokens().of};
  for (const auto& each : all_operations())
    check_row(of, each);
}

TEST_CASE("without required tokens the data plane looks at none", "[operations]") {
  const server of{{}, tokens().of};
  for (const auto& each : all_operations()) {
    if (each.is_ops || each.is_free) continue;
    CAPTURE(each.name);
    for (const auto& headers : {std::string{}, bearer("nonsense"), bearer(tokens().revoked)})
      CHECK(each.done.contains(ask_operation(of, each, headers).status));
  }
}

TEST_CASE("regions and pings may be anonymous, but a token that is sent must be valid",
          "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  for (const auto& each : all_operations()) {
    static const std::set<std::string> anonymous{"list_regions", "rank_group", "report_latencies",
                                                 "ping"};
    if (!anonymous.contains(each.name)) continue;
    CHECK(each.done.contains(ask_operation(of, each, "").status));
    for (const auto& kind : kinds)
      CHECK(each.done.contains(ask_operation(of, each, bearer(tokens().token(kind))).status));
    CHECK(ask_operation(of, each, bearer(tokens().revoked)).problem_code() == "token_revoked");
  }
}

TEST_CASE("a game's token learns nothing of another game", "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  const auto ask_about = [&](const std::string& game) {
    std::vector<std::string> all;
    for (const auto& each : all_operations()) {
      if (!each.allowed.contains("game") || each.target.find("GAME") == std::string::npos) continue;
      auto got =
          ask_operation(of, each, bearer(tokens().token("game")) + "X-Request-Id: same\r\n", game);
      got.headers.erase("date");
      for (const auto& [name, value] : got.headers)
        got.body += name + ": " + value + "\n";
      all.push_back(std::to_string(got.status) + got.body);
    }
    return all;
  };
  const auto existing = ask_about(other_demo_game);
  CHECK(existing.size() == 3);
  CHECK(existing == ask_about(nobodys_game));
  CHECK(existing == ask_about("no-uuid"));
  CHECK(existing != ask_about(demo));
}

TEST_CASE("the scheme has any case, there is one Authorization, and no token in the query",
          "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  const auto token = tokens().token("studio");
  const auto status = [&](const std::string& headers, const std::string& query = {}) {
    raw_connection client{of.data()};
    return client.ask(request("POST", groups_target + query, good_group, headers)).status;
  };
  for (const std::string scheme : {"Bearer", "bearer", "BEARER", "beareR"})
    CHECK(status("Authorization: " + scheme + " " + token + "\r\n") == 200);
  CHECK(status("Authorization: Bearer    " + token + "  \r\n") == 200);
  CHECK(status(bearer(token) + bearer(token)) == 400);
  for (const auto& value :
       std::vector<std::string>{"Basic dTpw", "Bearer", token, "Bearer " + token + " x",
                                "Bearer " + token + "," + token, "Bearer" + token})
    CHECK(status("Authorization: " + value + "\r\n") == 401);
  CHECK(status("", "?access_token=" + token) == 401);
  CHECK(status("", "?token=" + token) == 401);
}

TEST_CASE("a mistyped token is told apart from an unknown one", "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  auto mistyped = tokens().token("studio");
  mistyped[20] = mistyped[20] == 'a' ? 'b' : 'a';
  raw_connection client{of.data()};
  const auto got = client.ask(request("POST", groups_target, good_group, bearer(mistyped)));
  CHECK(got.problem_code() == "token_malformed");
  CHECK(got.body.find("checksum") != std::string::npos);
  CHECK(got.body.find(mistyped.substr(12, 20)) == std::string::npos);
}

TEST_CASE("a player token selects its namespace, whatever the page's origin", "[operations]") {
  world of;
  const server open{{}, of};
  const auto made =
      create_token(open, "player", R"(,"namespace_id":"00000000-0000-4000-8000-000000000021")");
  const server required{{"--auth", "required", "--geoip", of.geoip()}, of};
  raw_connection client{required.data()};
  const auto of_token = client.ask(
      request("GET", regions_target, {}, bearer(made.text) + "Origin: https://play.example\r\n"));
  const auto anonymous = client.ask(request("GET", regions_target));
  CHECK(of_token.header("vary") == "Accept-Encoding, Authorization, Origin");
  CHECK(anonymous.header("vary") == "Accept-Encoding, Authorization, Origin");
  CHECK(parse_json(of_token.body)["regions"].Size() == 2); // fra and lon
  CHECK(parse_json(anonymous.body)["regions"].Size() > 2);
  CHECK(of_token.header("etag") != anonymous.header("etag"));

  // Nor do latencies confirm which regions others have, or teach anything about them.
  const auto report = [&](const std::string& latencies) {
    return client
        .ask(request("POST", "/matchmaker/latencies", "{\"latencies\":" + latencies + "}",
                     bearer(made.text) + "Content-Type: application/json\r\n"))
        .body;
  };
  CHECK(report(R"({"syd":300,"none":9})") ==
        R"({"taken":false,"why":"unknown_regions","unknown":["none","syd"]})");
  CHECK(report(R"({"fra":20,"syd":300})").ends_with(R"("unknown":["syd"]})"));
}

TEST_CASE("a token that names no namespace lists the regions that nobody's request would",
          "[operations]") {
  const world of;
  const server open{{}, of};
  const auto game = create_token(open, "game", ",\"game_id\":\"" + other_demo_game + "\"").text;
  const auto studio = create_token(open, "studio").text;
  const server required{{"--auth", "required"}, of};
  raw_connection client{required.data()};
  for (const std::string origin : {"", "Origin: https://eu.second.example\r\n"}) {
    CAPTURE(origin);
    const auto anonymous = client.ask(request("GET", regions_target, {}, origin));
    CHECK((parse_json(anonymous.body)["regions"].Size() == 2) == !origin.empty());
    for (const auto& token : {game, studio}) {
      const auto got = client.ask(request("GET", regions_target, {}, bearer(token) + origin));
      CHECK(got.status == 200);
      CHECK(got.body == anonymous.body);
    }
  }
}

TEST_CASE("preflights need no token", "[operations]") {
  const server of{{"--auth", "required", "--anonymous-regions=false"}, tokens().of};
  raw_connection client{of.data()};
  const auto got = client.ask("OPTIONS " + regions_target +
                              " HTTP/1.1\r\nHost: a\r\nOrigin: https://play.example\r\n"
                              "Access-Control-Request-Method: GET\r\n"
                              "Access-Control-Request-Headers: authorization\r\n\r\n");
  CHECK(got.status == 204);
  CHECK(got.header("access-control-allow-headers").find("Authorization") != std::string::npos);
  const auto refused = client.ask(request("GET", regions_target, {}, "Origin: https://a.b\r\n"));
  CHECK(refused.status == 401);
  CHECK(refused.header("access-control-allow-origin") == "*");
}

TEST_CASE("a revoked token is soon refused by every process", "[operations]") {
  world of;
  const server first{{"--loops", "2"}, of};
  const auto token = create_token(first, "studio");
  const server second{{"--auth", "required", "--loops", "2"}, of};
  std::vector<std::unique_ptr<raw_connection>> clients;
  for (int i = 0; i < 8; ++i)
    clients.push_back(std::make_unique<raw_connection>(second.data()));
  const auto ask_all = [&](int wanted) {
    for (const auto& each : clients)
      if (each->ask(request("POST", groups_target, good_group, bearer(token.text))).status !=
          wanted)
        return false;
    return true;
  };
  CHECK(ask_all(200));
  CHECK(ask_ops(first, "DELETE", "/v1/tokens/" + token.id).status == 204);
  CHECK(eventually([&] { return ask_all(401); }, deadline{milliseconds{5'000}}));
}

TEST_CASE("a rotated token's former text works for its grace time", "[operations]") {
  world of;
  const server at{{"--auth", "required"}, of};
  const server open{{}, of};
  const auto token = create_token(open, "studio");
  const auto rotate = [&](const std::string& body) {
    const auto got = ask_ops(open, "POST", "/v1/tokens/" + token.id + "/rotate", body);
    CHECK(got.status == 200);
    return text_at(parse_json(got.body), "token");
  };
  const auto status = [&](const std::string& text) {
    raw_connection client{at.data()};
    return client.ask(request("POST", groups_target, good_group, bearer(text))).status;
  };
  CHECK(eventually([&] { return status(token.text) == 200; }));
  const auto next = rotate("");
  CHECK(next != token.text);
  CHECK(eventually([&] { return status(next) == 200; }));
  CHECK(status(token.text) == 200);
  const auto last = rotate(R"({"grace_s":0})");
  CHECK(eventually([&] { return status(last) == 200; }));
  CHECK(status(next) == 401);
  CHECK(status(token.text) == 401);
}

TEST_CASE("exports of different games at once are different files", "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  const auto text = [](const std::string& game, const std::string& token) {
    return request("POST", "/cloud/games/" + game + "/matchmaker/lobbies/export-history",
                   R"({"query_start":0,"query_end":4102444800000})", bearer(token));
  };
  raw_connection demo_client{of.data()};
  raw_connection other_client{of.data()};
  demo_client.send(text(demo, tokens().token("game")));
  other_client.send(text(other_demo_game, tokens().other_game));
  const auto csv_of = [&](raw_connection& client) {
    const auto url = text_at(parse_json(client.receive().body), "url");
    return client.ask(request("GET", url.substr(url.find("/exports")))).body; // without a token
  };
  const auto demo_csv = csv_of(demo_client);
  const auto other_csv = csv_of(other_client);
  CHECK(std::count(demo_csv.begin(), demo_csv.end(), '\n') > 1);
  CHECK(std::count(other_csv.begin(), other_csv.end(), '\n') == 1);
}

TEST_CASE("the export command and the load generator send their tokens", "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  const auto url = "http://" + of.data().authority();
  const auto file = tokens().of.directory().path() + "/exported.csv";
  const auto exported = [&](const environment& added) {
    return run({"export", "--url", url, "--game", demo, "--start", "0", "--end", "4102444800000",
                "--output", file},
               added);
  };
  const auto refused = exported({});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("--token-file") != std::string::npos);
  const auto done = exported({"MATCHCLOUD_TOKEN=" + tokens().token("game")});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  const auto loaded = run({url, "--closed", "--operation", "groups.validate", "--connections", "2",
                           "--duration", "300ms", "--json", "-"},
                          {"MATCHCLOUD_TOKEN=" + tokens().token("studio")}, {},
                          matchcloud::fixtures::load_program());
  INFO(loaded.errors);
  CHECK(loaded.out.find("\"401\"") == std::string::npos);
  CHECK(loaded.out.find("\"200\"") != std::string::npos);
}

// -- the ops plane ------------------------------------------------------------

TEST_CASE("a request that came through a proxy is not one of this machine", "[operations]") {
  const server of{{}, tokens().of};
  CHECK(ask_ops(of, "GET", "/actors").status == 200);
  for (const std::string header :
       {"Forwarded: for=10.0.0.1", "X-Forwarded-For: 127.0.0.1", "x-forwarded-proto: https",
        "X-Forwarded-Host: a", "X-Real-IP: 127.0.0.1", "Via: 1.1 nginx",
        "forwarded:", "X-FORWARDED-PORT: 1"}) {
    CAPTURE(header);
    CHECK(ask_ops(of, "GET", "/actors", {}, header + "\r\n").problem_code() == "token_missing");
    CHECK(ask_ops(of, "PUT", "/v1/tiers/x", {}, header + "\r\n").status == 401);
    CHECK(ask_ops(of, "GET", "/healthz", {}, header + "\r\n").status == 200);
    CHECK(ask_ops(of, "GET", "/actors", {}, header + "\r\n" + bearer(tokens().token("viewer")))
              .status == 200);
  }
  CHECK(ask_ops(of, "GET", "/actors", {}, "X-Forward: a\r\nViable: b\r\n").status == 200);
}

TEST_CASE("beyond loopback the ops plane needs tokens, with insecure-open, too", "[operations]") {
  const server of{
      arguments{"--listen", "0.0.0.0:0", "--insecure-open", "--ops-listen", "0.0.0.0:0/tls"} +
          shared_files().flags(),
      tokens().of};
  CHECK(of.process().says("INSECURE"));
  CHECK(ask_ops(of, "GET", "/actors").problem_code() == "token_missing");
  CHECK(ask_ops(of, "GET", "/actors", {}, bearer(tokens().token("viewer"))).status == 200);
  CHECK(ask_ops(of, "GET", "/healthz").status == 200);
  raw_connection client{of.data()};
  CHECK(client.ask(request("POST", groups_target, good_group)).status == 200);
}

TEST_CASE("where tokens are required, tokens and audit need an admin's on loopback, too",
          "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  for (const std::string target : {"/v1/tokens", "/v1/audit"}) {
    CHECK(ask_ops(of, "GET", target).problem_code() == "token_missing");
    CHECK(ask_ops(of, "GET", target, {}, bearer(tokens().token("viewer"))).status == 403);
    CHECK(ask_ops(of, "GET", target, {}, bearer(tokens().token("admin"))).status == 200);
  }
  CHECK(ask_ops(of, "GET", "/v1/games").status == 200);
}

TEST_CASE("the ops plane answers to further names, with pages of their scheme", "[operations]") {
  const server of{{"--ops-hosts", "ops.example,https://tls.example,My_Service,Dotted.Example."},
                  tokens().of};
  const auto status = [&](const std::string& host, const std::string& origin = {}) {
    raw_connection client{of.ops()};
    return client
        .ask("GET /readyz HTTP/1.1\r\nHost: " + host + "\r\n" +
             (origin.empty() ? "" : "Origin: " + origin + "\r\n") + "\r\n")
        .status;
  };
  CHECK(status("ops.example") == 200);
  CHECK(status("OPS.example:8081") == 200);
  CHECK(status("tls.example") == 200);
  CHECK(status("other.example") == 403);
  CHECK(status("ops.example.evil") == 403);
  CHECK(status("ops.example:8081", "http://ops.example:8081") == 200);
  CHECK(status("ops.example", "https://ops.example") == 403);
  CHECK(status("tls.example", "https://tls.example") == 200);
  CHECK(status("tls.example", "http://tls.example") == 403);
  for (const std::string host : {"my_service", "MY_SERVICE:8081", "my_service.", "dotted.example",
                                 "DOTTED.example.:1", "ops.example."})
    CHECK(status(host) == 200);
  for (const std::string host : {"my-service", "my_service..", "dotted.example.evil."})
    CHECK(status(host) == 403);
  CHECK(status("ops.example.", "http://ops.example.") == 200);
  CHECK(status("ops.example.", "http://evil.example.") == 403);
}

TEST_CASE("with auth = open, pages that are led to this machine get no game's data",
          "[operations]") {
  const world in;
  const server of{{"--public-url", "https://match.example", "--data-hosts", "further.example"}, in};
  const auto ask_operation = [&](const std::string& head, const std::string& body = {}) {
    raw_connection client{of.data()};
    return client.ask(head + "\r\n" + body);
  };
  const auto avatars = "GET /cloud/games/" + std::string{demo_game} + "/avatars HTTP/1.1\r\n";
  const std::string span = R"({"query_start":1,"query_end":2})";
  const auto history = "POST /cloud/games/" + std::string{demo_game} +
                       "/matchmaker/lobbies/export-history HTTP/1.1\r\nContent-Length: " +
                       std::to_string(span.size()) + "\r\n";
  for (const std::string host : {"localhost:1", "127.0.0.1", "match.example", "further.example"}) {
    CAPTURE(host);
    CHECK(ask_operation(avatars + "Host: " + host + "\r\n").status == 200);
    CHECK(ask_operation(history + "Host: " + host + "\r\n", span).status == 200);
  }
  const std::string rebound = "Host: rebound.example\r\n";
  for (const auto& got :
       {ask_operation(avatars + rebound), ask_operation(history + rebound, span)}) {
    CHECK(got.status == 403);
    CHECK(got.problem_code() == "host_not_allowed");
  }
  const std::string local = "Host: localhost\r\n";
  const std::string foreign = "Origin: https://evil.example\r\n";
  CHECK(ask_operation(avatars + local + foreign).problem_code() == "origin_not_allowed");
  CHECK(ask_operation(avatars + local + "Origin: http://localhost:5173\r\n").status == 200);
  // A namespace of the second game registered it.
  CHECK(eventually([&] {
    return ask_operation(avatars + local + "Origin: https://eu.second.example\r\n").status == 200;
  }));
  // Others stay open to pages, but for bodies that no preflight came before.
  CHECK(ask_operation("GET /matchmaker/regions HTTP/1.1\r\n" + rebound + foreign).status == 200);
  const auto validate = "POST /cloud/groups/validate HTTP/1.1\r\n" + local +
                        "Content-Length: " + std::to_string(good_group.size()) + "\r\n";
  CHECK(ask_operation(validate, good_group).status == 200);
  CHECK(ask_operation(validate + foreign, good_group).problem_code() == "origin_not_allowed");
  CHECK(ask_operation(validate + "Sec-Fetch-Site: cross-site\r\n", good_group).problem_code() ==
        "origin_not_allowed");
  const auto typed =
      ask_operation(validate + foreign + "Content-Type: application/json\r\n", good_group);
  CHECK(typed.status == 200);
}

TEST_CASE("content of both planes is never sniffed", "[operations]") {
  const server of;
  raw_connection client{of.data()};
  const auto sniffing = [](const answer& got) { return got.header("x-content-type-options"); };
  for (const std::string target : {"/matchmaker/regions", "/openapi.json", "/nowhere"})
    CHECK(sniffing(client.ask(request("GET", target))) == "nosniff");
  CHECK(sniffing(client.ask(request("POST", groups_target, "{"))) == "nosniff");
  CHECK(sniffing(client.ask(request("GET", "/ping"))).empty());
  for (const std::string target : {"/metrics", "/v1/games", "/nowhere", "/actors"})
    CHECK(sniffing(ask_ops(of, "GET", target)) == "nosniff");
}

TEST_CASE("what is reachable from outside needs tokens or a word", "[operations]") {
  const auto refused =
      run({"serve", "--data-dir", tokens().of.data_dir(), "--listen", "0.0.0.0:0"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("--auth required") != std::string::npos);
  for (const std::string open : {"true", "false"}) {
    const auto library = run({"serve", "--data-dir", tokens().of.data_dir(), "--listen",
                              "0.0.0.0:0", "--transport", "httplib", "--insecure-open=" + open});
    CHECK(library.exit_code == 2);
    CHECK(library.errors.find("httplib") != std::string::npos);
  }
  const server required{{"--listen", "0.0.0.0:0", "--auth", "required"}, tokens().of};
  raw_connection client{required.data()};
  CHECK(client.ask(request("POST", groups_target, good_group)).status == 401);
}

// -- the audit log ------------------------------------------------------------

TEST_CASE("the audit log has each change through the ops plane, with caller, action and old value",
          "[operations]") {
  world of;
  const server open{{"--enable-fault-injection"}, of};
  const auto admin = create_token(open, "admin");
  const auto by = bearer(admin.text) + "X-Request-Id: req-1\r\n";
  CHECK(eventually(
      [&] { return ask_ops(open, "PUT", "/v1/tiers/basic-8d1", {}, by).status == 201; }));
  CHECK(ask_ops(open, "DELETE", "/v1/tiers/basic-8d1", {}, by).status == 204);
  CHECK(ask_ops(open, "PUT", "/faults/avatar.reply", R"({"kind":"drop"})", by).status == 200);
  CHECK(ask_ops(open, "DELETE", "/faults", {}, by).status == 204);
  const auto rotated = ask_ops(open, "POST", "/v1/tokens/" + admin.id + "/rotate", "{}", by);
  CHECK(rotated.status == 200);
  std::string log;
  CHECK(eventually([&] {
    log = ask_ops(open, "GET", "/v1/audit?limit=50", {}, by).body;
    return log.find("fault.clear") != std::string::npos;
  }));
  const auto entries = parse_json(log);
  REQUIRE(entries.IsObject());
  std::map<std::string, const rapidjson::Value*> by_action;
  for (const auto& each : entries["entries"].GetArray())
    by_action[text_at(each, "action")] = &each;
  for (const std::string action : {"token.create", "token.rotate", "catalog.put", "catalog.remove",
                                   "fault.put", "fault.clear"}) {
    CAPTURE(action);
    REQUIRE(by_action.contains(action));
    const auto& entry = *by_action[action];
    CHECK(text_at(entry, "address") == "127.0.0.1");
    if (action == "token.create") continue;
    CHECK(text_at(entry, "request_id") == "req-1");
    CHECK(text_at(entry["who"], "kind") == "token");
    CHECK(text_at(entry["who"], "name") == "a admin");
    CHECK(text_at(entry["who"], "id") == admin.id);
  }
  CHECK(text_at(*by_action["catalog.put"], "subject") == "tiers/basic-8d1");
  CHECK(text_at(*by_action["catalog.put"], "after") == "basic-8d1");
  CHECK((*by_action["catalog.put"])["before"].IsNull());
  CHECK(text_at(*by_action["catalog.remove"], "before") == "basic-8d1");
  CHECK(text_at((*by_action["token.rotate"])["before"], "sha256") !=
        text_at((*by_action["token.rotate"])["after"], "sha256"));
  CHECK(log.find(admin.text) == std::string::npos);
  CHECK(log.find(text_at(parse_json(rotated.body), "token")) == std::string::npos);
}

TEST_CASE("the audit log is read in pages", "[operations]") {
  world of;
  const server open{{}, of};
  for (int i = 0; i < 5; ++i)
    CHECK(ask_ops(open, "PUT", "/v1/tiers/t" + std::to_string(i)).status == 201);
  std::vector<int> seen;
  std::string before;
  while (true) {
    const auto page = parse_json(
        ask_ops(open, "GET", "/v1/audit?limit=2" + (before.empty() ? "" : "&before=" + before))
            .body);
    for (const auto& each : page["entries"].GetArray())
      seen.push_back(each["entry"].GetInt());
    if (page["next_before"].IsNull()) break;
    before = std::to_string(page["next_before"].GetInt());
  }
  CHECK(seen.size() >= 5);
  CHECK(std::is_sorted(seen.rbegin(), seen.rend()));
  CHECK(std::set<int>(seen.begin(), seen.end()).size() == seen.size());
  for (const std::string query : {"limit=0", "limit=1001", "before=x", "since=yesterday"})
    CHECK(ask_ops(open, "GET", "/v1/audit?" + query).problem_code() == "query_invalid");
}

TEST_CASE("the audit log is filtered by action, subject and author", "[operations]") {
  world of;
  const server open{{}, of};
  for (const std::string tier : {"a-1", "a-2"})
    CHECK(ask_ops(open, "PUT", "/v1/tiers/" + tier).status == 201);
  CHECK(ask_ops(open, "DELETE", "/v1/tiers/a-1").status == 204);
  const auto count = [&](const std::string& query) {
    return parse_json(ask_ops(open, "GET", "/v1/audit?" + query).body)["entries"].Size();
  };
  CHECK(count("action=catalog.put&subject=tiers") == 2);
  CHECK(count("action=catalog&subject=tiers%2Fa-1") == 2);
  CHECK(count("action=catalog.remove&who=local") == 1);
  CHECK(count("who=nobody") == 0);
  CHECK(ask_ops(open, "GET", "/v1/audit?who=" + std::string(1'025, 'x')).problem_code() ==
        "query_invalid");
}

TEST_CASE("ingests of an author have one entry, and a sum at the end", "[operations]") {
  world of;
  const auto lines = lobby_lines(30'000);
  const auto count = [&](const server& at, const std::string& action) {
    const auto log = ask_ops(at, "GET", "/v1/audit?limit=1000&action=lobbies.ingest").body;
    std::size_t found = 0;
    const auto wanted = "\"action\":\"" + action + "\"";
    for (auto at_byte = log.find(wanted); at_byte != std::string::npos;
         at_byte = log.find(wanted, at_byte + 1))
      ++found;
    return found;
  };
  // The hour may end during the test, where each has two.
  const auto is_summed = [](std::size_t found) { return found == 1 || found == 2; };
  {
    server open{{}, of};
    CHECK(count(open, "lobbies.ingest") == 0);
    const auto first = ask_ops(open, "POST", "/v1/lobbies", lines);
    CHECK(parse_json(first.body)["accepted"].GetInt() == 30'000);
    CHECK(is_summed(count(open, "lobbies.ingest")));
    for (int i = 0; i < 5; ++i)
      CHECK(ask_ops(open, "POST", "/v1/lobbies", lobby_line(40'000 + i)).status == 200);
    CHECK(ask_ops(open, "POST", "/v1/lobbies", lines).status == 200); // changes nothing
    CHECK(is_summed(count(open, "lobbies.ingest")));
    open.process().signal(SIGTERM);
    CHECK(open.process().exit_code() == 0);
  }
  const server again{{}, of};
  CHECK(is_summed(count(again, "lobbies.ingest.sum")));
  const auto sums = parse_json(ask_ops(again, "GET", "/v1/audit?action=lobbies.ingest.sum").body);
  int requests = 0;
  int lobbies = 0;
  for (const auto& each : sums["entries"].GetArray()) {
    requests += each["after"]["requests"].GetInt();
    lobbies += each["after"]["lobbies"].GetInt();
  }
  CHECK(requests == 6);
  CHECK(lobbies == 30'005);
}

} // namespace
