// Exports of lobby history and their downloads.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

namespace {

using namespace matchcloud::e2e;

const std::string history_path =
    "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history";
// 2026-01-02T00:00:00Z and the day after.
constexpr std::uint64_t day_begin = 1'767'312'000'000;
constexpr std::uint64_t day_end = day_begin + 86'400'000;

std::string span(std::uint64_t begin, std::uint64_t end) {
  return R"({"query_start":)" + std::to_string(begin) + R"(,"query_end":)" + std::to_string(end) +
         "}";
}
const std::string day = span(day_begin, day_end);

/// Path and query of the URL in an answer; the URL must point to `to`.
std::string target_of(const answer& got, const address& to) {
  CAPTURE(got.body);
  CHECK(got.status == 200);
  CHECK(got.header("content-type") == "application/json");
  const auto document = parse_json(got.body);
  CHECK(member_names(document) == std::vector<std::string>{"url"});
  const auto url = text_at(document, "url");
  const auto origin = "http://" + to.authority();
  REQUIRE(url.starts_with(origin + "/exports/"));
  return url.substr(origin.size());
}

std::string requested_export(const server& from, const std::string& body) {
  raw_connection client{from.data()};
  return target_of(client.ask(request("POST", history_path, body)), from.data());
}

answer download(const server& from, const std::string& target, std::string_view headers = {},
                std::string_view method = "GET") {
  raw_connection client{from.data()};
  return client.ask(request(method, target, {}, headers));
}

TEST_CASE("a day of demo lobbies is exported, downloaded, compressed and taken in parts",
          "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  CAPTURE(transport);
  auto& from = plain_server(transport);
  const auto target = requested_export(from, day);
  const auto whole = download(from, target);
  CHECK(whole.status == 200);
  CHECK(whole.header("content-type") == "text/csv; charset=utf-8; header=present");
  CHECK(whole.header("content-disposition") ==
        "attachment; filename=\"lobby-history_" + std::string{demo_game} + "_" +
            std::to_string(day_begin) + "_" + std::to_string(day_end) + ".csv\"");
  CHECK(whole.header("accept-ranges") == "bytes");
  CHECK(whole.header("vary") == "Accept-Encoding");
  CHECK(whole.header("content-encoding").empty());
  CHECK(whole.body.starts_with("lobby_id,namespace_id,namespace_name,region_id,region_name,tier,"
                               "version_id,version_name,game_mode,start_ts,stop_ts,"
                               "total_uptime_ms,query_uptime_ms\r\n"));
  CHECK(std::count(whole.body.begin(), whole.body.end(), '\n') > 300);
  const auto etag = whole.header("etag");

  const auto head = download(from, target, {}, "HEAD");
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == std::to_string(whole.body.size()));
  const auto part = download(from, target, "Range: bytes=100-199\r\nIf-Range: " + etag + "\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == whole.body.substr(100, 100));
  CHECK(download(from, target, "If-None-Match: " + etag + "\r\n").status == 304);

  const auto zipped = download(from, target, "Accept-Encoding: gzip\r\n");
  CHECK(zipped.status == 200);
  CHECK(zipped.header("content-encoding") == "gzip");
  CHECK(zipped.header("etag") != etag);
  CHECK(zipped.header("vary") == "Accept-Encoding");
  CHECK(zipped.body.size() < whole.body.size() / 2);
  CHECK(matchcloud::fixtures::inflated(zipped.body) == whole.body);
  CHECK(download(from, target, "Accept-Encoding: gzip\r\n").body == zipped.body);
  CHECK(download(from, target, "Accept-Encoding: gzip\r\nRange: bytes=0-9\r\n").body ==
        whole.body.substr(0, 10));
}

TEST_CASE("an empty span is a file with its header alone", "[operations]") {
  auto& from = plain_server();
  const auto target = requested_export(from, span(day_begin, day_begin));
  const auto got = download(from, target);
  CHECK(got.status == 200);
  CHECK(std::count(got.body.begin(), got.body.end(), '\n') == 1);
}

TEST_CASE("the whole unsigned range is a span", "[operations]") {
  auto& from = plain_server("loops");
  const auto all = download(from, requested_export(from, span(0, UINT64_MAX)));
  CHECK(std::count(all.body.begin(), all.body.end(), '\n') == 10'001);
}

TEST_CASE("spans, games and bodies that are none are problems that name the member",
          "[operations]") {
  raw_connection client{plain_server().data()};
  struct row {
    std::string body;
    int status;
    std::string code;
    std::string names;
  };
  for (const auto& each :
       {row{"{}", 400, "query_invalid", "query_start"},
        row{R"({"query_start":1})", 400, "query_invalid", "query_end"},
        row{R"({"query_start":2,"query_end":1})", 400, "query_invalid", "query_start"},
        row{R"({"query_start":-1,"query_end":1})", 400, "query_invalid", "query_start"},
        row{R"({"query_start":1,"query_end":18446744073709551616})", 400, "query_invalid",
            "query_end"},
        row{R"({"query_start":"1","query_end":2})", 400, "query_invalid", "query_start"},
        row{R"({"query_start":1,"query_end":2,"query_ends":3})", 400, "query_invalid",
            "query_ends"},
        row{"[1]", 400, "body_not_object", ""}, row{"{", 400, "body_malformed", ""}}) {
    CAPTURE(each.body);
    const auto got = client.ask(request("POST", history_path, each.body));
    CHECK(got.status == each.status);
    CHECK(got.problem_code() == each.code);
    CHECK(got.body.find(each.names) != std::string::npos);
  }
  const auto unknown = "/cloud/games/00000000-0000-4000-8000-00000000dead/matchmaker/lobbies/"
                       "export-history";
  CHECK(client.ask(request("POST", unknown, day)).problem_code() == "game_not_found");
  CHECK(client.ask(request("POST", unknown, "{}")).problem_code() == "query_invalid");
  CHECK(client.ask(request("GET", history_path)).header("allow") == "POST, OPTIONS");
}

TEST_CASE("URLs that were changed or are over are refused with 403", "[operations]") {
  auto& from = plain_server();
  const auto target = requested_export(from, day);
  const auto other_digit = [](char digit) { return digit == '0' ? '1' : '0'; };
  auto forged = target;
  forged.back() = other_digit(forged.back());
  CHECK(download(from, forged).problem_code() == "signature_invalid");
  CHECK(download(from, forged).status == 403);
  auto later = target;
  later[later.find("expires=") + 8] = '9';
  CHECK(download(from, later).problem_code() == "signature_invalid");
  CHECK(download(from, target.substr(0, target.find('?'))).problem_code() == "signature_invalid");
  auto other = target;
  auto& digit_of_id = other[std::string{"/exports/0"}.size()];
  digit_of_id = other_digit(digit_of_id);
  CHECK(download(from, other).problem_code() == "signature_invalid");
  CHECK(download(from, other).status == 403);
}

TEST_CASE("URLs and files end with their time", "[operations]") {
  const world own;
  const server from{{"--export-url-lifetime-ms", "1000"}, own};
  const auto target = requested_export(from, day);
  CHECK(download(from, target).status == 200);
  const auto folder = own.data_dir() + "/exports";
  CHECK(!std::filesystem::is_empty(folder));
  CHECK(eventually([&] { return download(from, target).problem_code() == "url_expired"; }));
  CHECK(eventually([&] { return !std::filesystem::exists(folder); }));
  CHECK(eventually([&] { return from.metric("matchcloud_export_file_bytes") == 0; }));
}

TEST_CASE("many exports of one game leave the queue and the next turn to another game",
          "[operations]") {
  const world own;
  const server from{{"--export-jobs", "1", "--export-queue", "8", "--enable-fault-injection",
                     "--faults", R"("export.write" = { kind = "stall" })"},
                    own};
  const std::string neighbour = "/cloud/games/00000000-0000-4000-8000-000000000002/matchmaker/"
                                "lobbies/export-history";
  std::vector<raw_connection> many;
  for (std::uint64_t i = 0; i < 20; ++i)
    many.emplace_back(from.data()).send(request("POST", history_path, span(i, day_end)));
  // One runs and four wait: half of the places.
  REQUIRE(eventually(
      [&] { return from.metric(R"(matchcloud_exports_over_share_total{of="queue"})") == 15; }));
  CHECK(from.metric("matchcloud_exports_queued") == 4);
  std::vector<raw_connection> others;
  for (std::uint64_t i = 0; i < 4; ++i)
    others.emplace_back(from.data()).send(request("POST", neighbour, span(i, day_end)));
  CHECK(eventually([&] { return from.metric("matchcloud_exports_queued") == 8; }));
  raw_connection ops{from.ops()};
  CHECK(ops.ask("DELETE /faults HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 204);
  for (auto& each : others)
    CHECK(each.receive().status == 200);
  int made = 0;
  for (auto& each : many) {
    const auto got = each.receive();
    made += got.status == 200 ? 1 : 0;
    if (got.status == 200) continue;
    CHECK(got.problem_code() == "exports_busy");
    CHECK(got.header("retry-after") == "5");
    CHECK(got.body.find("share of the export queue") != std::string::npos);
  }
  CHECK(made == 5);
}

TEST_CASE("the files of one game fill its share of the space, and another game's are made",
          "[operations]") {
  const world own;
  const server from{{"--export-limit-bytes", "1048576", "--export-share-percent", "60"}, own};
  answer refused;
  REQUIRE(eventually([&, days = std::uint64_t{0}]() mutable {
    raw_connection client{from.data()};
    refused = client.ask(request("POST", history_path, span(0, day_end + ++days)));
    return refused.status != 200;
  }));
  CHECK(refused.status == 507);
  CHECK(refused.problem_code() == "exports_full");
  CHECK(refused.body.find("export-share-percent") != std::string::npos);
  CHECK(refused.header("retry-after").empty());
  CHECK(from.metric(R"(matchcloud_exports_over_share_total{of="files"})") >= 1);
  raw_connection client{from.data()};
  CHECK(client
            .ask(request("POST",
                         "/cloud/games/00000000-0000-4000-8000-000000000002/matchmaker/lobbies/"
                         "export-history",
                         day))
            .status == 200);
}

TEST_CASE("what is ingested before an export is asked for is in it", "[operations]") {
  const world own;
  const server from{{}, own};
  const auto count = [&] {
    const auto got = download(from, requested_export(from, day));
    return std::count(got.body.begin(), got.body.end(), '\n');
  };
  const auto before = count();
  CHECK(count() == before);
  CHECK(from.metric("matchcloud_exports_reused_total") == 1);
  const std::string version = "00000000-0000-4000-8000-000000000031";
  const std::string line =
      R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0001","namespace_id":")" +
      std::string{prod_namespace} + R"(","region_id":"lon","tier":"basic-1d1","version_id":")" +
      version + R"(","version_name":"a \"b\", c","game_mode":"duel",)" +
      R"("start_ts":1767312000000,"stop_ts":1767312060000})";
  raw_connection ingest{from.ops()};
  CHECK(ingest
            .ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n"
                 "Content-Type: application/x-ndjson\r\nContent-Length: " +
                 std::to_string(line.size()) + "\r\n\r\n" + line)
            .status == 200);
  const auto got = download(from, requested_export(from, day));
  CHECK(std::count(got.body.begin(), got.body.end(), '\n') == before + 1);
  CHECK(got.body.find("\r\n7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0001," + std::string{prod_namespace} +
                      ",prod,lon,London,basic-1d1," + version +
                      ","
                      "\"a \"\"b\"\", c\",duel,2026-01-02T00:00:00.000Z,2026-01-02T00:01:00.000Z,"
                      "60000,60000\r\n") != std::string::npos);
}

/// Ingests a lobby of the day whose version and mode have these names, which are JSON.
void report_lobby(const server& to, int number, const std::string& version,
                  const std::string& mode) {
  const auto line = R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0)" +
                    std::to_string(100 + number) + R"(","namespace_id":")" +
                    std::string{prod_namespace} +
                    R"(","region_id":"lon","tier":"basic-1d1",)"
                    R"("version_id":"00000000-0000-4000-8000-000000000031","version_name":)" +
                    version + R"(,"game_mode":)" + mode + R"(,"start_ts":1767312000000})";
  raw_connection ingest{to.ops()};
  CHECK(ingest
            .ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                 std::to_string(line.size()) + "\r\n\r\n" + line)
            .status == 200);
}

