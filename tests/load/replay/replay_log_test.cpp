#include "load/replay.hpp"

#include "base/failure.hpp"
#include "load/report.hpp"
#include "load/run.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/load/servers.hpp"

#include <zlib.h>

#include <algorithm>

namespace matchcloud::load {
namespace {

constexpr std::int64_t second_us = 1'795'663'243'000'000; // 2026-11-26T03:20:43Z

TEST_CASE("a line of the service's log in JSON is read; its time is when the request arrived",
          "[load]") {
  const auto read = parse_log_line(
      R"({"ts":"2026-11-26T03:20:43.123Z","request_id":"6b","client":"192.0.2.7","method":"GET",)"
      R"("target":"/matchmaker/regions?a=b","status":200,"bytes":812,"duration_us":85,)"
      R"("plane":"data","operation":"list_regions"})");
  REQUIRE(read);
  CHECK(read->at_us == second_us + 123'000 - 85);
  CHECK_FALSE(read->is_whole_second);
  CHECK(read->client == "192.0.2.7");
  CHECK(read->method == "GET");
  CHECK(read->target == "/matchmaker/regions?a=b");
  CHECK(read->status == 200);
  CHECK(read->operation == "list_regions");
  CHECK_FALSE(read->is_of_ops_plane);
}

TEST_CASE("a log cannot write to the terminal by the names of its operations", "[load]") {
  const auto read = parse_log_line(
      R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/a","status":200,)"
      R"("operation":"\u001b[2J"})");
  REQUIRE(read);
  CHECK(read->operation.empty());
}

TEST_CASE("lines of the service, nginx and Apache in the combined format are read", "[load]") {
  for (const auto* const line :
       {R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.1" 304 0 "-" "-")",
        R"(2001:db8::1 - bob [26/Nov/2026:05:20:43 +0200] "HEAD /a?b=%20 HTTP/2.0" 304 0 )"
        R"("http://x/" "a \"b\" c")",
        R"(a:443 2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.1" 304 0)",
        R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD http://h:1/a?b=%20 HTTP/1.1" 304 0)",
        R"(2001:db8::1 - - [26/Nov/2026:03:20:43 +0000] "HEAD /a?b=%20 HTTP/1.0" 304 -)"}) {
    CAPTURE(line);
    const auto read = parse_log_line(line);
    REQUIRE(read);
    CHECK(read->at_us == second_us);
    CHECK(read->is_whole_second);
    CHECK(read->client == "2001:db8::1");
    CHECK(read->method == "HEAD");
    CHECK(read->target == "/a?b=%20");
    CHECK(read->status == 304);
  }
  CHECK(parse_log_line(R"(unix: - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1" 200 0)")
            ->client.empty());
}

TEST_CASE("a text that is not a line of an access log is not read", "[load]") {
  for (const auto* const line :
       {"", "hello", "{}", R"({"ts":"soon","method":"GET","target":"/","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"*","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/ a","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"G T","target":"/","status":200})",
        R"({"ts":"2026-11-26T03:20:43.123Z","method":"GET","target":"/","status":0})",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "\x16\x03\x01" 400 0 "-" "-")",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET /" 200 0 "-" "-")",
        R"(1.2.3.4 - - [26/Now/2026:03:20:43 +0000] "GET / HTTP/1.1" 200 0 "-" "-")",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1)",
        R"(1.2.3.4 - - [26/Nov/2026:03:20:43 +0000] "GET / HTTP/1.1\)",
        R"(1.2.3.4 - - [26/Nov/2026)"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_log_line(line));
  }
}

using namespace std::chrono_literals;

const fixtures::temporary_directory& replay_directory() {
  static const fixtures::temporary_directory made;
  return made;
}

std::string combined(int second, const std::string& request, int status = 200) {
  return "192.0.2.1 - - [26/Nov/2026:03:20:" + std::to_string(second) + " +0000] \"" + request +
         " HTTP/1.1\" " + std::to_string(status) + " 5 \"-\" \"-\"\n";
}

std::string json_line(int ms, const std::string& target, const std::string& more = {}) {
  return R"({"ts":"2026-11-26T03:20:10.)" + std::to_string(ms) +
         R"(Z","client":"192.0.2.2","method":"GET","target":")" + target +
         R"(","status":200,"duration_us":1000,"plane":"data","operation":"op")" + more + "}\n";
}

