// Access by tokens, end to end: one operation of each kind of access, and what only a whole service
// shows. The cases of the gate are in tests/http/front/access_gate_test.cpp.
#include "model/access/token_text.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/tls_client.hpp"
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

const std::string demo_id{demo_game};
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

/// Operations of each kind of access. tests/openapi asks all operations with good and bad tokens,
/// and the table of callers is that of docs/security.md.
const std::vector<asked_operation>& some_operations() {
  static const std::string id = "00000000-0000-4000-8000-00000000aaaa";
  static const std::set<std::string> observers{"admin", "viewer"};
  static const std::set<std::string> every_kind{std::begin(kinds), std::end(kinds)};
  static const std::vector<asked_operation> all{
      {"validate_version", false, "POST", "/cloud/games/GAME/versions/validate", "{}", {"game"}},
      {"validate_group", false, "POST", groups_target, "{}", {"studio"}},
      {"list_regions", false, "GET", regions_target, "", every_kind},
      {"list_avatars", false, "GET", "/cloud/games/GAME/avatars", "", {"game"}},
      {"export_lobby_history",
       false,
       "POST",
       "/cloud/games/GAME/matchmaker/lobbies/export-history",
       R"({"query_start":0,"query_end":1})",
       {"game"}},
      {"download_export",
       false,
       "GET",
       "/exports/" + id + "/lobby-history.csv",
       "",
       {},
       true,
       {403}},
      {"get_health", true, "GET", "/healthz", "", {}, true},
      {"get_metrics", true, "GET", "/metrics", "", {"admin", "viewer", "metrics"}},
      {"list_actors", true, "GET", "/actors", "", observers},
      {"ingest_lobbies", true, "POST", "/v1/lobbies", "", {"admin"}},
      {"list_tokens", true, "GET", "/v1/tokens", "", {"admin"}},
      {"put_element", true, "PUT", "/v1/tiers/basic-1d1", "", {"admin"}},
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
      by_kind[kind] = create_token(open, kind, scope_of(kind, demo_id));
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
                     const std::string& game = demo_id) {
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

/// Every check of one operation; each kind of token, and each that is not valid.
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

TEST_CASE("an operation of each kind of access lets in its kinds of tokens, and no others",
          "[operations][shipped]") {
  const server of{{"--auth", "required", "--ops-auth", "required", "--anonymous-regions=false",
                   "--enable-fault-injection"},
                  tokens().of};
  for (const auto& each : some_operations())
    check_row(of, each);
}

TEST_CASE("a game's token learns nothing of another game", "[operations]") {
  const server of{{"--auth", "required"}, tokens().of};
  const auto ask_about = [&](const std::string& game) {
    std::vector<std::string> all;
    for (const auto& each : some_operations()) {
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
  CHECK(existing != ask_about(demo_id));
}

TEST_CASE("a token comes in one Authorization of the scheme Bearer, in any case, and nowhere else",
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
  for (const auto& value :
       std::vector<std::string>{"Basic dTpw", "Bearer", token, "Bearer " + token + " x",
                                "Bearer " + token + "," + token, "Bearer" + token})
    CHECK(status("Authorization: " + value + "\r\n") == 401);
  CHECK(status("", "?access_token=" + token) == 401);
  CHECK(status("", "?token=" + token) == 401);
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
    CHECK(ask_ops(of, "GET", "/actors", {}, header + "\r\n" + bearer(tokens().token("viewer")))
              .status == 200);
  }
  CHECK(ask_ops(of, "GET", "/actors", {}, "X-Forward: a\r\nViable: b\r\n").status == 200);
}

TEST_CASE("the ops plane answers to the names that ops-hosts gives it", "[operations]") {
  const server of{{"--ops-hosts", "ops.example,https://tls.example"}, tokens().of};
  const auto status = [&](const std::string& host, const std::string& origin) {
    raw_connection client{of.ops()};
    return client
        .ask("GET /readyz HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin + "\r\n\r\n")
        .status;
  };
  CHECK(status("ops.example:8081", "http://ops.example:8081") == 200);
  CHECK(status("tls.example", "https://tls.example") == 200);
  CHECK(status("tls.example", "http://tls.example") == 403);
  CHECK(status("other.example", "http://other.example") == 403);
}

TEST_CASE("with auth = open, pages that are led to this machine get no game's data",
          "[operations]") {
  const world in;
  const server of{{"--public-url", "https://match.example", "--data-hosts", "further.example"}, in};
  const auto ask_at = [&](const std::string& host, const std::string& origin = {}) {
    raw_connection client{of.data()};
    return client.ask("GET /cloud/games/" + std::string{demo_game} +
                      "/avatars HTTP/1.1\r\nHost: " + host + "\r\n" + origin + "\r\n");
  };
  for (const std::string host : {"localhost:1", "127.0.0.1", "match.example", "further.example"}) {
    CAPTURE(host);
    CHECK(ask_at(host).status == 200);
  }
  CHECK(ask_at("rebound.example").problem_code() == "host_not_allowed");
  CHECK(ask_at("localhost", "Origin: https://evil.example\r\n").problem_code() ==
        "origin_not_allowed");
  // A namespace of the second game registered it.
  CHECK(eventually(
      [&] { return ask_at("localhost", "Origin: https://eu.second.example\r\n").status == 200; }));
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
  // The former text works for its grace time.
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
  // Filtered, and in pages.
  const auto page = [&](const std::string& query) {
    return parse_json(ask_ops(open, "GET", "/v1/audit?" + query).body);
  };
  CHECK(page("action=catalog&subject=tiers%2Fbasic-8d1")["entries"].Size() == 2);
  CHECK(page("who=nobody")["entries"].Empty());
  for (const std::string query : {"limit=0", "limit=1001", "before=x", "since=yesterday"})
    CHECK(ask_ops(open, "GET", "/v1/audit?" + query).problem_code() == "query_invalid");
  const auto first = page("limit=2");
  REQUIRE(first["next_before"].IsInt());
  const auto second = page("limit=2&before=" + std::to_string(first["next_before"].GetInt()));
  CHECK(second["entries"][0]["entry"].GetInt() < first["entries"][1]["entry"].GetInt());
  CHECK(log.find(admin.text) == std::string::npos);
  CHECK(log.find(text_at(parse_json(rotated.body), "token")) == std::string::npos);
}

} // namespace
