#include "app/client/csv_download.hpp"

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "tests/app/client/scripted_server.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <rapidcheck.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;
using strings = std::vector<std::string>;

const std::string etag = "\"0123abc\"";
const std::string file_path = "/exports/7/lobby-history.csv?expires=9&signature=a+b%2Fc";
const std::string problem_type = "Content-Type: application/problem+json\r\n";

std::string csv_of(int lobbies) {
  std::string text = "lobby_id,name\r\n";
  for (int i = 0; i < lobbies; ++i)
    text += std::to_string(i) + ",\"a \"\"line\"\"\r\nand another\"\r\n";
  return text;
}

std::string read_whole(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string csv_head(const std::string& status, std::size_t length, const std::string& tag = etag,
                     const std::string& more = {}) {
  return answer_head(status, length,
                     "Content-Type: text/csv; charset=utf-8\r\nETag: " + tag + "\r\n" + more);
}

std::string whole(const std::string& csv, const std::string& tag = etag) {
  return csv_head("200 OK", csv.size(), tag) + csv;
}

/// An answer with the bytes [begin, end) of `csv`.
std::string rest(const std::string& csv, std::size_t begin, std::size_t end = std::string::npos) {
  end = std::min(end, csv.size());
  return csv_head("206 Partial Content", end - begin, etag,
                  "Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) +
                      "/" + std::to_string(csv.size()) + "\r\n") +
         csv.substr(begin, end - begin);
}

/// An answer whose body ends after `body_bytes`.
std::string cut(const std::string& answer, std::size_t body_bytes) {
  return answer.substr(0, answer.find("\r\n\r\n") + 4 + body_bytes);
}

std::string problem(const std::string& status, const std::string& code,
                    const std::string& headers = {}) {
  const auto body =
      R"({"title":"T","detail":"what is wrong","code":")" + code + R"(","request_id":"req-1"})";
  return answer_head(status, body.size(), problem_type + headers) + body;
}

struct download_world {
  /// Declared first: threads inherit the signal mask that it sets.
  cli::interrupt until;
  fixtures::temporary_directory directory;
  scripted_server server;
  std::vector<milliseconds> pauses;
  /// What the service is asked with.
  std::string token;

  std::string path() const { return directory.path("out.csv"); }

  void answer_export() {
    const auto body = R"({"url":")" + server.url(file_path) + "\"}";
    server.then(answer_head("200 OK", body.size(), "Content-Type: application/json\r\n") + body);
  }

  base::expected<download_summary> run(const std::string& to, const std::string& base = "") {
    return base::attempt([&] {
      auto output = base::value_of(cli::output_file::open(to));
      base::value_of(output.begin(until));
      cli::progress_display progress{base::machine_clock()};
      const download_context in{until, progress, [this](milliseconds pause) {
                                  pauses.push_back(pause);
                                  return !until.came();
                                }};
      const auto service = model::parse_http_url(server.url(base));
      REQUIRE(service.has_value());
      const model::export_query query{{}, {1, 18'446'744'073'709'551'615U}};
      const auto done = download_export({*service, token}, query, output, in);
      base::value_of(output.complete());
      return done;
    });
  }
  base::expected<download_summary> run() { return run(path()); }

  /// The `Range` header of each request for the file.
  strings ranges() const {
    strings found;
    for (const auto& each : server.requests())
      if (each.method == "GET") found.push_back(each.header("range"));
    return found;
  }
  bool nothing_left() const { return std::filesystem::is_empty(directory.path()); }
};

/// Checks that the download failed with a detail that contains all of `parts`.
void check_failed(const base::expected<download_summary>& done, const strings& parts) {
  REQUIRE_FALSE(done.has_value());
  INFO(done.error().detail);
  for (const auto& part : parts)
    CHECK(done.error().detail.find(part) != std::string::npos);
  CHECK(done.error().detail.find("signature=") == std::string::npos);
}