answer ask_for_export(const server& from, const std::string& query) {
  raw_connection client{from.data()};
  return client.ask(request("POST", history_path + query, day));
}

TEST_CASE("an export for spreadsheets has no formulas, and its own file", "[operations]") {
  const world own;
  const server from{{}, own};
  report_lobby(from, 1, R"x("=HYPERLINK(\"http://a.example\")")x", R"x("+1")x");
  report_lobby(from, 2, R"x("-1")x", R"x("@SUM(A1)")x");
  report_lobby(from, 3, R"x(" =1")x", R"x("a;=1+1")x");
  report_lobby(from, 4, R"x("\uff1d1")x", R"x("1-1=0 + plain's")x");
  const auto exact = download(from, target_of(ask_for_export(from, ""), from.data()));
  const auto target = target_of(ask_for_export(from, "?csv=excel"), from.data());
  const auto excel = download(from, target);
  CHECK(excel.status == 200);
  CHECK(excel.header("content-disposition").ends_with("_excel.csv\""));
  CHECK(exact.header("content-disposition").find("excel") == std::string::npos);
  CHECK(excel.header("content-type") == exact.header("content-type"));

  const auto has = [](const answer& csv, const std::string& cells) {
    return csv.body.find(cells) != std::string::npos;
  };
  CHECK(exact.body.starts_with("lobby_id,"));
  CHECK(excel.body.starts_with("\xEF\xBB\xBFlobby_id,"));
  CHECK(has(exact, ",\"=HYPERLINK(\"\"http://a.example\"\")\",+1,2026"));
  CHECK(has(excel, ",\"'=HYPERLINK(\"\"http://a.example\"\")\",'+1,2026"));
  CHECK(has(exact, ",-1,@SUM(A1),"));
  CHECK(has(excel, ",'-1,'@SUM(A1),"));
  CHECK(has(exact, ", =1,a;=1+1,"));
  CHECK(has(excel, ", '=1,a;'=1+1,"));
  CHECK(has(excel, ",'\uff1d1,1-1=0 + plain's,"));
  // Everything else is the same.
  CHECK(std::count(excel.body.begin(), excel.body.end(), '\n') ==
        std::count(exact.body.begin(), exact.body.end(), '\n'));
  CHECK(excel.body.size() == exact.body.size() + 3 + 7);

  // Each kind of request shares the file of its own kind alone.
  const auto id_of = [](const std::string& path) { return path.substr(0, path.find('?')); };
  CHECK(id_of(target_of(ask_for_export(from, "?csv=excel"), from.data())) == id_of(target));
  CHECK(from.metric("matchcloud_exports_reused_total") == 1);
  CHECK(from.metric("matchcloud_exports_finished_total") == 2);
  CHECK(download(from, target_of(ask_for_export(from, "?csv=exact"), from.data())).body ==
        exact.body);
  CHECK(from.metric("matchcloud_exports_finished_total") == 2);

  // The ops plane has it too, and tells in its list which is which.
  raw_connection client{from.ops()};
  const auto own_link = client.ask(
      request("POST", "/v1/games/" + std::string{demo_game} + "/exports?csv=excel", day));
  CHECK(own_link.status == 200);
  const auto url = text_at(parse_json(own_link.body), "url");
  CHECK(client.ask(request("GET", url)).body == excel.body);
  const auto listed = client.ask(request("GET", "/v1/exports")).body;
  CHECK(listed.find(R"("csv":"excel")") != std::string::npos);
  CHECK(listed.find(R"("csv":"exact")") != std::string::npos);
}

TEST_CASE("an unknown way to write CSV is refused with the known ones", "[operations]") {
  auto& from = plain_server();
  for (const std::string query : {"?csv=xls", "?csv=", "?csv=EXCEL", "?csv=%zz", "?csv"}) {
    CAPTURE(query);
    const auto got = ask_for_export(from, query);
    CHECK(got.status == 400);
    CHECK(got.problem_code() == "query_invalid");
    CHECK(got.body.find("Allowed: `exact`, `excel`.") != std::string::npos);
  }
  CHECK(ask_for_export(from, "?csv=excel&csv=excel").problem_code() == "query_invalid");
  raw_connection client{from.ops()};
  const auto own =
      client.ask(request("POST", "/v1/games/" + std::string{demo_game} + "/exports?csv=xls", day));
  CHECK(own.status == 400);
  CHECK(own.problem_code() == "query_invalid");
}

TEST_CASE("exports survive kill -9 and a restart, and leftovers go", "[lifecycle]") {
  const world own;
  std::string target;
  std::string bytes;
  {
    server first{{}, own};
    target = GENERATE(true, false) ? requested_export(first, day)
                                   : target_of(ask_for_export(first, "?csv=excel"), first.data());
    bytes = download(first, target).body;
    first.process().signal(SIGKILL);
    first.process().exit_code();
  }
  std::filesystem::create_directories(own.data_dir() + "/tmp/dead");
  const server second{{}, own};
  CHECK(download(second, target).body == bytes);
  CHECK(!std::filesystem::exists(own.data_dir() + "/tmp/dead"));
  if (!tests_on_postgres())
    CHECK((std::filesystem::status(own.data_dir() + "/signing-keys").permissions() &
           std::filesystem::perms::all) == std::filesystem::perms{0600});
}

} // namespace
