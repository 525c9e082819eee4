#include "base/log/log_format.hpp"

#include "base/events/about_request.hpp"
#include "base/events/log.hpp"
#include "base/events/log_source.hpp"
#include "base/log/line_writer.hpp"
#include "base/log/writer_sink.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/stalled_pipe.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <spdlog/logger.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <string_view>
#include <thread>

namespace matchcloud::base {
namespace {

std::string json_line(log_event event, std::string_view text) {
  spdlog::details::log_msg line{source_of(event), "matchcloud", spdlog_level(row_of(event).level),
                                spdlog::string_view_t{text.data(), text.size()}};
  line.time = spdlog::log_clock::from_time_t(951'827'696) + std::chrono::milliseconds{7};
  spdlog::memory_buf_t made;
  make_log_formatter(std::make_shared<std::atomic<log_format>>(log_format::json))
      ->format(line, made);
  return {made.data(), made.size()};
}

std::string text_line(std::string_view text) {
  const spdlog::details::log_msg line{source_of(log_event::store_lost), "matchcloud",
                                      spdlog::level::err,
                                      spdlog::string_view_t{text.data(), text.size()}};
  spdlog::memory_buf_t made;
  make_log_formatter()->format(line, made);
  return {made.data(), made.size()};
}

TEST_CASE("a line in JSON has time, level, subject, event and message") {
  CHECK(json_line(log_event::store_lost, "gone") ==
        R"({"ts":"2000-02-29T12:34:56.007Z","level":"error","subject":"store",)"
        R"("event":"store.lost","message":"gone"})"
        "\n");
}

TEST_CASE("a line names the request that its thread works for") {
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  {
    const about_request about{{"id-7", parent}};
    const auto line = e2e::parse_json(json_line(log_event::store_lost, "gone"));
    CHECK(e2e::text_at(line, "request_id") == "id-7");
    CHECK(e2e::text_at(line, "trace_id") == parent.substr(3, 32));
    CHECK(text_line("gone").ends_with(
        "] gone (request id-7, trace 0af7651916cd43dd8448eb211c80319c)\n"));
    {
      const about_request without_trace{{"id-8", {}}};
      CHECK(text_line("gone").ends_with("] gone (request id-8)\n"));
    }
    const about_request nothing{{}};
    CHECK(text_line("gone").find("id-7") != std::string::npos);
  }
  CHECK(text_line("gone").ends_with("] gone\n"));
  std::string elsewhere;
  std::function<void()> work;
  {
    const about_request about{{"id-9", {}}};
    work = for_this_request([&] { elsewhere = text_line("gone"); });
  }
  std::thread{work}.join();
  CHECK(elsewhere.ends_with("(request id-9)\n"));
}

TEST_CASE("any text is a JSON string") {
  const auto odd =
      "quote \" slash \\ line\nbell \x07 umlaut \u00e4 nothing " + std::string(1, '\0');
  const auto line = json_line(log_event::store_lost, odd);
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(e2e::text_at(e2e::parse_json(line), "message") == odd);
}

TEST_CASE("what is not UTF-8 is replaced") {
  for (const std::string_view wrong :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    const auto line = json_line(log_event::store_lost, "a" + std::string{wrong} + "b");
    const auto text = e2e::text_at(e2e::parse_json(line), "message");
    CHECK(text.starts_with("a\ufffd"));
    CHECK(text.ends_with("b"));
  }
}

TEST_CASE("long messages are cut so that the line stays an object") {
  for (const std::string_view piece : {"x", "\u00e4", "\n", "\x01"}) {
    std::string text;
    while (text.size() < 2 * log_line_limit_bytes)
      text += piece;
    const auto line = json_line(log_event::store_lost, text);
    CHECK(line.size() <= log_line_limit_bytes);
    CHECK(line.size() > log_line_limit_bytes - 16);
    CHECK(e2e::text_at(e2e::parse_json(line), "message").ends_with(" .."));
  }
}

using fixtures::stalled_pipe;

/// The lines that `logged` leaves, with their times taken out.
std::string lines_of(bool colours, void (*logged)(spdlog::logger&)) {
  stalled_pipe pipe{stalled_pipe::filled::no};
  pipe.read_on();
  {
    const auto writer = std::make_shared<line_writer>(pipe.write_end(),
                                                      [](std::uint64_t) { return std::string{}; });
    spdlog::logger log{"matchcloud",
                       std::make_shared<writer_sink>(writer, make_log_formatter(), colours)};
    logged(log);
    CHECK(writer->wait_written(e2e::patience));
  }
  std::string without;
  const auto text = pipe.finish();
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n') + 1;
    without += rest.substr(rest.find(' ') + 1, end - rest.find(' ') - 1);
    rest.remove_prefix(end);
  }
  return without;
}

void log_some(spdlog::logger& log) {
  log.info("one");
  log.warn("two {}", 2);
}

TEST_CASE("a line of the log has its name, level and text") {
  CHECK(lines_of(false, log_some) == "[matchcloud] [info] one\n[matchcloud] [warning] two 2\n");
}

TEST_CASE("on a terminal the level has a colour") {
  CHECK(lines_of(true, log_some) == "[matchcloud] [\033[32minfo\033[m] one\n"
                                    "[matchcloud] [\033[33m\033[1mwarning\033[m] two 2\n");
}

TEST_CASE("the time of a line is UTC, as RFC 3339 writes it") {
  spdlog::details::log_msg line{"matchcloud", spdlog::level::info, "text"};
  line.time = spdlog::log_clock::from_time_t(951'827'696) + std::chrono::milliseconds{7};
  CHECK(writer_sink::render(line, *make_log_formatter(), false) ==
        "[2000-02-29T12:34:56.007Z] [matchcloud] [info] text\n");
}

/// While it lives, what is logged goes here, and the levels are those of the test.
class kept_lines {
public:
  kept_lines() {
    auto log = std::make_shared<spdlog::logger>("", seen_);
    log->set_level(spdlog::level::trace);
    log->set_pattern("%s %l %v");
    spdlog::set_default_logger(std::move(log));
  }
  kept_lines(const kept_lines&) = delete;
  kept_lines& operator=(const kept_lines&) = delete;
  ~kept_lines() {
    spdlog::set_default_logger(usual_);
    configure_log_levels(log_levels_of(log_level::info));
  }
  std::vector<std::string> lines() const { return seen_->last_formatted(); }

private:
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> seen_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(16);
  std::shared_ptr<spdlog::logger> usual_ = spdlog::default_logger();
};

TEST_CASE("events have names of their own, of two words with a dot between") {
  std::set<std::string_view> names;
  for (const auto& each : log_events) {
    INFO(each.name);
    CHECK(names.insert(each.name).second);
    CHECK(std::ranges::count(each.name, '.') == 1);
    CHECK(std::ranges::all_of(
        each.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '.'; }));
    CHECK(each.what.ends_with('.'));
    CHECK(&row_of(each.id) == &each);
  }
}