TEST_CASE("an export is asked for and downloaded, exactly as it is") {
  download_world in;
  const auto csv = csv_of(1'000);
  in.answer_export();
  in.server.then(whole(csv));
  const auto done = in.run(in.path(), "/base/");
  REQUIRE(done.has_value());
  CHECK(done->lobbies == 1'000);
  CHECK(done->bytes == csv.size());
  CHECK(read_whole(in.path()) == csv);
  const auto requests = in.server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].method == "POST");
  CHECK(requests[0].target == "/base/cloud/games/00000000-0000-0000-0000-000000000000/matchmaker/"
                              "lobbies/export-history");
  CHECK(requests[0].body == R"({"query_start":1,"query_end":18446744073709551615})");
  CHECK(requests[0].header("content-type") == "application/json");
  CHECK("http://" + requests[0].header("host") == in.server.url());
  CHECK(requests[1].method == "GET");
  CHECK(requests[1].target == file_path);
  CHECK(requests[1].header("accept-encoding") == "identity");
  CHECK(in.ranges() == strings{""});
  CHECK(in.pauses.empty());
}

TEST_CASE("a download that is cut goes on where it was") {
  download_world in;
  const auto csv = csv_of(20'000);
  in.answer_export();
  in.server.then(cut(whole(csv), 300'001));
  in.server.then(cut(rest(csv, 300'001), 0));
  in.server.then("HTTP/1.1 206 Par");
  in.server.then(cut(rest(csv, 300'001), 17));
  in.server.then(rest(csv, 300'018));
  const auto done = in.run();
  REQUIRE(done.has_value());
  CHECK(done->lobbies == 20'000);
  CHECK(read_whole(in.path()) == csv);
  CHECK(in.ranges() ==
        strings{"", "bytes=300001-", "bytes=300001-", "bytes=300001-", "bytes=300018-"});
  CHECK(in.server.requests().back().header("if-range") == etag);
  CHECK(in.pauses ==
        std::vector<milliseconds>{first_pause, first_pause, 2 * first_pause, first_pause});
}

TEST_CASE("property: wherever a download is cut, the file is the same") {
  REQUIRE(rc::check([] {
    download_world in;
    const auto csv = csv_of(*rc::gen::inRange(0, 200));
    in.answer_export();
    std::size_t at = 0;
    while (at < csv.size()) {
      const auto size = std::min<std::size_t>(csv.size() - at, *rc::gen::inRange(1U, 3'000U));
      const bool announced = *rc::gen::arbitrary<bool>() && at > 0;
      const auto answer = at == 0 ? whole(csv) : rest(csv, at, announced ? at + size : csv.npos);
      in.server.then(cut(answer, size));
      at += size;
    }
    const auto done = in.run();
    RC_ASSERT(done.has_value());
    RC_ASSERT(read_whole(in.path()) == csv);
    model::csv_row_counter counter;
    counter.add(csv);
    RC_ASSERT(done->lobbies + 1 == counter.rows());
  }));
}

TEST_CASE("a download without progress is given up, and leaves nothing") {
  download_world in;
  const auto csv = csv_of(100);
  in.answer_export();
  in.server.then(cut(whole(csv), 10));
  check_failed(in.run(), {in.server.url("/exports/7/lobby-history.csv: "), "5 attempts in a row",
                          "after 10 of " + std::to_string(csv.size()) + " bytes"});
  CHECK(in.ranges() ==
        strings{"", "bytes=10-", "bytes=10-", "bytes=10-", "bytes=10-", "bytes=10-"});
  CHECK(in.pauses == std::vector<milliseconds>{first_pause, first_pause, 2 * first_pause,
                                               4 * first_pause, 8 * first_pause});
  CHECK(in.nothing_left());
}

TEST_CASE("a file that changed while it was downloaded is downloaded from the start again") {
  download_world in;
  const auto csv = csv_of(500);
  in.answer_export();
  in.server.then(cut(whole(csv_of(900), "\"old\""), 5'000));
  SECTION("the whole of the new one comes") {
    in.server.then(whole(csv));
  }
  SECTION("it is shorter than what there is") {
    in.server.then(answer_head("416 Range Not Satisfiable", 0, "Content-Range: bytes */3\r\n"));
    in.server.then(whole(csv));
  }
  SECTION("the part has another ETag") {
    in.server.then(rest(csv_of(900), 5'000));
    in.server.then(whole(csv));
  }
  SECTION("another part comes than was asked for") {
    in.server.then(rest(csv, 4'999));
    in.server.then(whole(csv));
  }
  SECTION("a part without its place comes") {
    in.server.then(csv_head("206 Partial Content", 5) + "abcde");
    in.server.then(whole(csv));
  }
  SECTION("its part is of another length") {
    in.server.then(rest(csv, 5'000));
    in.server.then(whole(csv));
  }
  const auto done = in.run();
  REQUIRE(done.has_value());
  CHECK(done->lobbies == 500);
  CHECK(read_whole(in.path()) == csv);
  CHECK(in.ranges()[1] == "bytes=5000-");
  CHECK(in.server.requests()[2].header("if-range") == "\"old\"");
}

TEST_CASE("a file without a strong ETag is downloaded from the start again, not resumed") {
  download_world in;
  const auto csv = csv_of(500);
  const std::string tag = GENERATE("W/\"weak\"", "", "\"open", "\"a\r\nX: y\"");
  in.answer_export();
  in.server.then(cut(whole(csv, tag), 5'000));
  in.server.then(whole(csv, tag));
  REQUIRE(in.run().has_value());
  CHECK(read_whole(in.path()) == csv);
  CHECK(in.ranges() == strings{"", ""});
}

TEST_CASE("a file that changes again and again is given up") {
  download_world in;
  const auto csv = csv_of(500);
  in.answer_export();
  for (int i = 0; i < 9; ++i)
    in.server.then(cut(whole(csv, '"' + std::to_string(i) + '"'), 100));
  check_failed(in.run(), {"restarted 3 times"});
  CHECK(in.server.requests().size() == 2 + start_anew_limit + 1);
  CHECK(in.nothing_left());
}

TEST_CASE("a download into a pipe is not started over") {
  download_world in;
  const auto csv = csv_of(500);
  const auto pipe = in.directory.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const base::file_descriptor reader{::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  in.answer_export();
  in.server.then(cut(whole(csv), 5'000));
  SECTION("a changed file is an error") {
    in.server.then(whole(csv, "\"new\""));
    check_failed(in.run(pipe), {"5000 of", "cannot be taken back"});
  }
  SECTION("the same file is resumed") {
    in.server.then(rest(csv, 5'000));
    REQUIRE(in.run(pipe).has_value());
    std::string got(csv.size() + 1, '\0');
    got.resize(static_cast<std::size_t>(::read(reader.get(), got.data(), got.size())));
    CHECK(got == csv);
  }
}

TEST_CASE("a new URL is requested after the old one expired") {
  download_world in;
  const auto csv = csv_of(500);
  in.answer_export();
  SECTION("before the first byte") {
    in.server.then(problem("403 Forbidden", "url_expired"));
    in.answer_export();
    in.server.then(whole(csv));
    REQUIRE(in.run().has_value());
    CHECK(read_whole(in.path()) == csv);
    CHECK(in.server.requests().size() == 4);
  }
  SECTION("once only") {
    in.server.then(problem("403 Forbidden", "url_expired"));
    in.answer_export();
    in.server.then(problem("403 Forbidden", "signature_invalid"));
    check_failed(in.run(), {"what is wrong (403 signature_invalid, request req-1)"});
    CHECK(in.server.requests().size() == 4);
  }
  SECTION("half-way, as often as there is progress; the same file is resumed") {
    for (std::size_t had = 0; had < 150; had += 50) {
      in.server.then(cut(had == 0 ? whole(csv) : rest(csv, had), 50));
      in.server.then(problem("403 Forbidden", "url_expired"));
      in.answer_export();
    }
    in.server.then(rest(csv, 150));
    REQUIRE(in.run().has_value());
    CHECK(read_whole(in.path()) == csv);
    CHECK(in.ranges().back() == "bytes=150-");
  }
  SECTION("half-way; another file is downloaded from the start") {
    in.server.then(cut(whole(csv), 50));
    in.server.then(problem("404 Not Found", "export_not_found"));
    in.answer_export();
    in.server.then(whole(csv_of(7), "\"new\""));
    const auto done = in.run();
    REQUIRE(done.has_value());
    CHECK(done->lobbies == 7);
    CHECK(read_whole(in.path()) == csv_of(7));
  }
  SECTION("half-way, but not for ever") {
    in.server.then(cut(whole(csv), 50));
    for (int i = 0; i < export_request_limit; ++i) {
      in.server.then(problem("403 Forbidden", "url_expired"));
      in.answer_export();
    }
    in.server.then(problem("403 Forbidden", "url_expired"));
    check_failed(in.run(), {"url_expired"});
    CHECK(in.nothing_left());
  }
}

TEST_CASE("a request to a busy service is repeated after its Retry-After") {
  download_world in;
  const auto csv = csv_of(5);
  in.server.then(problem("503 Service Unavailable", "exports_busy", "Retry-After: 7\r\n"));
  in.server.then(problem("429 Too Many Requests", "exports_busy", "Retry-After: 0\r\n"));
  in.server.then(problem("503 Service Unavailable", "exports_busy", "Retry-After: 9999\r\n"));
  in.answer_export();
  in.server.then(problem("503 Service Unavailable", "overloaded", "Retry-After: 3\r\n"));
  in.server.then(whole(csv));
  REQUIRE(in.run().has_value());
  CHECK(read_whole(in.path()) == csv);
  CHECK(in.pauses == std::vector<milliseconds>{std::chrono::seconds{7}, std::chrono::seconds{1},
                                               busy_pause_limit, std::chrono::seconds{3}});
}

TEST_CASE("requests to a service that stays busy end after the limit") {
  download_world in;
  for (int i = 0; i < 100; ++i)
    in.server.then(problem("503 Service Unavailable", "exports_busy", "Retry-After: 45\r\n"));
  check_failed(in.run(), {"exports_busy", "585 s"});
  const auto all = std::accumulate(in.pauses.begin(), in.pauses.end(), milliseconds{0});
  CHECK(all <= busy_limit);
  CHECK(in.server.requests().size() == in.pauses.size() + 1);
}

TEST_CASE("a refusal of the service is reported, and the request is not repeated") {
  download_world in;
  SECTION("a problem") {
    in.server.then(problem("404 Not Found", "game_not_found"));
    check_failed(in.run(), {"export-history: what is wrong (404 game_not_found, request req-1)"});
  }
  SECTION("503 without a time to come back") {
    in.server.then(problem("503 Service Unavailable", "store_failed"));
    check_failed(in.run(), {"store_failed"});
  }
  SECTION("no problem at all") {
    in.server.then(answer_head("404 Not Found", 9, "Content-Type: text/html\r\n") + "<h1>no</h1");
    check_failed(in.run(), {"status 404"});
  }
  SECTION("a redirect") {
    in.server.then(answer_head("302 Found", 0, "Location: http://127.0.0.1:1/\r\n"));
    check_failed(in.run(), {"status 302"});
  }
  SECTION("a detail that would turn a terminal around") {
    const std::string body = "{\"detail\":\"a\\u001b[2Jb\"}";
    in.server.then(answer_head("400 Bad Request", body.size(), problem_type) + body);
    const auto done = in.run();
    check_failed(done, {"a", "b"});
    CHECK(done.error().detail.find('\x1b') == std::string::npos);
  }
  SECTION("no URL") {
    in.server.then(answer_head("200 OK", 2, "") + "{}");
    check_failed(in.run(), {"has no \"url\""});
  }
  SECTION("a URL of no use") {
    const std::string body = R"({"url":"file:///etc/passwd"})";
    in.server.then(answer_head("200 OK", body.size(), "") + body);
    check_failed(in.run(), {"cannot be used", "http://"});
  }
  SECTION("an answer without end") {
    in.server.then(answer_head("200 OK", 1'000'000, "") + std::string(1'000'000, ' '));
    check_failed(in.run(), {"too long"});
  }
  CHECK(in.server.requests().size() == 1);
  CHECK(in.pauses.empty());
  CHECK(in.nothing_left());
}

TEST_CASE("a token is sent to ask for the export, never to download it") {
  download_world in;
  in.token = "mc_game_abc";
  const auto csv = csv_of(5);
  in.server.then(problem("429 Too Many Requests", "rate_limited", "Retry-After: 2\r\n"));
  in.answer_export();
  in.server.then(problem("403 Forbidden", "url_expired"));
  in.answer_export();
  in.server.then(cut(whole(csv), 10));
  in.server.then(rest(csv, 10));
  REQUIRE(in.run().has_value());
  CHECK(read_whole(in.path()) == csv);
  CHECK(in.pauses.front() == std::chrono::seconds{2});
  const auto requests = in.server.requests();
  REQUIRE(requests.size() == 6);
  for (const auto& each : requests)
    CHECK(each.header("authorization") == (each.method == "POST" ? "Bearer mc_game_abc" : ""));
}

TEST_CASE("a refused token is reported, and the request is not repeated") {
  download_world in;
  in.token = GENERATE("", "mc_game_abc");
  const bool has_token = !in.token.empty();
  SECTION("401") {
    in.server.then(problem("401 Unauthorized", "token_invalid"));
    check_failed(in.run(), {"what is wrong (401 token_invalid, request req-1)",
                            has_token ? "is the token right" : "--token-file or MATCHCLOUD_TOKEN"});
  }
  SECTION("403") {
    in.server.then(problem("403 Forbidden", "not_permitted"));
    check_failed(in.run(), {"what is wrong (403 not_permitted, request req-1)",
                            has_token ? "may this token export this game" : ""});
  }
  SECTION("429 without a time to come back") {
    in.server.then(problem("429 Too Many Requests", "rate_limited"));
    check_failed(in.run(), {"what is wrong (429 rate_limited, request req-1)"});
  }
  SECTION("an answer that repeats the token") {
    const std::string body = R"({"detail":"no such token: mc_game_abc","code":"token_invalid"})";
    in.server.then(answer_head("401 Unauthorized", body.size(), problem_type) + body);
    const auto done = in.run();
    check_failed(done, {has_token ? "no such token: *********** (401" : "mc_game_abc"});
    CHECK((done.error().detail.find("mc_game_abc") == std::string::npos) == has_token);
  }
  CHECK(in.server.requests().size() == 1);
  CHECK(in.server.requests().front().header("authorization") ==
        (has_token ? "Bearer mc_game_abc" : ""));
  CHECK(in.pauses.empty());
  CHECK(in.nothing_left());
}

TEST_CASE("a request for an export that gets no answer is repeated, a few times") {
  download_world in;
  SECTION("then it has one") {
    in.server.then("");
    in.server.then(answer_head("504 Gateway Timeout", 3, "Content-Type: text/html\r\n") + "...");
    in.answer_export();
    in.server.then(whole(csv_of(1)));
    CHECK(in.run().has_value());
    CHECK(in.pauses == std::vector<milliseconds>{first_pause, 2 * first_pause});
  }
  SECTION("or never") {
    check_failed(in.run(), {"lost", "5 times in a row"});
    CHECK(in.server.requests().size() == attempts_without_progress_limit);
  }
  SECTION("the service's own deadline is an answer") {
    in.server.then(problem("504 Gateway Timeout", "deadline_exceeded"));
    check_failed(in.run(), {"deadline_exceeded"});
    CHECK(in.server.requests().size() == 1);
  }
}

TEST_CASE("a file that is elsewhere is downloaded there, each time by the service's URL") {
  download_world in;
  in.token = "mc_game_abc";
  const auto csv = csv_of(5);
  const auto sent_to = [&](const std::string& target) {
    in.server.then(
        answer_head("307 Temporary Redirect", 0, "Location: " + in.server.url(target) + "\r\n"));
  };
  in.answer_export();
  sent_to("/bucket/7?type=a%20b%2Bc");
  in.server.then(cut(whole(csv), 10));
  sent_to("/bucket/7?type=d");
  in.server.then(rest(csv, 10));
  REQUIRE(in.run().has_value());
  CHECK(read_whole(in.path()) == csv);
  const auto requests = in.server.requests();
  REQUIRE(requests.size() == 5);
  CHECK(requests[1].target == file_path);
  CHECK(requests[2].target.starts_with("/bucket/7?type=a%20b%2"));
  CHECK(requests[3].target == file_path);
  CHECK(requests[4].target == "/bucket/7?type=d");
  CHECK(requests[4].header("range") == "bytes=10-");
  for (const auto& each : requests)
    CHECK(each.header("authorization") == (each.method == "POST" ? "Bearer mc_game_abc" : ""));
}

TEST_CASE("a redirect that leads nowhere is refused") {
  download_world in;
  in.answer_export();
  SECTION("no URL") {
    in.server.then(answer_head("307 Temporary Redirect", 0, "Location: file:///a\r\n"));
    check_failed(in.run(), {"a URL that cannot be used"});
  }
  SECTION("a circle") {
    for (int i = 0; i < 4; ++i)
      in.server.then(answer_head("307 Temporary Redirect", 0,
                                 "Location: " + in.server.url(file_path) + "\r\n"));
    check_failed(in.run(), {"more than 3 times"});
  }
  CHECK(in.pauses.empty());
  CHECK(in.nothing_left());
}

TEST_CASE("a response other than the unchanged CSV file is refused") {
  download_world in;
  in.answer_export();
  SECTION("compressed unasked") {
    in.server.then(csv_head("200 OK", 3, etag, "Content-Encoding: gzip\r\n") + "abc");
    check_failed(in.run(), {"Content-Encoding 'gzip'"});
  }
  SECTION("a page") {
    in.server.then(answer_head("200 OK", 3, "Content-Type: text/html\r\n") + "abc");
    check_failed(in.run(), {"not text/csv"});
  }
  SECTION("of unknown length") {
    in.server.then("HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n\r\nabc");
    check_failed(in.run(), {"Content-Length"});
  }
  SECTION("a part, unasked") {
    in.server.then(rest(csv_of(3), 0, 20));
    check_failed(in.run(), {"length"});
  }
  CHECK(in.server.requests().size() == 2);
  CHECK(in.nothing_left());
}

TEST_CASE("a service that cannot be reached is reported") {
  download_world in;
  std::string gone;
  {
    const scripted_server other;
    gone = other.url("/x.csv");
  }
  const auto body = R"({"url":")" + gone + "\"}";
  in.server.then(answer_head("200 OK", body.size(), "") + body);
  check_failed(in.run(), {gone, "no connection", "public-url", "5 attempts"});
  CHECK(in.pauses.size() == attempts_without_progress_limit - 1);
}

TEST_CASE("a signal ends the wait for a server, and nothing is left") {
  download_world in;
  std::size_t unanswered = 1;
  SECTION("that makes an export") {
    in.server.then(scripted_answer{"", true});
  }
  SECTION("that sends a file") {
    in.answer_export();
    in.server.then(scripted_answer{cut(whole(csv_of(100)), 70), true});
    unanswered = 2;
  }
  std::thread sender{[&] {
    e2e::eventually([&] { return in.server.requests().size() == unanswered; });
    // Signals the process, as a terminal does.
    ::kill(::getpid(), SIGINT);
  }};
  const auto done = in.run();
  sender.join();
  check_failed(done, {"interrupted"});
  CHECK(done.error().code == base::errc::cancelled);
  CHECK(in.nothing_left());
}

} // namespace
} // namespace matchcloud::app
