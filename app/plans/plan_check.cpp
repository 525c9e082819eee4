#include "app/plans/plan_check.hpp"

#include "app/faults/rule_options.hpp"
#include "base/decimal.hpp"
#include "model/text/counts.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

enum class measure : std::uint8_t { time, count };

struct metric_row {
  std::string_view name;
  measure kind;
  /// Whether it is known for each second.
  bool by_second;
  bool of_load;
};

constexpr std::array metrics{
    metric_row{"p50", measure::time, true, true},
    metric_row{"p90", measure::time, false, true},
    metric_row{"p99", measure::time, true, true},
    metric_row{"p99.9", measure::time, false, true},
    metric_row{"p99.99", measure::time, false, true},
    metric_row{"max", measure::time, true, true},
    metric_row{"mean", measure::time, false, true},
    metric_row{"sent", measure::count, true, true},
    metric_row{"answered", measure::count, true, true},
    metric_row{"errors", measure::count, true, true},
    metric_row{"errors_not_retryable", measure::count, false, true},
    metric_row{"unavailable", measure::count, false, true},
    metric_row{"connect", measure::count, false, true},
    metric_row{"reset", measure::count, false, true},
    metric_row{"closed", measure::count, false, true},
    metric_row{"timeout", measure::count, false, true},
    metric_row{"malformed", measure::count, false, true},
    metric_row{"status", measure::count, false, true},
    metric_row{"content", measure::count, false, true},
    metric_row{"status.503", measure::count, false, true}, // any status
    metric_row{"hits", measure::count, false, false},
    metric_row{"restarts", measure::count, false, false},
};

constexpr std::array<std::string_view, 6> comparisons{"<", "<=", "=", "!=", ">=", ">"};

/// How late a load may begin: a second that ends closer than this to the end of a span may lie
/// beyond it.
constexpr milliseconds start_slack{300};

/// `503` of `status.503`; empty if it is no such metric.
std::string_view status_of(std::string_view metric) {
  constexpr std::string_view prefix = "status.";
  if (!metric.starts_with(prefix)) return {};
  const auto status = metric.substr(prefix.size());
  return base::parse_decimal<unsigned>(status) && status.size() == 3 ? status : std::string_view{};
}

const metric_row* find_metric(std::string_view name) {
  const auto row = status_of(name).empty() ? name : "status.503";
  const auto* found = std::ranges::find(metrics, row, &metric_row::name);
  return found == metrics.end() ? nullptr : found;
}

tl::unexpected<base::error> refuse_check(std::string why) {
  return base::fail(base::errc::config_invalid, std::move(why));
}

bool is_operator(char c) {
  return c == '<' || c == '>' || c == '=' || c == '!';
}

/// `p99<10 ms from 5s` as `p99`, `<`, `10`, `ms`, `from`, `5s`.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    const bool is_sign = is_operator(text[at]);
    auto end = at;
    while (end < text.size() && text[end] != ' ' && text[end] != '\t' &&
           is_operator(text[end]) == is_sign)
      ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Reads a check word by word.
class check_reader {
public:
  explicit check_reader(std::string_view text) : words_{words_of(text)} { check_.text = text; }

  base::expected<plan_check> read() {
    if (auto done = read_metric(); !done) return tl::unexpected(done.error());
    while (has_more())
      if (auto done = read_span(); !done) return tl::unexpected(done.error());
    const bool spans = check_.from || check_.until;
    if (spans && !row_->by_second)
      return refuse_check(
          "`" + check_.metric +
          "` is known only for the whole plan. Remove what follows the number, or use "
          "one of p50, p99, max, sent, answered, errors.");
    return check_;
  }

private:
  bool has_more() const noexcept { return next_ < words_.size(); }
  std::string_view peek() const noexcept { return has_more() ? words_[next_] : ""; }
  std::string_view take() noexcept { return has_more() ? words_[next_++] : ""; }

  base::expected<void> read_metric() {
    check_.metric = take();
    row_ = find_metric(check_.metric);
    if (row_ == nullptr) return no_metric();
    const auto sign = take();
    const auto* found = std::ranges::find(comparisons, sign);
    if (found == comparisons.end())
      return refuse_check(plan_excerpt(sign) + " follows `" + check_.metric +
                          "`. Use one of <, <=, =, !=, >=, > and a number.");
    check_.compares_by = static_cast<comparison>(found - comparisons.begin());
    return row_->kind == measure::time ? read_time_value() : read_count_value();
  }

  tl::unexpected<base::error> no_metric() const {
    std::vector<std::string_view> names;
    std::string all;
    for (const auto& each : metrics) {
      names.push_back(each.name);
      all.append(all.empty() ? "" : ", ").append(each.name);
    }
    const auto close = model::closest_name(check_.metric, names);
    return refuse_check(
        plan_excerpt(check_.metric) + " cannot be checked. " +
        (close.empty() ? "Allowed: " + all + "." : "Did you mean `" + std::string{close} + "`?"));
  }

