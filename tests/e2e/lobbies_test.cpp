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

TEST_CASE("ingested lobbies are acknowledged, and repeated ones told from them",
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
  CHECK(to.metric("matchcloud_ingested_lines_total{outcome=\"accepted\"}") == 301);
  CHECK(to.metric("matchcloud_ingest_transaction_seconds_count") >= 2);
}

TEST_CASE("chunks may end anywhere in a line", "[operations]") {
  const world own;
  const server to{{}, own};
  raw_connection client{to.ops()};
  client.send("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + lines_type +
              "Transfer-Encoding: chunked\r\n\r\n");
  const auto body = lines(0, 20);
  for (std::size_t at = 0; at < body.size(); at += 100) {
    const auto part = body.substr(at, 100);
    char head[16];
    std::snprintf(head, sizeof head, "%zx\r\n", part.size());
    client.send(head + part + "\r\n");
  }
  client.send("0\r\n\r\n");
  CHECK(client.receive().body == accepted(20));
}

TEST_CASE("rejected lines are named by number and code, the others are taken", "[operations]") {
  const world own;
  const server to{{}, own};
  REQUIRE(ingest(to, line_of_lobby(1)).status == 200);
  const auto got =
      ingest(to, "\n{\"lobby_id\":1}\n" + line_of_lobby(2) +
                     line_of_lobby(1, R"("start_ts":1)", std::string{prod_namespace}, "team") +
                     line_of_lobby(3, R"("start_ts":1)", unknown_namespace) + "nonsense");
  CHECK(got.status == 200);
  const auto answered = parse_json(got.body);
  REQUIRE(answered.IsObject());
  CHECK(answered["accepted"].GetInt() == 1);
  std::vector<std::string> rejected;
  for (const auto& each : answered["rejected"].GetArray())
    rejected.push_back(std::to_string(each["line"].GetInt()) + " " + text_at(each, "code"));
  CHECK(rejected ==
        std::vector<std::string>{"2 required", "4 conflict", "5 namespace_unknown", "6 malformed"});
  CHECK(answered["rejected_total"].GetInt() == 4);
}

TEST_CASE("an ingest of which no line is good is 422 with the same body", "[operations]") {
  const world own;
  const server to{{}, own};
  const auto none = ingest(to, "{}\n" + line_of_lobby(3, R"("start_ts":1)", unknown_namespace));
  CHECK(none.status == 422);
  CHECK(none.header("content-type") == "application/json");
  const auto answered = parse_json(none.body);
  REQUIRE(answered.IsObject());
  CHECK(answered["accepted"].GetInt() == 0);
  CHECK(answered["rejected"].Size() == 2);
  CHECK(answered["rejected_total"].GetInt() == 2);
  // The connection goes on.
  raw_connection client{to.ops()};
  const auto post = [&](const std::string& body) {
    return client.ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  CHECK(post("{}\n").status == 422);
  CHECK(post("{}\n" + line_of_lobby(1)).status == 200);
  // A line that the store has already was good.
  CHECK(post("{}\n" + line_of_lobby(1)).status == 200);
  CHECK(to.metric("matchcloud_requests_total{operation=\"ingest_lobbies\",status=\"422\"}") == 2);
  // Nothing was sent, and nothing refused.
  CHECK(post("").body == accepted(0));
  CHECK(post("\n\n").status == 200);
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
  // Other members are findings, and those of a lobby count.
  const auto got = ingest(to, R"({"date":1,"dat":2})"
                              "\n"
                              R"({"date":1,"host":{}})"
                              "\n");
  CHECK(got.status == 422);
  CHECK(got.body.find(R"("code":"unknown_member")") != std::string::npos);
  CHECK(got.body.find(R"("code":"required")") != std::string::npos);
}

TEST_CASE("a member that a lobby has cannot be ignored", "[operations]") {
  const world own;
  const auto refused = run({"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
                            "--data-dir", own.data_dir(), "--ingest-ignored-members", "stop_ts"});
  CHECK(refused.exit_code != 0);
  CHECK(refused.errors.find("\"stop_ts\" is a member of the format") != std::string::npos);
}

TEST_CASE("seconds given for milliseconds are a finding that says what to write", "[operations]") {
  const world own;
  const server to{{}, own};
  const auto got =
      ingest(to, line_of_lobby(1, R"("start_ts":1767225600)") + line_of_lobby(2) +
                     line_of_lobby(3, R"("start_ts":1767225600000,"stop_ts":1767225660)") +
                     line_of_lobby(4, R"("start_ts":"1970-01-21T10:53:45.600Z")"));
  CHECK(got.status == 200);
  const auto answered = parse_json(got.body);
  CHECK(answered["accepted"].GetInt() == 2); // a time of 1970 can be written as a string
  REQUIRE(answered["rejected"].Size() == 2);
  CHECK(text_at(answered["rejected"][0], "code") == "invalid");
  CHECK(text_at(answered["rejected"][0], "message") ==
        "start_ts: found 1767225600, expected milliseconds since 1970, but these look like "
        "seconds: write 1767225600000 for 2026-01-01T00:00:00.000Z");
  CHECK(text_at(answered["rejected"][1], "message").starts_with("stop_ts: found 1767225660, "));
}

TEST_CASE("a body whose length could be read in two ways is refused, never taken in part",
          "[operations]") {
  const world own;
  const server to{{}, own};
  const auto body = lines(0, 3);
  const auto length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  for (const std::string& headers :
       {std::string{"Content-Length: abc\r\n"}, std::string{"Content-Length: 0x10\r\n"},
        std::string{"Content-Length: +5\r\n"}, std::string{"Content-Length: -1\r\n"},
        std::string{"Content-Length: 5, 5\r\n"}, "Content-Length: 0\r\n" + length, length + chunked,
        chunked + chunked, "Transfer-Encoding: gzip\r\n" + length}) {
    INFO(headers);
    raw_connection client{to.ops()};
    const auto got =
        client.ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body);
    CHECK(got.status == 400);
    CHECK(got.problem_code() == "request_malformed");
  }
  raw_connection client{to.ops()};
  const auto got = client.ask(
      "POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000000\r\n\r\n");
  CHECK(got.status == 413);
  CHECK(got.problem_code() == "body_too_large");
}

