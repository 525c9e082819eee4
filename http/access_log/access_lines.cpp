#include "http/access_log/access_lines.hpp"

#include "base/log/log_format.hpp"
#include "model/access/token_text.hpp"
#include "model/text/trace_context.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <iterator>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::size_t target_limit_bytes = 2'048;
constexpr int first_error_status = 400;
/// A line of usual length, twice.
constexpr std::size_t line_room_bytes = 1'024;

template <class Number>
void append_number(std::string& to, Number number) {
  std::array<char, 24> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

bool is_plain(std::string_view text) noexcept {
  for (const unsigned char c : text)
    if (c < 0x20U || c >= 0x7fU || c == '"' || c == '\\') return false;
  return true;
}

void append_in_json(std::string& to, std::string_view text) {
  if (is_plain(text))
    to += text;
  else
    base::append_json_text(to, text);
}

/// Appends the text as Apache's httpd writes it.
void append_in_combined(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += text;
    return;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\')
      (to += '\\') += static_cast<char>(c);
    else if (c < 0x20U || c >= 0x7fU)
      ((to += "\\x") += digits[c >> 4U]) += digits[c & 15U];
    else
      to += static_cast<char>(c);
  }
}

/// Appends the points as a member of JSON.
void append_faults(std::string& to, base::fault_point_set points) {
  const char* between = R"(,"faults":[")";
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    if ((points & base::bit_of(static_cast<base::fault_point>(i))) == 0) continue;
    (to += between) += base::fault_points[i].name;
    between = R"(",")";
  }
  to += R"("])";
}

/// The part of the target that a line shows: nothing secret, and not too much.
std::string_view shown_target(const access_entry& entry, std::string& room) {
  const auto& request = *entry.request;
  auto shown = entry.hides_query ? request.path() : std::string_view{request.target};
  shown = shown.substr(0, target_limit_bytes);
  if (!model::has_token(shown)) return shown;
  room = model::redact_tokens(std::string{shown});
  return room;
}

std::string second_text(access_log_format format, std::int64_t second) {
  const std::time_t at = second;
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  std::array<char, 64> text;
  const auto length =
      std::strftime(text.data(), text.size(),
                    format == access_log_format::json ? R"({"ts":"%Y-%m-%dT%H:%M:%S.)"
                                                      : "[%d/%b/%Y:%H:%M:%S +0000] \"",
                    &parts);
  return {text.data(), length};
}

} // namespace

void access_line_maker::append(std::string& to, const access_entry& entry, std::int64_t unix_ms) {
  if (const auto second = unix_ms / 1'000; second != second_) {
    second_ = second;
    second_text_ = second_text(format_, second);
  }
  if (format_ == access_log_format::json)
    append_json(to, entry, unix_ms);
  else
    append_combined(to, entry);
}

void access_line_maker::append_json(std::string& to, const access_entry& entry,
                                    std::int64_t unix_ms) {
  const auto& request = *entry.request;
  std::string room;
  const auto ms = static_cast<int>(unix_ms % 1'000);
  to += second_text_;
  for (const int digit : {ms / 100, ms / 10 % 10, ms % 10})
    to += static_cast<char>('0' + digit);
  to += R"(Z","request_id":")";
  append_in_json(to, request.id);
  if (const auto id = trace_id_of(request); !id.empty()) (to += R"(","trace_id":")") += id;
  to += R"(","client":")";
  to += to_string(entry.client);
  to += R"(","method":")";
  append_in_json(to, request.method_token);
  to += R"(","target":")";
  append_in_json(to, shown_target(entry, room));
  to += R"(","status":)";
  append_number(to, entry.status);
  to += R"(,"bytes":)";
  append_number(to, entry.bytes);
  to += R"(,"duration_us":)";
  append_number(to, entry.duration.count() / 1'000);
  to += R"(,"plane":")";
  to += entry.plane;
  to += R"(","operation":")";
  to += entry.operation;
  if (entry.token_id != model::uuid{}) {
    to += R"(","token_id":")";
    to += to_string(entry.token_id);
  }
  to += '"';
  if (entry.faults != 0) append_faults(to, entry.faults);
  to += '}';
}

void access_line_maker::append_combined(std::string& to, const access_entry& entry) {
  const auto& request = *entry.request;
  std::string room;
  to += to_string(entry.client);
  to += " - ";
  to += entry.token_id == model::uuid{} ? "-" : to_string(entry.token_id);
  to += ' ';
  to += second_text_;
  append_in_combined(to, request.method_token);
  to += ' ';
  append_in_combined(to, shown_target(entry, room));
  to += request.http_1_0 ? R"( HTTP/1.0" )" : R"( HTTP/1.1" )";
  append_number(to, entry.status);
  to += ' ';
  append_number(to, entry.bytes);
  // Requests do not keep Referer and User-Agent.
  to += R"( "-" "-")";
}

access_lines::access_lines(std::shared_ptr<access_log> to, const access_log_settings& settings,
                           event_loop& loop, const base::clock& clock)
    : to_{std::move(to)},
      mode_{settings.mode},
      one_in_{settings.one_in},
      loop_{&loop},
      clock_{&clock},
      maker_{settings.format} {
  text_.reserve(hand_on_bytes + line_room_bytes);
}

bool access_lines::wants(int status) noexcept {
  if (mode_ == access_log_mode::all || status >= first_error_status) return true;
  if (mode_ != access_log_mode::sampled) return false;
  if (until_sample_-- > 0) return false;
  until_sample_ = one_in_ - 1;
  return true;
}

void access_lines::add(const access_entry& entry) {
  if (lines_ == 0) loop_->timers().arm(*this, loop_->now() + hand_on_interval);
  maker_.append(text_, entry, clock_->unix_ms());
  text_ += '\n';
  ++lines_;
  if (text_.size() >= hand_on_bytes) hand_on();
}

void access_lines::hand_on() {
  if (lines_ == 0) return;
  to_->write(text_, std::exchange(lines_, 0));
  text_.clear();
}

} // namespace matchcloud::http
