#pragma once

#include <spdlog/formatter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// How the lines of the log look.
enum class log_format : std::uint8_t {
  /// Its time in UTC as RFC 3339 has it, name, level, text, and the request that it is about.
  text,
  /// One JSON object a line: `ts`, `level`, `subject`, `event`, `message`, `left_out` where the
  /// line stands for others, `request_id` and `trace_id` where it is about a request.
  json,
};

/// The format of a log, which may change while lines are written. Any thread.
using shared_log_format = std::shared_ptr<std::atomic<log_format>>;

/// Makes lines of the format that is in force when they are made. No JSON line is longer than
/// `log_line_limit_bytes`: its message is cut.
std::unique_ptr<spdlog::formatter> make_log_formatter(shared_log_format in_force = nullptr);

/// Appends `text` as a JSON string, without quotes. What is not UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

} // namespace matchcloud::base
