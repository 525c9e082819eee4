#include "app/plans/plan_check.hpp"

#include "app/faults/rule_options.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "cli/command.hpp"
#include "model/json/members.hpp"
#include "model/text/counts.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace matchcloud::app {

namespace {

using model::quoted_excerpt;
using std::chrono::milliseconds;

/// The first ones are known for each second, too.
constexpr std::array<std::string_view, 23> check_metrics{"p50",
                                                         "p99",
                                                         "max",
                                                         "sent",
                                                         "answered",
                                                         "errors",
                                                         "p90",
                                                         "p99.9",
                                                         "p99.99",
                                                         "mean",
                                                         "connect",
                                                         "reset",
                                                         "closed",
                                                         "timeout",
                                                         "malformed",
                                                         "unavailable",
                                                         "hits",
                                                         "status.503",
                                                         "restarts",
                                                         "hits.store.read",
                                                         "status",
                                                         "content",
                                                         "errors_not_retryable"};
constexpr std::ptrdiff_t known_by_second = 6;
constexpr std::array<std::string_view, 6> check_signs{"<", "<=", "=", "!=", ">=", ">"};

bool is_time(std::string_view metric) {
  return metric.starts_with('p') || metric == "max" || metric == "mean";
}

bool is_known(std::string_view metric) {
  const auto dot = metric.find('.') + 1;
  const auto of = metric.substr(0, dot);
  const auto detail = metric.substr(dot);
  return std::ranges::find(check_metrics, metric) != check_metrics.end() ||
         (of == "status." && detail.size() == 3 && base::parse_decimal<unsigned>(detail)) ||
         (of == "hits." && base::find_fault_point(detail));
}

bool is_sign(char c) {
  return c == '<' || c == '>' || c == '=' || c == '!';
}

/// `p99<10 ms from 5s` as `p99`, `<`, `10`, `ms`, `from`, `5s`.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()))).empty()) {
    const bool wanted = is_sign(text.front());
    const auto* const end = std::ranges::find_if(
        text, [&](char c) { return c == ' ' || c == '\t' || is_sign(c) != wanted; });
    words.emplace_back(text.begin(), end);
    text.remove_prefix(words.back().size());
  }
  return words;
}

/// Reads a check word by word. Its functions throw a `base::failure`.
class check_reader {
public:
  check_reader(std::string_view text, const plan_moments& in) : words_{words_of(text)}, in_{in} {
    check_.text = text;
  }

  plan_check read() {
    check_.metric = take();
    const auto& metric = check_.metric;
    if (!is_known(metric))
      cli::refuse(quoted_excerpt(metric) + " cannot be checked. " +
                  model::instead_of(metric, check_metrics));
    check_.sign = take();
    if (std::ranges::find(check_signs, check_.sign) == check_signs.end())
      cli::refuse(fmt::format("{} follows `{}`. Use one of {} and a number.",
                              quoted_excerpt(check_.sign), metric, fmt::join(check_signs, ", ")));
    read_value();
    const auto* const by_second = check_metrics.begin() + known_by_second;
    if (!peek().empty() && std::find(check_metrics.begin(), by_second, metric) == by_second)
      cli::refuse("`" + metric +
                  "` is known only for the whole plan. Remove what follows the number, or use "
                  "one of p50, p99, max, sent, answered, errors.");
    while (!peek().empty())
      read_span();
    return check_;
  }

private:
  std::string_view peek() const { return next_ < words_.size() ? words_[next_] : ""; }
  std::string_view take() {
    const auto word = peek();
    ++next_;
    return word;
  }

  /// A time whose unit may be separated by a space.
  std::optional<std::chrono::microseconds> take_time() {
    std::string text{take()};
    if (!text.empty() && text.find_first_not_of("0123456789.") == text.npos) text += take();
    return parse_time(text);
  }

  void read_value() {
    if (is_time(check_.metric)) {
      const auto time = take_time();
      if (!time) cli::refuse("`" + check_.metric + "` must be compared with a time such as 10ms.");
      check_.value = static_cast<double>(time->count());
      return;
    }
    const auto text = take();
    const auto* end = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), end, check_.value).ptr != end)
      cli::refuse("`" + check_.metric + "` must be compared with a number such as 0, and " +
                  quoted_excerpt(text) + " is not one.");
  }

  void read_span() {
    const auto word = take();
    if (word == "while" && take() == "injected") {
      check_.from = in_.injecting;
      check_.until = in_.ended;
      check_.by_halves = true;
    } else if (word == "from" || word == "until") {
      (word == "from" ? check_.from : check_.until) = read_instant();
    } else {
      cli::refuse(
          quoted_excerpt(word) +
          " is not allowed here. After the number, use `from ..`, `until ..` or `while injected`.");
    }
  }

  milliseconds read_instant() {
    if (const auto moment = take_moment()) return *moment;
    const auto time = take_time();
    if (!time)
      cli::refuse("A moment is missing. Add one such as `5s`, `healing` or `5s after healing`.");
    const auto since = std::chrono::duration_cast<milliseconds>(*time);
    if (peek() != "after") return since;
    take();
    if (const auto moment = take_moment()) return since + *moment;
    cli::refuse(quoted_excerpt(peek()) +
                " is not a moment. Use `after injecting` or `after healing`.");
  }

  std::optional<milliseconds> take_moment() {
    if (peek() != "injecting" && peek() != "healing") return std::nullopt;
    return take() == "healing" ? in_.healing : in_.injecting;
  }

  std::vector<std::string_view> words_;
  const plan_moments& in_;
  std::size_t next_ = 0;
  plan_check check_;
};

