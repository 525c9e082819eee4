#pragma once

#include "base/events/log_event.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

/// How everything is logged: `base::log(base::log_event::store_lost, "the database {}", path)`.
/// Lines go to spdlog's default logger (`base/log` has where from there). Any thread.
namespace matchcloud::base {

namespace detail {

/// Logs a line that the levels let through. An exception of formatting is not passed on.
void write_line(log_event event, log_level level, fmt::string_view text,
                fmt::format_args arguments) noexcept;

} // namespace detail

/// Logs a line of an event, at a level of its own.
template <class... Arguments>
void log_at(log_level level, log_event event, fmt::format_string<Arguments...> text,
            Arguments&&... arguments) {
  if (is_logged(event, level))
    detail::write_line(event, level, text, fmt::make_format_args(arguments...));
}

/// Logs a line of an event, at the event's level.
template <class... Arguments>
void log(log_event event, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  log_at(row_of(event).level, event, text, std::forward<Arguments>(arguments)...);
}

/// Waits until the lines so far are with their sinks, as far as these can wait.
void flush_log() noexcept;

} // namespace matchcloud::base
