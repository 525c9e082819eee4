#include "base/log/log_format.hpp"

#include "base/characters.hpp"
#include "base/events/about_request.hpp"
#include "base/events/log_source.hpp"
#include "base/log/line_writer.hpp"

#include <spdlog/pattern_formatter.h>

#include <utility>

namespace matchcloud::base {

namespace {

constexpr std::string_view cut_mark = " ..";

/// Appends the first character of `text` as JSON. Returns its length in `text` in bytes.
std::size_t append_character(std::string& out, std::string_view text) {
  const auto length = decode_utf8(text).bytes;
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
        text_{"[%Y-%m-%dT%H:%M:%S.%eZ] [%n] [%^%l%$] %v", spdlog::pattern_time_type::utc},
        json_begin_{R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",)",
                    spdlog::pattern_time_type::utc, ""} {}

  void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& to) override {
    // A summary of other lines may be written while this thread works for an unrelated request.
    const auto about = line.source.funcname == nullptr ? about_request::current() : request_marks{};
    if (!in_force_ || in_force_->load(std::memory_order_relaxed) == log_format::text)
      return format_text(line, about, to);
    line.color_range_start = 0;
    line.color_range_end = 0;
    const auto& event = row_of(event_of(line));
    spdlog::memory_buf_t begin;
    json_begin_.format(line, begin);
    auto made = fmt::format(R"({}"subject":"{}","event":"{}",)",
                            std::string_view{begin.data(), begin.size()}, name_of(event.subject),
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
  spdlog::pattern_formatter json_begin_;
};

} // namespace

std::unique_ptr<spdlog::formatter> make_log_formatter(shared_log_format in_force) {
  return std::make_unique<log_formatter>(std::move(in_force));
}

void append_json_text(std::string& out, std::string_view text) {
  append_json_text(out, text, std::string::npos);
}

} // namespace matchcloud::base
