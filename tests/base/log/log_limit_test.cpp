#include "base/log/log_limit.hpp"

#include "base/log/bounded_sink.hpp"
#include "tests/catch.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace matchcloud::base {
namespace {

using namespace std::chrono_literals;

class test_clock final : public clock {
public:
  steady_time now() const noexcept override { return now_; }
  std::int64_t unix_ms() const noexcept override { return 0; }
  void advance(std::chrono::milliseconds by) { now_ += by; }

private:
  steady_time now_{};
};

std::string failure_of(int request) {
  return "ops: request 0a1b-" + std::to_string(request) + ": store_failed: /data: no disk";
}

TEST_CASE("lines that differ in ids and numbers are bounded, and the rest is counted") {
  test_clock clock;
  log_limit limit{clock};
  std::uint64_t written = 0;
  for (int i = 0; i < 6'303; ++i)
    if (limit.admit(4, failure_of(i))) ++written;
  CHECK(written == log_lines_limit);
  CHECK(limit.admit(4, "ops: something else"));
  CHECK(limit.admit(3, failure_of(1))); // of another level
  CHECK(limit.take_over().empty());
  clock.advance(log_window);
  const auto left = limit.take_over();
  REQUIRE(left.size() == 1);
  CHECK(left[0].level == 4);
  CHECK(describe(left[0]) ==
        "6283 more lines like this within 10 s: " + failure_of(log_lines_limit));
  CHECK(limit.take_over().empty());
  CHECK(limit.admit(4, failure_of(1)));
}

TEST_CASE("kinds beyond their limit share one bound") {
  test_clock clock;
  log_limit limit{clock};
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < 10 * log_kinds_limit; ++i) {
    std::string line = "id ";
    for (auto rest = i + 1; rest > 0; rest /= 26)
      line += static_cast<char>('a' + rest % 26);
    if (limit.admit(4, line)) ++written;
  }
  CHECK(written == log_kinds_limit + log_lines_limit);
}

TEST_CASE("a sink sums up what it left out with the next line or flush") {
  test_clock clock;
  std::ostringstream out;
  const auto bounded =
      std::make_shared<bounded_sink>(std::make_shared<spdlog::sinks::ostream_sink_mt>(out), clock);
  spdlog::logger log{"test", bounded};
  log.set_pattern("%l %v");
  for (std::uint64_t i = 0; i < log_lines_limit + 5; ++i)
    log.error("failed {}", i);
  log.flush();
  CHECK(out.str().find("more lines") == std::string::npos);
  clock.advance(log_window);
  log.flush();
  CHECK(out.str().ends_with("error 5 more lines like this within 10 s: failed 20\n"));
  // At the end no window is waited for.
  for (std::uint64_t i = 0; i < log_lines_limit + 3; ++i)
    log.error("ended {}", i);
  bounded->finish();
  CHECK(out.str().ends_with("error 3 more lines like this within 10 s: ended 20\n"));
}

} // namespace
} // namespace matchcloud::base
