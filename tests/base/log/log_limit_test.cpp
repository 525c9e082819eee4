#include "base/log/log_limit.hpp"

#include "base/log/log_format.hpp"
#include "tests/catch.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace matchcloud::base {
namespace {

class test_clock final : public clock {
public:
  steady_time now() const noexcept override { return now_; }
  std::int64_t unix_ms() const noexcept override { return 0; }
  void advance(std::chrono::milliseconds by) { now_ += by; }

private:
  steady_time now_{};
};

constexpr auto failed = log_event::operation_failed;

std::string failure_of(std::uint64_t request) {
  return "ops: request 0a1b-" + std::to_string(request) + ": store_failed: /data: no disk";
}

TEST_CASE("lines of an event are bounded, and the rest is counted") {
  test_clock clock;
  log_limit limit{clock};
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < 6'303; ++i)
    if (limit.admit(failed, log_level::error, failure_of(i))) ++written;
  CHECK(written == log_lines_limit);
  CHECK_FALSE(limit.admit(failed, log_level::critical, "of other words"));
  CHECK(limit.admit(log_event::store_lost, log_level::error, failure_of(1))); // of another event
  CHECK(limit.take_over().empty());
  clock.advance(log_window);
  const auto left = limit.take_over();
  REQUIRE(left.size() == 1);
  CHECK(left[0].event == failed);
  CHECK(left[0].level == log_level::critical);
  CHECK(left[0].count == 6'284);
  CHECK(describe(left[0]) == "6284 more lines of http.operation-failed within 10 s, such as: " +
                                 failure_of(log_lines_limit));
  CHECK(limit.take_over().empty());
  CHECK(limit.admit(failed, log_level::error, failure_of(1)));
}

TEST_CASE("a window begins with its first line, whatever other events do") {
  test_clock clock;
  log_limit limit{clock};
  CHECK(limit.admit(failed, log_level::error, "one"));
  clock.advance(log_window / 2);
  for (std::uint32_t i = 0; i <= log_lines_limit; ++i)
    limit.admit(log_event::store_lost, log_level::error, "two");
  clock.advance(log_window / 2);
  CHECK(limit.take_over().empty()); // the second one is not over
  clock.advance(log_window / 2);
  REQUIRE(limit.take_over().size() == 1);
}

/// A logger of bounded lines to `out`.
struct bounded_log {
  std::ostringstream out;
  std::shared_ptr<bounded_sink> sink;
  spdlog::logger log;

  explicit bounded_log(const clock& by)
      : sink{std::make_shared<bounded_sink>(std::make_shared<spdlog::sinks::ostream_sink_mt>(out),
                                            by)},
        log{"test", sink} {}
  void say(log_event event, const std::string& text) {
    log.log(source_of(event), spdlog_level(row_of(event).level), text);
  }
};

TEST_CASE("a sink sums up what it left out with the next line or flush") {
  test_clock clock;
  bounded_log on{clock};
  on.log.set_pattern("%l %v");
  for (std::uint64_t i = 0; i < log_lines_limit + 5; ++i)
    on.say(failed, "failed " + std::to_string(i));
  on.log.flush();
  CHECK(on.out.str().find("more lines") == std::string::npos);
  clock.advance(log_window);
  on.log.flush();
  CHECK(on.out.str().ends_with(
      "error 5 more lines of http.operation-failed within 10 s, such as: failed 20\n"));
  // At the end no window is waited for.
  for (std::uint64_t i = 0; i < log_lines_limit + 3; ++i)
    on.say(failed, "ended " + std::to_string(i));
  on.sink->finish();
  CHECK(on.out.str().ends_with(
      "error 3 more lines of http.operation-failed within 10 s, such as: ended 20\n"));
}

TEST_CASE("in JSON, the line that stands for others has their number") {
  test_clock clock;
  bounded_log on{clock};
  on.sink->set_formatter(
      make_log_formatter(std::make_shared<std::atomic<log_format>>(log_format::json)));
  for (std::uint64_t i = 0; i < log_lines_limit + 5; ++i)
    on.say(failed, "failed");
  CHECK(on.out.str().find("left_out") == std::string::npos);
  on.sink->finish();
  CHECK(on.out.str().ends_with(
      R"("level":"error","subject":"http","event":"http.operation-failed","left_out":5,)"
      R"("message":"5 more lines of http.operation-failed within 10 s, such as: failed"})"
      "\n"));
}

TEST_CASE("lines that spdlog gets from elsewhere are bounded as an event of their own") {
  test_clock clock;
  bounded_log on{clock};
  on.log.set_pattern("%v");
  for (std::uint64_t i = 0; i < log_lines_limit + 5; ++i)
    on.log.info("a library");
  on.say(failed, "failed");
  on.sink->finish();
  CHECK(on.out.str().ends_with("a library\nfailed\n5 more lines of service.other within 10 s, "
                               "such as: a library\n"));
}

} // namespace
} // namespace matchcloud::base
