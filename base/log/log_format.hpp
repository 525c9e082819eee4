#pragma once

#include <spdlog/formatter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::base {

/// The format of log lines.
enum class log_format : std::uint8_t {
  /// The UTC time (RFC 3339), the name, the level, the text, and the request that it is about.
  text,
  /// One JSON object per line: `ts`, `level`, `subject`, `event`, `message`; `left_out` if the line
  /// stands for others; `request_id` and `trace_id` if it is about a request.
  json,
};

/// The format of a log, which may change while lines are written. Any thread.
using shared_log_format = std::shared_ptr<std::atomic<log_format>>;

/// Formats each line as `in_force` says at that moment. No JSON line is longer than
/// `log_line_limit_bytes`: its message is cut.
std::unique_ptr<spdlog::formatter> make_log_formatter(shared_log_format in_force = nullptr);

/// Appends `text` as a JSON string, without quotes. Invalid UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

} // namespace matchcloud::base
