#pragma once

#include "base/events/log_event.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

/// All logging goes through here: `base::log(base::log_event::store_lost, "the database {}",
/// path)`. Lines go to spdlog's default logger, and from there as `base/log` decides. Any thread.
namespace matchcloud::base {

namespace detail {

/// Logs a line whose level has been checked. Swallows exceptions from formatting.
void write_line(log_event event, log_level level, fmt::string_view text,
                fmt::format_args arguments) noexcept;

} // namespace detail

/// Logs a line for an event at `level` instead of the event's level.
template <class... Arguments>
void log_at(log_level level, log_event event, fmt::format_string<Arguments...> text,
            Arguments&&... arguments) {
  if (is_logged(event, level))
    detail::write_line(event, level, text, fmt::make_format_args(arguments...));
}

/// Logs a line for an event at the event's level.
template <class... Arguments>
void log(log_event event, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  log_at(row_of(event).level, event, text, std::forward<Arguments>(arguments)...);
}

/// Flushes the lines logged so far, if their sinks can wait for that.
void flush_log() noexcept;

} // namespace matchcloud::base
