#include "http/access_log/access_lines.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace matchcloud::http {
namespace {

using fixtures::contains;

/// 2026-11-25T10:00:00.123Z
constexpr std::int64_t at_ms = 1'795'600'800'123;

struct entry_of {
  http::request request;
  access_entry entry;

  explicit entry_of(std::string target) {
    request.method = method::get;
    request.method_token = "GET";
    request.target = std::move(target);
    request.id = "id-1";
    entry.request = &request;
    entry.client = *model::parse_ip_address("192.0.2.7");
    entry.operation = "list_regions";
    entry.plane = "data";
    entry.status = 200;
    entry.bytes = 1'234;
    entry.duration = std::chrono::microseconds{85};
  }
  std::string line(access_log_format format) const {
    std::string made;
    access_line_maker{format}.append(made, entry, at_ms);
    return made;
  }
  std::string target() const {
    return e2e::text_at(e2e::parse_json(line(access_log_format::json)), "target");
  }
};

constexpr auto json = access_log_format::json;
constexpr auto combined = access_log_format::combined;

TEST_CASE("a line in JSON") {
  entry_of one{"/matchmaker/regions?rtt=lon:5"};
  CHECK(one.line(json) ==
        R"({"ts":"2026-11-25T10:00:00.123Z","request_id":"id-1","client":"192.0.2.7",)"
        R"("method":"GET","target":"/matchmaker/regions?rtt=lon:5","status":200,"bytes":1234,)"
        R"("duration_us":85,"plane":"data","operation":"list_regions"})");
  one.entry.token_id = *model::parse_uuid("6a0f7c52-91d4-4c7e-8a35-000000000002");
  CHECK(one.line(json).ends_with(
      R"("operation":"list_regions","token_id":"6a0f7c52-91d4-4c7e-8a35-000000000002"})"));
  one.request.set(header::traceparent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  CHECK(contains(one.line(json), R"("trace_id":"0af7651916cd43dd8448eb211c80319c","client")"));
}

TEST_CASE("a log line names the request's faults") {
  entry_of one{"/x"};
  one.entry.faults = bit_of(base::fault_point::front_reply);
  CHECK(one.line(json).ends_with(R"("operation":"list_regions","faults":["front.reply"]})"));
  one.entry.faults |= bit_of(base::fault_point::read);
  CHECK(one.line(json).ends_with(R"(,"faults":["read","front.reply"]})"));
}

TEST_CASE("a line in the combined format") {
  entry_of one{"/matchmaker/regions"};
  CHECK(one.line(combined) == "192.0.2.7 - - [25/Nov/2026:10:00:00 +0000] \"GET "
                              "/matchmaker/regions HTTP/1.1\" 200 1234 \"-\" \"-\"");
  one.entry.token_id = *model::parse_uuid("6a0f7c52-91d4-4c7e-8a35-000000000002");
  one.request.http_1_0 = true;
  one.request.target = "/a\"b\\\n";
  CHECK(one.line(combined) ==
        "192.0.2.7 - 6a0f7c52-91d4-4c7e-8a35-000000000002 [25/Nov/2026:10:00:00 +0000] \"GET "
        "/a\\\"b\\\\\\x0a HTTP/1.0\" 200 1234 \"-\" \"-\"");
}

TEST_CASE("nothing secret of a target is in a line") {
  const std::string token = "mc_admin_" + std::string(49, 'x');
  CHECK(entry_of{"/" + token}.target() == "/mc_admin_***");
  CHECK(entry_of{"/x?t=" + token}.line(combined).find("xxx") == std::string::npos);
  entry_of signed_url{"/exports/1/lobby-history.csv?signature=secret"};
  signed_url.entry.hides_query = true;
  CHECK(signed_url.target() == "/exports/1/lobby-history.csv");
  CHECK_FALSE(contains(signed_url.line(combined), "secret"));
}

TEST_CASE("a log line cuts long targets and escapes any byte") {
  CHECK(entry_of{"/" + std::string(30'000, 'x')}.line(json).size() < 3'000);
  const entry_of odd{"/\"\\\n\x01"};
  CHECK(odd.target() == odd.request.target);
}

access_log_settings settings_of(access_log_mode mode) {
  access_log_settings made;
  made.mode = mode;
  made.one_in = 10;
  return made;
}

/// The lines of one loop, in a file.
struct lines_bench {
  fixtures::temporary_directory folder;
  std::string file = folder.path("access.log");
  fixtures::deterministic_system actors;
  fixtures::manual_clock clock;
  event_loop loop{actors.system, clock};
  std::shared_ptr<access_log> log = std::make_shared<access_log>();
  std::unique_ptr<access_lines> lines;

  explicit lines_bench(access_log_settings settings) {
    settings.file = file;
    log->use(*access_log::open(settings));
    lines = std::make_unique<access_lines>(log, settings, loop, clock);
  }
  void add(int count) {
    const entry_of one{"/x"};
    for (int i = 0; i < count; ++i)
      if (lines->wants(200)) lines->add(one.entry);
  }
  /// What the file has once everything is written.
  std::string written() {
    lines.reset();
    log.reset();
    return fixtures::read_whole(file);
  }
};

TEST_CASE("log lines are written when many wait, after a while, and at the end") {
  lines_bench on{settings_of(access_log_mode::all)};
  on.add(1);
  CHECK(std::filesystem::file_size(on.file) == 0);
  on.clock.advance(access_lines::hand_on_interval + timer_queue::tick);
  on.loop.post([] {});
  on.loop.run_once();
  REQUIRE(e2e::eventually([&] { return std::filesystem::file_size(on.file) > 0; }));
  const auto one = std::filesystem::file_size(on.file);
  on.add(static_cast<int>(access_lines::hand_on_bytes / one) + 1);
  REQUIRE(e2e::eventually([&] { return std::filesystem::file_size(on.file) > one; }));
  on.add(1);
  const auto text = on.written();
  CHECK(std::ranges::count(text, '\n') ==
        static_cast<std::ptrdiff_t>(access_lines::hand_on_bytes / one) + 3);
}

TEST_CASE("modes choose requests by status and number") {
  const auto chosen = [](access_log_mode mode) {
    lines_bench on{settings_of(mode)};
    int count = 0;
    for (int i = 0; i < 100; ++i)
      count += on.lines->wants(200) ? 1 : 0;
    for (const int status : {400, 404, 503})
      count += on.lines->wants(status) ? 100 : 0;
    return count;
  };
  CHECK(chosen(access_log_mode::all) == 400);
  CHECK(chosen(access_log_mode::sampled) == 310);
  CHECK(chosen(access_log_mode::errors) == 300);
}

TEST_CASE("a file is appended to, opened again, and only for owner and group") {
  lines_bench on{settings_of(access_log_mode::all)};
  CHECK((std::filesystem::status(on.file).permissions() & std::filesystem::perms::others_all) ==
        std::filesystem::perms::none);
  on.add(1);
  on.lines.reset();
  const auto old = on.folder.path("old.log");
  REQUIRE(e2e::eventually([&] { return std::filesystem::file_size(on.file) > 0; }));
  std::filesystem::rename(on.file, old);
  auto settings = settings_of(access_log_mode::all);
  settings.file = on.file;
  on.log->use(*access_log::open(settings));
  on.lines = std::make_unique<access_lines>(on.log, settings, on.loop, on.clock);
  on.add(2);
  const auto text = on.written();
  CHECK(std::ranges::count(text, '\n') == 2);
  CHECK(std::ranges::count(fixtures::read_whole(old), '\n') == 1);
}

TEST_CASE("an access log that cannot be opened is refused") {
  const fixtures::temporary_directory folder;
  auto settings = settings_of(access_log_mode::all);
  settings.file = folder.path("no/such.log");
  const auto refused = access_log::open(settings);
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().detail, "no/such.log cannot be opened: No such file"));
  settings.mode = access_log_mode::off;
  const auto nothing = access_log::open(settings);
  REQUIRE(nothing);
  CHECK_FALSE(*nothing);
}

} // namespace
} // namespace matchcloud::http