std::string shown(std::string_view metric, double value) {
  if (!is_time(metric)) return fmt::format("{:.0f}", value);
  if (value < 1e3) return fmt::format("{:.0f} us", value);
  return value < 1e6 ? fmt::format("{:.2f} ms", value / 1e3) : fmt::format("{:.2f} s", value / 1e6);
}

bool compares(double a, std::string_view sign, double b) {
  // Each other sign consists of the relations that it allows.
  return sign == "!=" ? a != b : sign.find(a < b ? '<' : a > b ? '>' : '=') != sign.npos;
}

constexpr std::size_t example_limit = 300;

/// Calls `take(name, value)` for each member of the object `name`.
template <class Take>
void each_member(const rapidjson::Value& of, const char* name, const Take& take) {
  if (const auto* const found = model::member_object(of, name))
    for (const auto& [key, value] : found->GetObject())
      take(std::string{key.GetString(), key.GetStringLength()}, value);
}

} // namespace

bool plan_check::needs_load() const noexcept {
  return !metric.starts_with("hits") && metric != "restarts";
}

check_result plan_check::judge(const plan_findings& by) const {
  const bool times = is_time(metric);
  // For example if the service could not be reached: then nothing is known, so the check fails.
  if (needs_load() && by.count("sent") + by.count("errors") == 0)
    return {text, false, "nothing was sent"};
  if (!from && !until) {
    const auto seen =
        times ? by.latency_us(metric) : std::optional{static_cast<double>(by.count(metric))};
    if (!seen || (times && by.count("answered") == 0)) return {text, false, "nothing was answered"};
    return {text, compares(*seen, sign, value), shown(metric, *seen)};
  }
  std::size_t seconds = 0;
  double seen = 0;
  for (const auto& each : by.seconds) {
    const auto middle = (each.begin + each.end) / 2;
    const auto begin = by_halves ? middle : each.begin;
    const auto end = by_halves ? middle : each.end;
    if ((from && begin < *from) || (until && end > *until)) continue;
    if (times && each.values.at("answered") == 0) continue;
    const auto one = each.values.at(metric + (times ? "_us" : ""));
    ++seconds;
    seen = times ? std::max(seen, one) : seen + one;
  }
  if (seconds == 0) return {text, false, "that span contains no second with answers"};
  return {text, compares(seen, sign, value),
          shown(metric, seen) + (times ? " in the worst of " : " in ") +
              model::counted(seconds, "second")};
}

base::expected<plan_check> parse_check(std::string_view text, const plan_moments& in) {
  return base::attempt([&] { return check_reader{text, in}.read(); });
}

bool plan_findings::add_report(std::string_view json, std::chrono::milliseconds plan_began) {
  using std::chrono::milliseconds;
  const auto report = model::parse_members(json);
  if (model::member_array(report, "intervals") == nullptr ||
      model::member_array(report, "histogram") == nullptr)
    return false;
  for (const auto* name : {"sent", "answered"})
    counts[name] += model::member_count(report, name);
  each_member(report, "errors", [&](const std::string& kind, const rapidjson::Value& value) {
    if (value.IsUint64()) errors[kind] += value.GetUint64();
  });
  each_member(report, "by_status", [&](const std::string& status, const rapidjson::Value& value) {
    if (value.IsUint64()) counts["status." + status] += value.GetUint64();
  });
  each_member(report, "first_errors", [&](const std::string& kind, const rapidjson::Value& value) {
    if (value.IsString())
      examples[kind] = kind + ": " + model::printable_excerpt(value.GetString(), example_limit);
  });
  for (const auto& each : model::member_elements(report, "histogram"))
    if (each.IsArray() && each.Size() == 2 && each[0].IsNumber() && each[1].IsUint64())
      histogram[each[0].GetDouble()] += each[1].GetUint64();
  const auto began = milliseconds{model::member_count(report, "began")} - plan_began;
  for (const auto& each : model::member_elements(report, "intervals")) {
    const auto time = [&](const char* name) {
      return began + milliseconds{std::llround(model::member_number(each, name) * 1'000)};
    };
    seconds.push_back({time("begins"), time("seconds"), {}});
    for (const auto* name : {"sent", "answered", "errors", "p50_us", "p99_us", "max_us"})
      seconds.back().values[name] = model::member_number(each, name);
  }
  return true;
}

std::uint64_t plan_findings::count(std::string_view metric) const {
  if (metric == "errors_not_retryable") return count("errors") - count("unavailable");
  if (const auto kind = errors.find(metric == "errors" ? "total" : metric); kind != errors.end())
    return kind->second;
  const auto found = counts.find(metric);
  return found == counts.end() ? 0 : found->second;
}

std::optional<double> plan_findings::latency_us(std::string_view name) const {
  if (histogram.empty()) return std::nullopt;
  if (name == "max") return histogram.rbegin()->first;
  double count = 0;
  double sum = 0;
  for (const auto& [up_to_us, times] : histogram) {
    count += static_cast<double>(times);
    sum += static_cast<double>(times) * up_to_us;
  }
  if (name == "mean") return sum / count;
  // 99.9 % of 1,000 is 999, but 999.0000000000001 in floating point.
  auto rank = count * std::strtod(std::string{name.substr(1)}.c_str(), nullptr) / 100 - 1e-6;
  for (const auto& [up_to_us, times] : histogram)
    if ((rank -= static_cast<double>(times)) <= 0) return up_to_us;
  return histogram.rbegin()->first;
}

} // namespace matchcloud::app