  /// A time whose unit may be separated by a space.
  std::optional<std::chrono::microseconds> take_time() {
    std::string text{take()};
    if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos) text += take();
    return parse_time(text);
  }

  base::expected<void> read_time_value() {
    const auto time = take_time();
    if (!time)
      return refuse_check("`" + check_.metric + "` must be compared with a time such as 10ms.");
    check_.value = static_cast<double>(time->count());
    return {};
  }

  base::expected<void> read_count_value() {
    const auto text = take();
    const auto* end = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), end, check_.value).ptr != end)
      return refuse_check("`" + check_.metric + "` must be compared with a number such as 0, and " +
                          plan_excerpt(text) + " is not one.");
    return {};
  }

  base::expected<void> read_span() {
    const auto word = take();
    if (word == "while" && take() == "injected") {
      check_.from = plan_instant{plan_instant::base::injecting, {}};
      check_.until = plan_instant{plan_instant::base::healing, {}};
      return {};
    }
    if (word != "from" && word != "until")
      return refuse_check(
          plan_excerpt(word) +
          " is not allowed here. After the number, use `from ..`, `until ..` or `while injected`.");
    auto instant = read_instant();
    if (!instant) return tl::unexpected(instant.error());
    (word == "from" ? check_.from : check_.until) = *instant;
    return {};
  }

  base::expected<plan_instant> read_instant() {
    plan_instant made;
    if (read_moment(made)) return made;
    const auto time = take_time();
    if (!time)
      return refuse_check(
          "A moment is missing. Add one such as `5s`, `healing` or `5s after healing`.");
    made.offset = std::chrono::duration_cast<milliseconds>(*time);
    if (peek() != "after") return made;
    take();
    if (!read_moment(made))
      return refuse_check(plan_excerpt(peek()) +
                          " is not a moment. Use `after injecting` or `after healing`.");
    return made;
  }

  bool read_moment(plan_instant& made) {
    if (peek() != "injecting" && peek() != "healing") return false;
    made.after = take() == "healing" ? plan_instant::base::healing : plan_instant::base::injecting;
    return true;
  }

  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  const metric_row* row_ = nullptr;
  plan_check check_;
};

std::string shown_number(double value, const char* format) {
  std::array<char, 64> text{};
  const auto length = std::snprintf(text.data(), text.size(), format, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string shown(measure kind, double value) {
  if (kind == measure::count) return shown_number(value, "%.0f");
  if (value < 1'000) return shown_number(value, "%.0f us");
  return value < 1e6 ? shown_number(value / 1e3, "%.2f ms") : shown_number(value / 1e6, "%.2f s");
}

bool compares(double a, comparison how, double b) {
  switch (how) {
  case comparison::less: return a < b;
  case comparison::at_most: return a <= b;
  case comparison::equal: return a == b;
  case comparison::not_equal: return a != b;
  case comparison::at_least: return a >= b;
  case comparison::greater: return a > b;
  }
  return false;
}

double of_second(std::string_view metric, const load_second& in) {
  if (metric == "p50") return in.p50_us;
  if (metric == "p99") return in.p99_us;
  if (metric == "max") return in.max_us;
  if (metric == "sent") return static_cast<double>(in.sent);
  if (metric == "answered") return static_cast<double>(in.answered);
  return static_cast<double>(in.errors);
}

/// The value of the whole plan.
double of_all(std::string_view metric, measure kind, const plan_findings& in) {
  if (kind == measure::time) {
    const auto found = in.load.latency_us.find(metric);
    return found == in.load.latency_us.end() ? 0 : found->second;
  }
  if (metric == "hits") return static_cast<double>(in.hits);
  if (metric == "restarts") return static_cast<double>(in.restarts);
  if (metric == "sent") return static_cast<double>(in.load.sent);
  if (metric == "answered") return static_cast<double>(in.load.answered);
  if (metric == "errors_not_retryable") return static_cast<double>(in.load.errors_not_retryable());
  if (const auto status = status_of(metric); !status.empty()) {
    const auto found = in.load.by_status.find(status);
    return found == in.load.by_status.end() ? 0 : static_cast<double>(found->second);
  }
  return static_cast<double>(in.load.error(metric == "errors" ? "total" : metric));
}

} // namespace

milliseconds plan_instant::at(const plan_moments& in) const noexcept {
  switch (after) {
  case base::start: return offset;
  case base::injecting: return in.injecting + offset;
  case base::healing: return in.healing + offset;
  }
  return offset;
}

bool plan_check::needs_load() const noexcept {
  const auto* row = find_metric(metric);
  return row == nullptr || row->of_load;
}

check_result plan_check::judge(const plan_findings& by) const {
  const auto kind = find_metric(metric)->kind;
  // For example if the service could not be reached: then nothing is known, so the check fails.
  if (needs_load() && by.load.sent == 0 && by.load.error("total") == 0)
    return {false, "nothing was sent"};
  if (!from && !until) {
    if (kind == measure::time && by.load.answered == 0) return {false, "nothing was answered"};
    const auto seen = of_all(metric, kind, by);
    return {compares(seen, compares_by, value), shown(kind, seen)};
  }
  const auto begin = from ? from->at(by.moments) : milliseconds{0};
  const auto end = until ? until->at(by.moments) : milliseconds::max();
  std::size_t seconds = 0;
  double sum = 0;
  double worst = 0;
  for (const auto& each : by.load.seconds) {
    if (each.begin < begin || (until && each.end + start_slack > end)) continue;
    if (kind == measure::time && each.answered == 0) continue;
    ++seconds;
    const auto one = of_second(metric, each);
    sum += one;
    worst = std::max(worst, one);
  }
  if (seconds == 0) return {false, "that span contains no second with answers"};
  const auto seen = kind == measure::time ? worst : sum;
  auto shown_value = shown(kind, seen) + (kind == measure::time ? " in the worst of " : " in ") +
                     model::counted(seconds, "second");
  return {compares(seen, compares_by, value), std::move(shown_value)};
}

std::string plan_excerpt(std::string_view text) {
  constexpr std::size_t limit = 80;
  return model::quoted_excerpt(text, limit);
}

base::expected<plan_check> parse_check(std::string_view text) {
  return check_reader{text}.read();
}

} // namespace matchcloud::app