TEST_CASE("another media type or method is refused with what is allowed", "[operations]") {
  const world own;
  const server to{{}, own};
  const auto typed = ingest(to, line_of_lobby(1), "Content-Type: application/json\r\n");
  CHECK(typed.status == 415);
  CHECK(typed.problem_code() == "media_type_unsupported");
  for (const std::string name : {"application/x-ndjson", "application/ndjson", "application/jsonl",
                                 "application/x-jsonlines"})
    CHECK(typed.body.find(name) != std::string::npos);
  CHECK(ingest(to, line_of_lobby(1), "Content-Type: application/jsonlines\r\n").status == 415);
  CHECK(ingest(to, line_of_lobby(1), "").body == accepted(1));
  int number = 10;
  for (const std::string type : {"application/x-ndjson", "application/ndjson", "application/jsonl",
                                 "application/x-jsonlines", "Application/JSONL; charset=utf-8"})
    CHECK(ingest(to, line_of_lobby(++number), "Content-Type: " + type + "\r\n").body ==
          accepted(1));
  raw_connection client{to.ops()};
  const auto other = client.ask("GET /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(other.status == 405);
  CHECK(other.header("allow") == "POST, OPTIONS");
}

TEST_CASE("a connection cut in a line never ingests the part", "[operations]") {
  const world own;
  const server to{{}, own};
  const auto half = line_of_lobby(1, R"("start_ts":1767225600000,"stop_ts":1767225600001)");
  {
    raw_connection client{to.ops()};
    client.send("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + lines_type +
                "Content-Length: 100000\r\n\r\n" + line_of_lobby(0) +
                half.substr(0, half.size() - 1));
    client.finish();
    const auto answered = client.try_receive();
    CHECK((!answered || answered->status == 400));
  }
  CHECK(eventually([&] { return to.metric("matchcloud_ingests_running") == 0; }));
  // If the lobby were stored with its stop, this report would add nothing.
  CHECK(ingest(to, line_of_lobby(1)).body == accepted(1));
}

TEST_CASE("what was acknowledged survives a kill", "[operations]") {
  const world own;
  {
    server to{{}, own};
    REQUIRE(ingest(to, lines(0, 500)).body == accepted(500));
    to.process().signal(SIGKILL);
    CHECK(to.process().exit_code() == 128 + SIGKILL);
  }
  const server again{{}, own};
  CHECK(ingest(again, lines(0, 500)).body == unchanged(500));
}

TEST_CASE("one ingest more than may run is refused, and health answers", "[limits]") {
  const world own;
  const server to{{"--mailbox-ingestion", "8", "--ingest-share-percent", "100"}, own};
  std::vector<raw_connection> held;
  for (int i = 0; i < 8; ++i)
    held.emplace_back(to.ops()).send(
        "POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + lines_type +
        "Content-Length: " + std::to_string(line_of_lobby(i).size()) + "\r\n\r\n{");
  REQUIRE(eventually([&] { return to.metric("matchcloud_ingests_running") == 8; }));
  const auto refused = ingest(to, line_of_lobby(9));
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "overloaded");
  CHECK_FALSE(refused.header("retry-after").empty());
  CHECK(to.metric("matchcloud_mailbox_full_total{owner=\"ingestion\"}") == 1);
  CHECK(to.ready_status() == 200);
  for (int i = 0; i < 8; ++i) {
    held[static_cast<std::size_t>(i)].send(line_of_lobby(i).substr(1));
    CHECK(held[static_cast<std::size_t>(i)].receive().body == accepted(1));
  }
  CHECK(ingest(to, line_of_lobby(9)).body == accepted(1));
}

