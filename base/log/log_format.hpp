#pragma once

#include <spdlog/pattern_formatter.h>

#include <memory>

namespace matchcloud::base {

/// How a line of the log looks: its time in UTC as RFC 3339 has it, name, level, text.
inline std::unique_ptr<spdlog::formatter> make_log_formatter() {
  return std::make_unique<spdlog::pattern_formatter>("[%Y-%m-%dT%H:%M:%S.%eZ] [%n] [%^%l%$] %v",
                                                     spdlog::pattern_time_type::utc);
}

} // namespace matchcloud::base
