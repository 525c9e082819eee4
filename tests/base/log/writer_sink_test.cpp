#include "base/log/writer_sink.hpp"

#include "base/log/log_format.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/stalled_pipe.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::base {
namespace {

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

} // namespace
} // namespace matchcloud::base