TEST_CASE("a hundred slow ingests leave an honest one as if it were alone", "[limits]") {
  const world own;
  const server to{{"--body-timeout-ms", "6000"}, own};
  std::vector<raw_connection> slow;
  for (int i = 0; i < 100; ++i)
    slow.emplace_back(to.ops()).send("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" +
                                     lines_type + "Content-Length: 100000\r\n\r\n" +
                                     line_of_lobby(i));
  REQUIRE(eventually([&] { return to.metric("matchcloud_ingests_running") == 100; }));
  const auto begun = std::chrono::steady_clock::now();
  CHECK(ingest(to, lines(1'000, 50)).body == accepted(50));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds{5'000});
  for (auto& each : slow) {
    const auto told = each.receive();
    CHECK(told.status == 408);
    CHECK(told.header("connection") == "close");
  }
  CHECK(eventually([&] { return to.metric("matchcloud_ingests_running") == 0; }));
  CHECK(eventually([&] { return to.metric("matchcloud_ops_budget_used_bytes") < 10'000; }));
}

TEST_CASE("one sender's trickling ingests leave places to others, and end when places are short",
          "[limits]") {
  const world own;
  const server to{{"--mailbox-ingestion", "16", "--body-timeout-ms", "8000"}, own};
  std::vector<raw_connection> trickling;
  for (int i = 0; i < 16; ++i)
    trickling.emplace_back(to.ops(), "127.0.0.2")
        .send("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + lines_type +
              "Content-Length: 100000\r\n\r\n" + line_of_lobby(i));
  // Half of the places and one more; beyond, a quarter would be its share.
  REQUIRE(eventually([&] { return to.metric("matchcloud_ingests_over_share_total") == 7; }));
  CHECK(to.metric("matchcloud_ingests_running") == 9);
  CHECK(ingest(to, line_of_lobby(100)).body == accepted(1));
  // Once enough of the slow have ended, places are not short any more: on a busy machine some are
  // left to the timeout of bodies.
  int over_share = 0;
  int too_slow = 0;
  for (auto& each : trickling) {
    const auto told = each.receive();
    CHECK(told.header("connection") == "close");
    CHECK((told.status == 503 || told.status == 408));
    if (told.status == 408) {
      CHECK(told.problem_code() == "body_timeout");
      too_slow += told.body.find("ingest-least-rate") != std::string::npos ? 1 : 0;
      continue;
    }
    ++over_share;
    CHECK(told.problem_code() == "overloaded");
    CHECK(told.body.find("ingest-share-percent") != std::string::npos);
    CHECK(told.header("retry-after") == "1");
  }
  CHECK(over_share == 7);
  CHECK(too_slow >= 1);
  CHECK(to.metric("matchcloud_ingests_too_slow_total") == too_slow);
  CHECK(eventually([&] { return to.metric("matchcloud_ingests_running") == 0; }));
}

TEST_CASE("an actor that dies between commit and answer loses nothing: the client sends again",
          "[operations]") {
  const world own;
  const server to{{"--enable-fault-injection"}, own};
  const auto fault = [&](const std::string& method, const std::string& rule) {
    raw_connection client{to.ops()};
    return client
        .ask(method + " /faults/ingestion.reply HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
             std::to_string(rule.size()) + "\r\n\r\n" + rule)
        .status;
  };
  REQUIRE(fault("PUT", R"({"kind":"crash","once":true})") == 200);
  const auto refused = ingest(to, lines(0, 500));
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "unavailable");
  CHECK_FALSE(refused.header("retry-after").empty());
  CHECK(ingest(to, lines(0, 500)).body == unchanged(500));
  CHECK(to.metric("matchcloud_place_restarts_total{place=\"ingestion\"}") == 1);

  // Within a body: what came until then may stay, and all of it is taken when it is sent again.
  raw_connection client{to.ops()};
  client.send("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n" + lines_type +
              "Content-Length: 1000000\r\n\r\n" + lines(1'000, 400));
  REQUIRE(eventually([&] { return to.metric("matchcloud_ingests_running") == 1; }));
  REQUIRE(fault("PUT", R"({"kind":"crash","once":true})") == 200);
  CHECK(ingest(to, lines(2'000, 1)).status == 503);
  const auto interrupted = client.receive();
  CHECK(interrupted.status == 503);
  CHECK(interrupted.header("connection") == "close");
  CHECK(ingest(to, lines(1'000, 400)).status == 200);
  CHECK(ingest(to, lines(1'000, 400)).body == unchanged(400));
}

TEST_CASE("an ingest that expects 100 Continue gets it once it was let in, or its refusal",
          "[operations]") {
  const world own;
  const server to{{}, own};
  const auto head = [](const std::string& more) {
    return "POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" + more +
           "\r\n";
  };
  const auto length = "Content-Length: " + std::to_string(line_of_lobby(1).size()) + "\r\n";
  raw_connection client{to.ops()};
  client.send(head(length + lines_type));
  CHECK(client.receive().status == 100);
  client.send(line_of_lobby(1));
  CHECK(client.receive().body == accepted(1));
  for (const auto& [more, status] :
       std::vector<std::pair<std::string, int>>{{length + "Content-Type: text/plain\r\n", 415},
                                                {"Content-Length: 5000000000\r\n", 413},
                                                {length + "Origin: https://evil.example\r\n", 403}})
    CHECK(raw_connection{to.ops()}.ask(head(more)).status == status);
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

TEST_CASE("an import skips the members that a flag names, and finds seconds", "[operations]") {
  const world own;
  const auto refused = import_lobbies(own, shipped_line(1));
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.find("unknown member \"date\"") != std::string::npos);
  const arguments ignoring{"--ignore-member", "date", "--ignore-member", "@timestamp",
                           "--ignore-member=host"};
  const auto done = import_lobbies(own, shipped_line(1) + shipped_line(2), ignoring);
  INFO(done.errors);
  CHECK(done.out == "2 lines: 2 lobbies accepted, 0 unchanged; 0 lines left out\n");
  const auto seconds = import_lobbies(own, line_of_lobby(3, R"("start_ts":1767225600)"));
  CHECK(seconds.exit_code == 1);
  CHECK(seconds.errors.find("line 1: invalid: start_ts: found 1767225600, ") != std::string::npos);
  CHECK(seconds.errors.find("write 1767225600000 ") != std::string::npos);
  const auto wrong = import_lobbies(own, line_of_lobby(4), {"--ignore-member", "lobby_id"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.errors.find("\"lobby_id\" is a member of the format") != std::string::npos);
}

TEST_CASE("lines of an unknown namespace are all told, and spoil no other line of their lobby",
          "[operations]") {
  const world own;
  const auto wrong = line_of_lobby(1, R"("start_ts":1)", unknown_namespace);
  const auto text = wrong + line_of_lobby(1, R"("start_ts":1)") + wrong;
  const auto refused = import_lobbies(own, text);
  INFO(refused.errors);
  CHECK(refused.errors.find("2 lines cannot be imported, nothing was written:\n  line 1: ") !=
        std::string::npos);
  CHECK(refused.errors.find("\n  line 2: ") == std::string::npos);
  CHECK(refused.errors.find("\n  line 3: namespace_unknown: ") != std::string::npos);
  CHECK(import_lobbies(own, text, {"--partial"}).out ==
        "3 lines: 1 lobbies accepted, 0 unchanged; 2 lines left out\n");
}

TEST_CASE("of very many wrong lines the first hundred are listed", "[operations]") {
  const world own;
  std::string text;
  for (int i = 0; i < 250; ++i)
    text += "x\n";
  const auto refused = import_lobbies(own, text);
  CHECK(refused.errors.find("\n  line 100: ") != std::string::npos);
  CHECK(refused.errors.find("\n  line 101: ") == std::string::npos);
  CHECK(refused.errors.find("\n  and 150 more\n") != std::string::npos);
}

TEST_CASE("a signal ends an import that waits for its input", "[operations]") {
  const world own;
  const auto pipe = own.directory().path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  // Opened for reading and writing, so that neither this process nor the child blocks in open.
  const matchcloud::base::file_descriptor writer{::open(pipe.c_str(), O_RDWR | O_CLOEXEC)};
  child_process importing{{"import", "lobbies", "--data-dir", own.data_dir(), pipe}};
  const auto some = lines(0, 10);
  REQUIRE(::write(writer.get(), some.data(), some.size()) == static_cast<ssize_t>(some.size()));
  // Once the lines are read, the import waits for signals.
  REQUIRE(eventually([&] {
    pollfd unread{writer.get(), POLLIN, 0};
    return ::poll(&unread, 1, 0) == 0;
  }));
  importing.signal(SIGTERM);
  CHECK(importing.exit_code() == 1);
  CHECK(importing.says("interrupted; "));
}

TEST_CASE("a signal ends an import that waits for somebody to write", "[operations]") {
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

TEST_CASE("an import that cannot begin says why", "[operations]") {
  const auto missing =
      run({"import", "lobbies", "--data-dir", shared_world().data_dir(), "/nowhere/lobbies.jsonl"});
  CHECK(missing.exit_code == 1);
  CHECK(missing.errors.find("cannot be opened: No such file") != std::string::npos);
}

} // namespace
