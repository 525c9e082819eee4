// Exports of lobby history and their downloads.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

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

TEST_CASE("a day of demo lobbies is exported, and downloaded whole, compressed and in parts",
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
  // A changed URL is nobody's, also one that would end later.
  auto later = target;
  later[later.find("expires=") + 8] = '9';
  for (const auto& changed : {later, target.substr(0, target.find('?'))}) {
    CHECK(download(from, changed).status == 403);
    CHECK(download(from, changed).problem_code() == "signature_invalid");
  }
}

TEST_CASE("URLs and files of exports expire", "[operations]") {
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

TEST_CASE("a lobby that is ingested before an export is requested is in it", "[operations]") {
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
  // Everything else is the same.
  CHECK(std::count(excel.body.begin(), excel.body.end(), '\n') ==
        std::count(exact.body.begin(), exact.body.end(), '\n'));
  CHECK(excel.body.size() == exact.body.size() + 3 + 2);

  // Each kind of request shares the file of its own kind alone.
  const auto id_of = [](const std::string& path) { return path.substr(0, path.find('?')); };
  CHECK(id_of(target_of(ask_for_export(from, "?csv=excel"), from.data())) == id_of(target));
  CHECK(from.metric("matchcloud_exports_reused_total") == 1);
  CHECK(from.metric("matchcloud_exports_finished_total") == 2);
  CHECK(ask_for_export(from, "?csv=xls").problem_code() == "query_invalid");

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

TEST_CASE("exports survive kill -9 and a restart, and leftovers go", "[lifecycle]") {
  const world own;
  std::string target;
  std::string bytes;
  {
    server first{{}, own};
    target = target_of(ask_for_export(first, "?csv=excel"), first.data());
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