TEST_CASE("a line carries its event, its level and its words") {
  const kept_lines kept;
  log(log_event::store_lost, "the database {}", 7);
  log_at(log_level::warning, log_event::store_notice, "a notice");
  CHECK(kept.lines() == std::vector<std::string>{"store.lost error the database 7\n",
                                                 "store.notice warning a notice\n"});
}

TEST_CASE("each subject has a level of its own, which a reload sets again") {
  const kept_lines kept;
  auto levels = log_levels_of(log_level::warning);
  levels[log_subject::store] = log_level::debug;
  configure_log_levels(levels);
  CHECK(is_logged(log_event::store_notice, log_level::debug));
  CHECK_FALSE(is_logged(log_event::catalog_loaded, log_level::info));
  CHECK(is_logged(log_event::catalog_failed, log_level::error));
  log(log_event::catalog_loaded, "not logged");
  CHECK(kept.lines().empty());
  change_log_levels(log_levels_of(log_level::error));
  CHECK(configured_log_levels() == levels);
  CHECK_FALSE(is_logged(log_event::store_notice, log_level::warning));
  configure_log_levels(levels);
  CHECK(log_levels_in_force() == levels);
}

TEST_CASE("names of levels and subjects are found, and no others") {
  CHECK(find_log_level("warning") == log_level::warning);
  CHECK_FALSE(find_log_level("warn"));
  CHECK(find_log_subject("geoip") == log_subject::geoip);
  CHECK_FALSE(find_log_subject(""));
}

} // namespace
} // namespace matchcloud::base
