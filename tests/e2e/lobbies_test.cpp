// Lobbies ingested through the ops plane and imported from files.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

const std::string lines_type = "Content-Type: application/x-ndjson\r\n";
const std::string unknown_namespace = "00000000-0000-4000-8000-0000000000ff";

/// A line, with its line end, about a lobby of the demo's `prod`.
std::string line_of_lobby(int number, const std::string& times = R"("start_ts":1767225600000)",
                          const std::string& space = std::string{prod_namespace},
                          const std::string& mode = "duel") {
  return R"({"lobby_id":"00000000-0000-4000-8000-000000)" + std::to_string(100'000 + number) +
         R"(","namespace_id":")" + space + R"(","region_id":"fra","tier":"basic-1d1",)" +
         R"("version_id":"00000000-0000-4000-8000-000000000099","version_name":"1.0",)" +
         R"("game_mode":")" + mode + R"(",)" + times + "}\n";
}

std::string lines(int from, int count) {
  std::string text;
  for (int i = from; i < from + count; ++i)
    text += line_of_lobby(i);
  return text;
}

answer ingest(const server& to, const std::string& body, const std::string& type = lines_type) {
  raw_connection client{to.ops()};
  return client.ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + type +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

std::string accepted(int count) {
  return R"({"accepted":)" + std::to_string(count) +
         R"(,"unchanged":0,"rejected":[],"rejected_total":0})";
}
std::string unchanged(int count) {
  return R"({"accepted":0,"unchanged":)" + std::to_string(count) +
         R"(,"rejected":[],"rejected_total":0})";
}

/// Runs `matchcloud import lobbies` on `text`.
command_result import_lobbies(const world& in, const std::string& text,
                              const arguments& more = {}) {
  arguments all{"import", "lobbies", "--data-dir", in.data_dir(),
                in.directory().file("lobbies.jsonl", text)};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

TEST_CASE("ingested lobbies are acknowledged, and repeated ones count as unchanged",
          "[operations][shipped]") {
  const world own;
  const server to{{}, own};
  const auto first = ingest(to, lines(0, 300));
  CHECK(first.status == 200);
  CHECK(first.header("content-type") == "application/json");
  CHECK(first.body == accepted(300));
  CHECK(ingest(to, lines(0, 300)).body == unchanged(300));
  CHECK(ingest(to, line_of_lobby(0, R"("start_ts":1767225600000,"stop_ts":"2026-01-01T01:00:00Z")"))
            .body == accepted(1));
  CHECK(ingest(to, lines(0, 1)).body == unchanged(1));
  const auto some = ingest(to, "{}\n" + line_of_lobby(301));
  CHECK(some.status == 200);
  CHECK(some.body.starts_with(R"({"accepted":1,"unchanged":0,"rejected":[{"line":1,)"));
  CHECK(to.metric("matchcloud_ingested_lines_total{outcome=\"accepted\"}") == 302);
  CHECK(to.metric("matchcloud_ingest_transaction_seconds_count") >= 2);
}

/// A lobby as Fluent Bit, Vector and Filebeat hand it on.
std::string shipped_line(int number) {
  auto text = line_of_lobby(number);
  return R"({"date":1767225600.25,"@timestamp":"2026-01-01T00:00:00Z","host":{"name":"a",)"
         R"("ip":["10.0.0.1"],"lobby_id":{"lobby_id":1}},)" +
         text.substr(1, text.size() - 3) + R"(,"@timestamp":null})" + "\n";
}

TEST_CASE("members that log shippers add are skipped where a key names them", "[operations]") {
  const world own;
  {
    const server strict{{}, own};
    const auto refused = ingest(strict, shipped_line(1));
    CHECK(refused.status == 422);
    CHECK(refused.body.find(R"(unknown member \"date\")") != std::string::npos);
  }
  const server to{{"--ingest-ignored-members", "date", "--ingest-ignored-members", "@timestamp",
                   "--ingest-ignored-members", "host"},
                  own};
  CHECK(ingest(to, shipped_line(1) + shipped_line(2)).body == accepted(2));
  const arguments ignoring{"--ignore-member", "date", "--ignore-member", "@timestamp",
                           "--ignore-member=host"};
  const auto done = import_lobbies(own, shipped_line(1) + shipped_line(3), ignoring);
  CHECK(done.out == "2 lines: 1 lobbies accepted, 1 unchanged; 0 lines left out\n");
  const auto wrong = import_lobbies(own, line_of_lobby(4), {"--ignore-member", "lobby_id"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.errors.find("\"lobby_id\" is a member of the format") != std::string::npos);
}

TEST_CASE("an import of lobbies is seen by a server, and repeated is nothing new", "[operations]") {
  const world own;
  const server to{{}, own};
  const auto done =
      import_lobbies(own, lines(0, 100) + line_of_lobby(0, R"("start_ts":5,"stop_ts":null)"));
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(done.out == "101 lines: 100 lobbies accepted, 0 unchanged; 0 lines left out\n");
  CHECK(done.errors.empty());
  CHECK(ingest(to, lines(0, 100)).body == unchanged(100));
  CHECK(import_lobbies(own, lines(0, 101)).out ==
        "101 lines: 1 lobbies accepted, 100 unchanged; 0 lines left out\n");
}

TEST_CASE("an import with any wrong line writes nothing and names them all", "[operations]") {
  const world own;
  REQUIRE(import_lobbies(own, line_of_lobby(1)).exit_code == 0);
  const auto text = line_of_lobby(2) + "{}\n" + line_of_lobby(3, R"("start_ts":9,"stop_ts":8)") +
                    line_of_lobby(2, R"("start_ts":1)", std::string{prod_namespace}, "team") +
                    line_of_lobby(1, R"("start_ts":1)", std::string{prod_namespace}, "team") +
                    line_of_lobby(4, R"("start_ts":1)", unknown_namespace);
  const auto refused = import_lobbies(own, text);
  CHECK(refused.exit_code == 1);
  CHECK(refused.out.empty());
  INFO(refused.errors);
  CHECK(refused.errors.find(
            "5 lines cannot be imported, nothing was written:\n  line 2: required: ") !=
        std::string::npos);
  CHECK(refused.errors.find("\n  line 3: invalid: stop_ts: ") != std::string::npos);
  CHECK(refused.errors.find("is on line 1 already, and its game_mode \"team\" is not \"duel\"") !=
        std::string::npos);
  CHECK(refused.errors.find("\n  line 5: conflict: ") != std::string::npos);
  CHECK(refused.errors.find("\n  line 6: namespace_unknown: ") != std::string::npos);

  const auto partial = import_lobbies(own, text, {"--partial"});
  CHECK(partial.exit_code == 0);
  CHECK(partial.out == "6 lines: 1 lobbies accepted, 0 unchanged; 5 lines left out\n");
  CHECK(partial.errors.find("5 lines were left out:\n  line 2: ") != std::string::npos);
  CHECK(import_lobbies(own, line_of_lobby(2)).out ==
        "1 lines: 0 lobbies accepted, 1 unchanged; 0 lines left out\n");
}

TEST_CASE("a signal ends an import whose pipe nobody opens for writing", "[operations]") {
  const world own;
  const auto pipe = own.directory().path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  child_process importing{{"import", "lobbies", "--data-dir", own.data_dir(), pipe}};
  REQUIRE(eventually([&] {
    std::ifstream in{"/proc/" + std::to_string(importing.pid()) + "/stat"};
    const std::string stat{std::istreambuf_iterator<char>{in}, {}};
    return stat.find(") S ") != std::string::npos;
  }));
  importing.signal(SIGTERM);
  CHECK(importing.exit_code() == 128 + SIGTERM);
}

TEST_CASE("an import whose file cannot be opened says why", "[operations]") {
  for (const std::string what : {"lobbies", "avatars"}) {
    const auto missing =
        run({"import", what, "--data-dir", shared_world().data_dir(), "/nowhere/all.jsonl"});
    CHECK(missing.exit_code == 1);
    CHECK(missing.errors.find("/nowhere/all.jsonl: cannot be opened: No such file") !=
          std::string::npos);
  }
}

} // namespace
