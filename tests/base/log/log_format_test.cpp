#include "base/log/log_format.hpp"

#include "base/events/about_request.hpp"
#include "base/events/log_source.hpp"
#include "base/log/line_writer.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <functional>
#include <string>
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

} // namespace
} // namespace matchcloud::base
