// Processes that share a store in PostgreSQL see each other's changes, and know how old they are.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using fixtures::postgres_server;

const std::string avatars_target = "/cloud/games/" + second_game + "/avatars";
const std::string first_avatar = "10000000-0000-4000-8000-000000000001";
const std::string second_avatar = "10000000-0000-4000-8000-000000000002";
const std::string third_avatar = "10000000-0000-4000-8000-000000000003";
const std::string region = R"({"region_display_name":"Atlantis","provider_display_name":"P",)"
                           R"("datacenter_coord":{"latitude":1.5,"longitude":-2}})";

/// The documented limit for changes by others.
constexpr milliseconds soon{1'000};

/// Whether `seen` holds within a second of `change`.
bool soon_after(const std::function<void()>& change, const std::function<bool()>& seen) {
  change();
  return eventually(seen, deadline{soon});
}

answer validate(const server& at, const std::string& token) {
  raw_connection client{at.data()};
  return client.ask(request("POST", groups_target, good_group, bearer(token)));
}

/// Imports an avatar of the second game, in a process of its own.
void import_avatar(const world& into, const std::string& id, const environment& added = {}) {
  const auto line = R"({"game_id":")" + second_game + R"(","upload_id":")" + id +
                    R"(","display_name":"A","create_ts":"2026-01-01T00:00:00Z",)"
                    R"("content_length":7,"complete":false})";
  const auto file = into.directory().file("avatars.jsonl", line + "\n");
  const auto done = run({"import", "avatars", "--data-dir", into.data_dir(), file}, added);
  INFO(done.errors);
  CHECK(done.exit_code == 0);
}

/// Cuts a standby off from what `primary` writes from now on.
void stop_following(const postgres_server& standby, const postgres_server& primary) {
  standby.execute("ALTER SYSTEM SET primary_conninfo = ''");
  standby.execute("SELECT pg_reload_conf()");
  const auto followers = "SELECT count(*) FROM pg_stat_replication";
  REQUIRE(eventually([&] { return primary.value(followers) == "0"; }));
}

std::string name_of_database(const std::string& url) {
  const auto begin = url.find("///") + 3;
  return url.substr(begin, url.find('?') - begin);
}

/// A server, and two processes on a database of it.
struct two_processes {
  postgres_server postgres;
  std::string url = postgres.new_database();
  world of{store_url{url}};
  server first{{}, of};
  server second{{"--auth", "required"}, of};
};

TEST_CASE("a token revoked by one process is refused by another within a second", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  two_processes both;
  const auto revoke = [&](const std::string& id) {
    CHECK(ask_ops(both.first, "DELETE", "/v1/tokens/" + id).status == 204);
  };
  const auto check_refused = [&](const std::function<void(const std::string& id)>& change) {
    const auto token = create_token(both.first, "studio");
    REQUIRE(eventually([&] { return validate(both.second, token.text).status == 200; }));
    CHECK(soon_after([&] { change(token.id); },
                     [&] { return validate(both.second, token.text).status == 401; }));
  };
  check_refused(revoke);
  // The connections that listened are gone.
  check_refused([&](const std::string& id) {
    both.postgres.terminate_connections();
    revoke(id);
  });
  // Nobody is told, as behind a pooler that has no place for LISTEN.
  check_refused([&](const std::string& id) {
    fixtures::postgres_session{both.url}.execute(
        "BEGIN; UPDATE matchcloud.tokens SET revoked_ms = 1 WHERE token_id = '" + id +
        "'; UPDATE matchcloud.revisions SET revision = revision + 1 WHERE name = 'tokens'; COMMIT");
  });
}

