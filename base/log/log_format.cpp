#include "base/log/log_format.hpp"

#include "base/events/about_request.hpp"
#include "base/events/log_source.hpp"
#include "base/log/line_writer.hpp"

#include <spdlog/pattern_formatter.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

namespace matchcloud::base {

namespace {

constexpr std::string_view cut_mark = " ..";

/// `2026-11-25T00:00:00.000Z`
std::string time_text(spdlog::log_clock::time_point at) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::time_t second = since / 1'000;
  std::tm parts{};
  ::gmtime_r(&second, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1'900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     since % 1'000);
}

/// The length of the first character of `text`; 0 if that is not UTF-8 (RFC 3629 section 4).
std::size_t character_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto first = byte(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xc2U && first < 0xe0U   ? 2
                             : first >= 0xe0U && first < 0xf0U ? 3
                             : first >= 0xf0U && first < 0xf5U ? 4
                                                               : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  const auto second = byte(1);
  const bool is_wrong = (first == 0xe0U && second < 0xa0U) || (first == 0xedU && second > 0x9fU) ||
                        (first == 0xf0U && second < 0x90U) || (first == 0xf4U && second > 0x8fU);
  return is_wrong ? 0 : length;
}

/// Appends the first character of `text` as JSON. Returns its length in `text` in bytes.
std::size_t append_character(std::string& out, std::string_view text) {
  const auto length = character_length(text);
  if (length == 0) {
    out += "\\ufffd";
    return 1;
  }
  const auto first = static_cast<unsigned char>(text.front());
  if (first == '"' || first == '\\')
    (out += '\\') += text.front();
  else if (first == '\n')
    out += "\\n";
  else if (first < 0x20U || first == 0x7fU)
    out += fmt::format("\\u{:04x}", first);
  else
    out += text.substr(0, length);
  return length;
}

/// Appends `text` as JSON until `out` has `most_bytes`, then cuts it with `cut_mark`.
void append_json_text(std::string& out, std::string_view text, std::size_t most_bytes) {
  while (!text.empty()) {
    const auto before = out.size();
    text.remove_prefix(append_character(out, text));
    if (out.size() <= most_bytes) continue;
    out.resize(before);
    out += cut_mark;
    return;
  }
}

class log_formatter final : public spdlog::formatter {
public:
  explicit log_formatter(shared_log_format in_force)
      : in_force_{std::move(in_force)},
        text_{"[%Y-%m-%dT%H:%M:%S.%eZ] [%n] [%^%l%$] %v", spdlog::pattern_time_type::utc} {}

  void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& to) override {
    // A summary of other lines may be written while this thread works for an unrelated request.
    const auto about = line.source.funcname == nullptr ? about_request::current() : request_marks{};
    if (!in_force_ || in_force_->load(std::memory_order_relaxed) == log_format::text)
      return format_text(line, about, to);
    line.color_range_start = 0;
    line.color_range_end = 0;
    const auto& event = row_of(event_of(line));
    auto made = fmt::format(R"({{"ts":"{}","level":"{}","subject":"{}","event":"{}",)",
                            time_text(line.time), name_of(level_of(line)), name_of(event.subject),
                            event.name);
    if (line.source.funcname != nullptr)
      made += fmt::format(R"("left_out":{},)", line.source.funcname);
    if (!about.request_id.empty()) made += fmt::format(R"("request_id":"{}",)", about.request_id);
    if (!about.trace_parent.empty()) made += fmt::format(R"("trace_id":"{}",)", about.trace_id());
    made += R"("message":")";
    constexpr std::string_view end = "\"}\n";
    append_json_text(made, {line.payload.data(), line.payload.size()},
                     log_line_limit_bytes - cut_mark.size() - end.size());
    made += end;
    to.append(made.data(), made.data() + made.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<log_formatter>(in_force_);
  }

private:
  void format_text(const spdlog::details::log_msg& line, const request_marks& about,
                   spdlog::memory_buf_t& to) {
    text_.format(line, to);
    if (about.request_id.empty()) return;
    to.resize(to.size() - 1); // the end of the line
    auto more = fmt::format(" (request {}", about.request_id);
    if (!about.trace_parent.empty()) more += fmt::format(", trace {}", about.trace_id());
    more += ")\n";
    to.append(more.data(), more.data() + more.size());
  }

  shared_log_format in_force_;
  spdlog::pattern_formatter text_;
};

} // namespace

std::unique_ptr<spdlog::formatter> make_log_formatter(shared_log_format in_force) {
  return std::make_unique<log_formatter>(std::move(in_force));
}

void append_json_text(std::string& out, std::string_view text) {
  append_json_text(out, text, std::string::npos);
}

} // namespace matchcloud::base
