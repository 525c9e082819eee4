#include "base/events/log.hpp"

#include "base/events/log_source.hpp"

#include <spdlog/spdlog.h>

#include <exception>

namespace matchcloud::base {

namespace detail {

void write_line(log_event event, log_level level, fmt::string_view text,
                fmt::format_args arguments) noexcept {
  try {
    const auto line = fmt::vformat(text, arguments);
    spdlog::default_logger_raw()->log(source_of(event), spdlog_level(level),
                                      spdlog::string_view_t{line});
  } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): out of memory: no line
  }
}

} // namespace detail

void flush_log() noexcept {
  spdlog::default_logger_raw()->flush();
}

} // namespace matchcloud::base