base::expected<replay_log> log_of(const std::string& text, double speed = 1) {
  return base::attempt(
      [&] { return replay_log::read(replay_directory().file("log", text), speed); });
}

results replayed(const std::string& url, const std::string& text, double speed,
                 std::size_t threads = 1) {
  options options;
  options.url = url;
  options.replay = std::make_shared<const replay_log>(log_of(text, speed).value());
  options.duration = options.replay->entries.back().at + 1ns;
  options.connections = 4;
  options.threads = threads;
  const cli::interrupt signals;
  return run(options, signals);
}

TEST_CASE("paths of many things are one row, and a compressed log is read", "[load]") {
  const auto text = combined(10, "GET /p/1") + combined(10, "GET /p/2?x=1") +
                    combined(10, "GET /v1/00000000-0000-4000-8000-000000000001/x") +
                    combined(10, "GET http://example.com/p/3");
  const auto file = replay_directory().path("log.gz");
  auto* const packed = ::gzopen(file.c_str(), "wb");
  REQUIRE(::gzwrite(packed, text.data(), static_cast<unsigned>(text.size())) > 0);
  ::gzclose(packed);
  const auto log = replay_log::read(file, 1);
  CHECK(log.rows == std::vector<std::string>{"GET /p/*", "GET /v1/*"});
  CHECK(log.entries.size() == 4);
  CHECK(log.left_out.empty());
}

