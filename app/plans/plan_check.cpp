#include "app/plans/plan_check.hpp"

#include "app/faults/rule_options.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "model/text/counts.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 23> check_metrics{"p50",
                                                         "p90",
                                                         "p99",
                                                         "p99.9",
                                                         "p99.99",
                                                         "max",
                                                         "mean",
                                                         "sent",
                                                         "answered",
                                                         "errors",
                                                         "errors_not_retryable",
                                                         "unavailable",
                                                         "connect",
                                                         "reset",
                                                         "closed",
                                                         "timeout",
                                                         "malformed",
                                                         "status",
                                                         "content",
                                                         "status.503",
                                                         "hits",
                                                         "hits.store.read",
                                                         "restarts"};
/// Those that are known for each second.
constexpr std::array<std::string_view, 6> by_second{"p50",  "p99",      "max",
                                                    "sent", "answered", "errors"};
constexpr std::array<std::string_view, 6> check_signs{"<", "<=", "=", "!=", ">=", ">"};

[[noreturn]] void refuse_check(std::string why) {
  throw base::failure{base::errc::config_invalid, std::move(why)};
}

bool is_time(std::string_view metric) {
  return metric.starts_with('p') || metric == "max" || metric == "mean";
}

/// `503` of `status.503`; empty if the metric has another prefix.
std::string_view detail_of(std::string_view metric, std::string_view prefix) {
  return metric.starts_with(prefix) ? metric.substr(prefix.size()) : std::string_view{};
}

bool is_known(std::string_view metric) {
  const auto status = detail_of(metric, "status.");
  return is_one_of(metric, check_metrics) ||
         (status.size() == 3 && base::parse_decimal<unsigned>(status)) ||
         base::find_fault_point(detail_of(metric, "hits."));
}

bool is_sign(char c) {
  return c == '<' || c == '>' || c == '=' || c == '!';
}

/// `p99<10 ms from 5s` as `p99`, `<`, `10`, `ms`, `from`, `5s`.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while ((text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()))) != "") {
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
  explicit check_reader(std::string_view text) : words_{words_of(text)} { check_.text = text; }

  plan_check read() {
    check_.metric = take();
    if (!is_known(check_.metric))
      refuse_check(plan_excerpt(check_.metric) + " cannot be checked. " +
                   instead_of(check_.metric, check_metrics, "Allowed"));
    check_.sign = take();
    if (!is_one_of(check_.sign, check_signs))
      refuse_check(plan_excerpt(check_.sign) + " follows `" + check_.metric +
                   "`. Use one of <, <=, =, !=, >=, > and a number.");
    read_value();
    const bool spans = !peek().empty();
    while (!peek().empty())
      read_span();
    if (spans && !is_one_of(check_.metric, by_second))
      refuse_check("`" + check_.metric +
                   "` is known only for the whole plan. Remove what follows the number, or use "
                   "one of p50, p99, max, sent, answered, errors.");
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
      if (!time) refuse_check("`" + check_.metric + "` must be compared with a time such as 10ms.");
      check_.value = static_cast<double>(time->count());
      return;
    }
    const auto text = take();
    const auto* end = text.data() + text.size();
    if (text.empty() || std::from_chars(text.data(), end, check_.value).ptr != end)
      refuse_check("`" + check_.metric + "` must be compared with a number such as 0, and " +
                   plan_excerpt(text) + " is not one.");
  }

  void read_span() {
    const auto word = take();
    if (word == "while" && take() == "injected") {
      check_.from = plan_instant{&plan_moments::injecting};
      check_.until = plan_instant{&plan_moments::ended};
      check_.by_halves = true;
    } else if (word == "from") {
      check_.from = read_instant();
    } else if (word == "until") {
      check_.until = read_instant();
    } else {
      refuse_check(
          plan_excerpt(word) +
          " is not allowed here. After the number, use `from ..`, `until ..` or `while injected`.");
    }
  }

  plan_instant read_instant() {
    if (const auto moment = take_moment()) return {moment, {}};
    const auto time = take_time();
    if (!time)
      refuse_check("A moment is missing. Add one such as `5s`, `healing` or `5s after healing`.");
    plan_instant made{nullptr, std::chrono::duration_cast<milliseconds>(*time)};
    if (peek() != "after") return made;
    take();
    made.after = take_moment();
    if (made.after == nullptr)
      refuse_check(plan_excerpt(peek()) +
                   " is not a moment. Use `after injecting` or `after healing`.");
    return made;
  }

  milliseconds plan_moments::*take_moment() {
    if (peek() != "injecting" && peek() != "healing") return nullptr;
    return take() == "healing" ? &plan_moments::healing : &plan_moments::injecting;
  }

  std::vector<std::string_view> words_;
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

bool is_of_service(std::string_view metric) {
  return metric.starts_with("hits") || metric == "restarts";
}

std::uint64_t count_of(std::string_view metric, const plan_findings& in) {
  const auto& load = in.load;
  if (is_of_service(metric)) return count_in(in.counts, metric);
  if (metric == "sent") return load.sent;
  if (metric == "answered") return load.answered;
  if (metric == "errors_not_retryable") return load.errors_not_retryable();
  if (const auto status = detail_of(metric, "status."); !status.empty())
    return count_in(load.by_status, status);
  return load.error(metric == "errors" ? "total" : metric);
}

} // namespace

bool plan_check::needs_load() const noexcept {
  return !is_of_service(metric);
}

check_result plan_check::judge(const plan_findings& by) const {
  const bool times = is_time(metric);
  // For example if the service could not be reached: then nothing is known, so the check fails.
  if (needs_load() && by.load.sent == 0 && by.load.error("total") == 0)
    return {false, "nothing was sent"};
  if (!from && !until) {
    if (times && by.load.answered == 0) return {false, "nothing was answered"};
    const auto seen = times ? by.load.latency_us(metric) : count_of(metric, by);
    if (!seen) return {false, "cannot tell: a report of matchcloud-load has no histogram"};
    return {compares(*seen, sign, value), shown(metric, *seen)};
  }
  std::size_t seconds = 0;
  double sum = 0;
  double worst = 0;
  for (const auto& each : by.load.seconds) {
    const auto middle = (each.begin + each.end) / 2;
    const auto begin = by_halves ? middle : each.begin;
    const auto end = by_halves ? middle : each.end;
    if ((from && begin < from->at(by.moments)) || (until && end > until->at(by.moments))) continue;
    if (times && each.values.at("answered") == 0) continue;
    const auto one = each.values.find(metric)->second;
    ++seconds;
    sum += one;
    worst = std::max(worst, one);
  }
  if (seconds == 0) return {false, "that span contains no second with answers"};
  const auto seen = times ? worst : sum;
  auto words = shown(metric, seen) + (times ? " in the worst of " : " in ") +
               model::counted(seconds, "second");
  return {compares(seen, sign, value), std::move(words)};
}

std::string plan_excerpt(std::string_view text) {
  constexpr std::size_t limit = 80;
  return model::quoted_excerpt(text, limit);
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string instead_of(std::string_view name, std::span<const std::string_view> names,
                       std::string_view allowed) {
  if (const auto close = model::closest_name(name, names); !close.empty())
    return fmt::format("Did you mean `{}`?", close);
  return fmt::format("{}: {}.", allowed, fmt::join(names, ", "));
}

base::expected<plan_check> parse_check(std::string_view text) {
  return base::attempt([&] { return check_reader{text}.read(); });
}

} // namespace matchcloud::app
