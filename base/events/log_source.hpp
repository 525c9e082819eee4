#pragma once

#include "base/events/log_event.hpp"

#include <spdlog/common.h>
#include <spdlog/details/log_msg.h>

/// A line carries its event through spdlog in the source file's place.
namespace matchcloud::base {

/// `left_out`: the number of lines it stands for, as digits; null for an ordinary line.
constexpr spdlog::source_loc source_of(log_event event, const char* left_out = nullptr) noexcept {
  return {row_of(event).name.data(), static_cast<int>(event) + 1, left_out};
}

/// Lines that were not made by `base::log` are `unstructured`.
inline log_event event_of(const spdlog::details::log_msg& line) noexcept {
  const auto number = static_cast<std::size_t>(line.source.line);
  if (line.source.line < 1 || number > log_events.size()) return log_event::unstructured;
  if (line.source.filename != log_events[number - 1].name.data()) return log_event::unstructured;
  return log_events[number - 1].id;
}

constexpr spdlog::level::level_enum spdlog_level(log_level level) noexcept {
  switch (level) {
  case log_level::debug: return spdlog::level::debug;
  case log_level::info: return spdlog::level::info;
  case log_level::warning: return spdlog::level::warn;
  case log_level::error: return spdlog::level::err;
  case log_level::critical: return spdlog::level::critical;
  }
  return spdlog::level::info;
}

/// Maps spdlog's level to ours.
constexpr log_level level_of(const spdlog::details::log_msg& line) noexcept {
  switch (line.level) {
  case spdlog::level::trace:
  case spdlog::level::debug: return log_level::debug;
  case spdlog::level::warn: return log_level::warning;
  case spdlog::level::err: return log_level::error;
  case spdlog::level::critical: return log_level::critical;
  default: return log_level::info;
  }
}

} // namespace matchcloud::base