TEST_CASE("processes share a token's limit, until one is gone for ten seconds", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  two_processes both;
  const auto token = create_token(both.first, "studio", R"(,"limits":{"cheap":"2/3600"})").text;
  const auto policy = [&] { return validate(both.second, token).header("ratelimit-policy"); };
  for (const auto* at : {&both.first, &both.second})
    CHECK(eventually([&] { return at->metric("matchcloud_replicas") == 2; }));
  CHECK(eventually([&] {
    return parse_json(ask_ops(both.first, "GET", "/v1/replicas").body)["replicas"].Size() == 2;
  }));
  REQUIRE(eventually([&] { return validate(both.second, token).status == 429; }));
  CHECK(policy() == "\"token-cheap\";q=2;w=7200");
  both.first.process().signal(SIGKILL);
  CHECK(eventually([&] { return both.second.metric("matchcloud_replicas") == 1; },
                   deadline{milliseconds{20'000}}));
  CHECK(policy() == "\"token-cheap\";q=2;w=3600");
}

TEST_CASE("tokens expire by the database's clock, even if a process's own clock is wrong",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const world of{store_url{postgres.new_database()}};
  const server first{{}, of};
  const server wrong{{"--auth", "required", "--enable-fault-injection"}, of};
  const auto token = create_token(first, "studio", R"(,"expires_in_s":1800)").text;
  REQUIRE(eventually([&] { return validate(wrong, token).status == 200; }));
  // An hour ahead: the token is over there, until the clocks are compared again.
  CHECK(ask_ops(wrong, "PUT", "/faults/clock", R"({"kind":"delay","delay_ms":3600000})").status /
            100 ==
        2);
  CHECK(eventually([&] {
    return wrong.process().errors().find("ahead of the database's") != std::string::npos;
  }));
  CHECK(validate(wrong, token).status == 200);
  CHECK(ask_ops(wrong, "DELETE", "/faults/clock").status / 100 == 2);
}

TEST_CASE("a replica whose store is made one for newer programs is not ready and writes nothing",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const two_processes both;
  const auto put = [&](const server& at) { return ask_ops(at, "PUT", "/v1/tiers/t-1"); };
  CHECK(put(both.first).status == 201);
  fixtures::postgres_session{both.url}.execute(
      "UPDATE matchcloud.schema_version SET least_program = 1000, version = 1000");
  for (const auto* at : {&both.first, &both.second}) {
    CHECK(eventually([&] { return at->ready_status() == 503; }));
    const auto ready = ask_ops(*at, "GET", "/readyz");
    CHECK(ready.body == R"({"ready":false,"reason":"store_newer"})");
    CHECK(ask_ops(*at, "GET", "/healthz").status == 200);
    CHECK(at->process().says("may no longer use its store"));
  }
  const auto refused = put(both.first);
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "store_newer");
  CHECK(refused.header("retry-after").empty());
  const auto ingest = ask_ops(both.first, "POST", "/v1/lobbies", lobby_line(1));
  CHECK(ingest.problem_code() == "store_newer");
  raw_connection client{both.first.data()};
  CHECK(client.ask(request("POST", groups_target, good_group)).status == 200);
}

TEST_CASE("regions and avatars that one process changes are listed by another within a second",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  two_processes both;
  const server second{{}, both.of};
  const auto has = [&](const std::string& target, const std::string& text) {
    raw_connection client{second.data()};
    return client.ask(request("GET", target)).body.find(text) != std::string::npos;
  };
  CHECK(soon_after(
      [&] { CHECK(ask_ops(both.first, "PUT", "/v1/regions/atl", region).status == 201); },
      [&] { return has(regions_target, "\"atl\""); }));
  CHECK(soon_after([&] { CHECK(ask_ops(both.first, "DELETE", "/v1/regions/atl").status == 204); },
                   [&] { return !has(regions_target, "\"atl\""); }));

  CHECK_FALSE(has(avatars_target, "upload_id"));
  CHECK(soon_after([&] { import_avatar(both.of, first_avatar); },
                   [&] { return has(avatars_target, first_avatar); }));
}

TEST_CASE(
    "changes that a standby had not received are gone after a failover, and later ones are seen",
    "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server primary;
  const auto url = primary.new_database();
  const world of{store_url{url}};
  const auto standby = primary.standby();
  standby->catch_up_with(primary);
  const environment either{"MATCHCLOUD_STORE=" + fixtures::either(url, standby->connection_string(
                                                                           name_of_database(url)))};
  const server at{{}, of, either};
  const auto has = [&](const std::string& target, const std::string& text) {
    raw_connection client{at.data()};
    return client.ask(request("GET", target)).body.find(text) != std::string::npos;
  };

  stop_following(*standby, primary);
  import_avatar(of, first_avatar, either);
  import_avatar(of, second_avatar, either);
  CHECK(ask_ops(at, "PUT", "/v1/regions/atl", region).status == 201);
  CHECK(eventually([&] { return has(avatars_target, second_avatar); }));
  CHECK(eventually([&] { return has(regions_target, "\"atl\""); }));

  primary.kill();
  standby->promote();
  CHECK(eventually([&] { return !has(regions_target, "\"atl\""); }));
  CHECK(eventually([&] { return !has(avatars_target, first_avatar); }));
  import_avatar(of, third_avatar, either);
  CHECK(
      eventually([&] { return has(avatars_target, third_avatar); }, deadline{milliseconds{5'000}}));
  CHECK_FALSE(has(avatars_target, second_avatar));
}

TEST_CASE("a revocation is seen although another one, which was lost, had its revision",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server primary;
  const auto url = primary.new_database();
  const world of{store_url{url}};
  const auto standby = primary.standby();
  const environment either{"MATCHCLOUD_STORE=" + fixtures::either(url, standby->connection_string(
                                                                           name_of_database(url)))};
  const server first{{}, of, either};
  server second{{"--auth", "required"}, of, either};
  const auto lost = create_token(first, "studio");
  const auto revoked = create_token(first, "studio");
  REQUIRE(eventually([&] { return validate(second, revoked.text).status == 200; }));
  standby->catch_up_with(primary);
  stop_following(*standby, primary);
  CHECK(ask_ops(first, "DELETE", "/v1/tokens/" + lost.id).status == 204);
  REQUIRE(eventually([&] { return validate(second, lost.text).status == 401; }));

  // The second process does not see the store in between.
  primary.kill();
  CHECK(eventually([&] { return second.metric("matchcloud_store_age_seconds") > 1; }));
  second.process().signal(SIGSTOP);
  standby->promote();
  CHECK(eventually(
      [&] { return ask_ops(first, "DELETE", "/v1/tokens/" + revoked.id).status == 204; }));
  second.process().signal(SIGCONT);
  // Each event loop learns of tokens by itself, and a connection may be on any of them.
  CHECK(eventually([&] { return validate(second, revoked.text).status == 401; }));
  CHECK(eventually([&] { return validate(second, lost.text).status == 200; }));
}

TEST_CASE("a store out of reach for too long refuses administration at once, then tokens",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  two_processes both;
  const server at{
      {"--auth", "required", "--store-unreachable-ms", "1000", "--stale-auth-limit-ms", "3000"},
      both.of};
  const auto token = create_token(both.first, "studio").text;
  const auto admin = create_token(both.first, "admin").text;
  REQUIRE(eventually([&] { return validate(at, token).status == 200; }));
  const auto age = [&] { return at.metric("matchcloud_store_age_seconds"); };
  const auto list_tokens = [&] { return ask_ops(at, "GET", "/v1/tokens", {}, bearer(admin)); };
  REQUIRE(eventually([&] { return list_tokens().status == 200; }));
  CHECK(age() < 1);

  both.postgres.pause();
  CHECK(eventually([&] { return age() > 1; }));
  const auto begun = clock::now();
  const auto refused = list_tokens();
  CHECK(clock::now() - begun < milliseconds{2'500});
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "store_failed");
  CHECK(refused.header("retry-after") == "1");
  CHECK(ask_ops(at, "PUT", "/v1/tiers/late").status == 503);
  CHECK(ask_ops(at, "GET", "/v1/audit", {}, bearer(admin)).status == 503);

  CHECK(validate(at, token).status == 200);
  CHECK(eventually([&] { return validate(at, token).status == 503; }));
  CHECK(age() > 3);
  const auto stale = validate(at, token);
  CHECK(stale.problem_code() == "store_failed");
  CHECK(stale.header("retry-after") == "1");
  raw_connection anonymous{at.data()};
  CHECK(anonymous.ask(request("GET", regions_target)).status == 200);

  both.postgres.resume();
  CHECK(eventually([&] { return validate(at, token).status == 200; }));
  CHECK(eventually([&] { return list_tokens().status == 200; }));
  CHECK(eventually([&] { return age() < 1; }));
}

/// The path and query of the URL of an export of the demo's game.
std::string exported(const server& by) {
  raw_connection client{by.data()};
  const auto made = client.ask(request(
      "POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
      R"({"query_start":0,"query_end":4102444800000})"));
  const auto url = text_at(parse_json(made.body), "url");
  return url.substr(url.find("/exports"));
}

TEST_CASE("processes sign URLs by one key, which each follows when it is rotated", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  postgres_server postgres;
  const world of{store_url{postgres.new_database()}};
  const server first{{}, of};
  const server second{{}, of};
  const auto status = [](const server& at, const std::string& target) {
    raw_connection client{at.data()};
    return client.ask(request("GET", target)).status;
  };
  const auto rotate = [&](arguments flags) {
    flags.insert(flags.begin(), {"signing-key", "rotate", "--data-dir", of.data_dir()});
    const auto done = run(flags);
    INFO(done.errors);
    CHECK(done.exit_code == 0);
  };
  const auto before = exported(first);
  CHECK(status(second, before) == 200);
  rotate({});
  CHECK(status(first, before) == 200);
  CHECK(status(second, before) == 200);
  // The replaced key is kept; what was signed by it ends only where it is revoked.
  rotate({"--revoke"});
  CHECK(eventually([&] { return status(first, before) == 403; }));
  CHECK(eventually([&] { return status(second, before) == 403; }));
  const auto after = exported(second);
  CHECK(status(first, after) == 200);
  CHECK(status(second, after) == 200);
}

} // namespace