TEST_CASE("requests keep their times; those of one whole second are spread over it", "[load]") {
  const auto log = log_of(combined(10, "GET /a") + combined(10, "GET /b") + combined(12, "GET /a") +
                          combined(10, "HEAD /c") + combined(10, "GET /d"));
  REQUIRE(log);
  std::vector<std::chrono::nanoseconds> times;
  for (const auto& each : log->entries)
    times.push_back(each.at);
  CHECK(times == std::vector<std::chrono::nanoseconds>{0ms, 250ms, 500ms, 750ms, 2'000ms});
  const auto requests = log->bytes({"h:1", "/base", {}, false, false});
  REQUIRE(requests.size() == 4);
  CHECK(requests[log->entries[4].request].text ==
        "GET /base/a HTTP/1.1\r\nHost: h:1\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
  CHECK(log->entries[0].request == log->entries[4].request);
  CHECK(log->left_out.empty());
}

TEST_CASE("lines in JSON have milliseconds, and a replay can be faster", "[load]") {
  // The second line was answered first, but its request arrived later.
  const auto log = log_of(json_line(500, "/x", R"(,"duration_us":0)") + json_line(300, "/y"), 2);
  REQUIRE(log);
  CHECK(log->entries[0].at == 0ms);
  CHECK(log->entries[1].at == 100ms);
  CHECK(log->rows == std::vector<std::string>{"op"});
}

TEST_CASE("lines that cannot be replayed are counted and reported", "[load]") {
  const auto log =
      log_of(combined(10, "GET /a") + combined(10, "POST /a") + combined(10, "POST /b") +
             combined(10, "PUT /a") + "what\n\n" + combined(10, "GET /" + std::string(2'100, 'a')) +
             combined(10, "PURGE /a") +
             R"({"ts":"2026-11-26T03:20:10.100Z","method":"GET","target":"/health",)"
             R"("status":200,"plane":"ops"})" +
             "\n");
  REQUIRE(log);
  CHECK(log->entries.size() == 1);
  CHECK(log->left_out ==
        "2 POST requests (logs have no bodies), 1 PUT requests (logs have no bodies), "
        "1 other requests (logs have no bodies), 1 requests to the ops plane, 1 requests whose "
        "path is cut in the log, 1 lines that are not requests, the first in line 5");
  const auto none = log_of("what\n");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == base::errc::config_invalid);
  CHECK(none.error().detail.find("log has no request that can be replayed: 1 lines that are not "
                                 "requests, the first in line 1. Use an access log") !=
        std::string::npos);
  CHECK(base::attempt([&] { return replay_log::read(replay_directory().path("gone"), 1); })
            .error()
            .code == base::errc::io_failed);
}

TEST_CASE("results are by method and two segments of the path, and no more than a bound",
          "[load]") {
  std::string text = combined(10, "GET /a/b/c?d") + combined(10, "GET /a/b/e") +
                     combined(10, "HEAD /a/b") + combined(10, "GET /");
  auto log = log_of(text);
  REQUIRE(log);
  CHECK(log->rows == std::vector<std::string>{"GET /a/b", "HEAD /a/b", "GET /"});
  for (int i = 0; i < 12'000; ++i)
    text += combined(11, "GET /n" + std::to_string(i));
  text += combined(12, "GET /often") + combined(12, "GET /often") + combined(12, "GET /often");
  log = log_of(text);
  REQUIRE(log);
  REQUIRE(log->rows.size() == replay_log::rows_limit);
  CHECK(log->rows.back() == "others");
  CHECK(std::ranges::find(log->rows, "GET /a/b") != log->rows.end());
  CHECK(log->entries.size() == 12'007);
  for (const auto& each : log->entries)
    REQUIRE(each.row < replay_log::rows_limit);
}

TEST_CASE("however many names a log has, the row of the rest is one", "[load]") {
  const auto line = combined(11, "GET /n#");
  const auto at = line.find('#');
  std::string text;
  for (int i = 0; i < 70'000; ++i)
    text.append(line, 0, at).append(std::to_string(i)).append(line, at + 1);
  // Numbers of rows have 16 bits: this one must not meet the row of another name.
  for (int i = 0; i < 3; ++i)
    text += combined(12, "GET /n0");
  const auto log = log_of(text);
  REQUIRE(log);
  REQUIRE(log->rows.size() == replay_log::rows_limit);
  CHECK(log->rows.front() == "GET /n0");
  CHECK(std::ranges::count(log->rows, "others") == 1);
  CHECK(std::ranges::count(log->entries, 0, &replay_log::entry::row) == 4);
}

TEST_CASE("a log whose lines are of times far apart has times that can be counted", "[load]") {
  const auto line = [](const std::string& year) {
    return R"({"ts":")" + year + R"(-01-01T00:00:00.000Z","method":"GET","target":"/",)" +
           R"("status":200})" + "\n";
  };
  const auto log = log_of(line("1970") + line("9999"), 0.001);
  REQUIRE(log);
  CHECK(log->entries[1].at == std::chrono::days{365});
}

TEST_CASE("a log is replayed: its requests, at their times, each once", "[load]") {
  const scripted_server server{[](const auto&) { return ok_reply("x"); }};
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += combined(10 + i / 20, "GET /n/" + std::to_string(i));
  const std::size_t threads = GENERATE(1, 3);
  const auto begun = std::chrono::steady_clock::now();
  const auto of = replayed(server.url(), text, 4, threads);
  CHECK(std::chrono::steady_clock::now() - begun >= 487ms);
  CHECK(of.all.sent == 40);
  CHECK(of.all.answered == 40);
  CHECK(of.all.late.delays.count() == 40);
  auto requests = server.requests();
  REQUIRE(requests.size() == 40);
  std::vector<std::string> lines;
  for (const auto& each : requests) {
    lines.push_back(each.head.substr(0, each.head.find('\r')));
    CHECK(each.head.find("\r\nX-Forwarded-For: 192.0.2.1\r\n") != std::string::npos);
  }
  std::ranges::sort(lines);
  CHECK(std::ranges::adjacent_find(lines) == lines.end());
}

TEST_CASE("a replayed request must get the status of the log", "[load]") {
  const scripted_server server{[](const received_request& request) {
    const auto path = request.head.substr(0, request.head.find(" HTTP"));
    const auto status = path.substr(path.size() - 3);
    return "HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n";
  }};
  const auto of = replayed(server.url(),
                           combined(10, "GET /404", 404) + combined(10, "GET /200", 404) +
                               combined(10, "GET /200", 500) + combined(10, "GET /404", 499) +
                               combined(10, "GET /502", 502) + combined(10, "GET /200") +
                               combined(10, "GET /200", 304) + combined(10, "GET /200", 206),
                           10);
  CHECK(of.all.sent == 8);
  CHECK(of.all.answered == 6);
  CHECK(of.all.failed(failure::status) == 2);
}

} // namespace
} // namespace matchcloud::load
