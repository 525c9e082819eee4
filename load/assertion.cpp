#include "load/assertion.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "load/duration.hpp"
#include "load/results.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

namespace matchcloud::load {

namespace {

using relation = assertion::comparison;

/// Longer operators come first, because `<=` begins with `<`.
constexpr std::array<std::pair<std::string_view, relation>, 7> signs{{
    {"<=", relation::at_most},
    {">=", relation::at_least},
    {"!=", relation::unequal},
    {"==", relation::equal},
    {"<", relation::less},
    {">", relation::greater},
    {"=", relation::equal},
}};

constexpr std::string_view status_prefix = "status.";

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// The percentile in a name: 99.9 for `p99.9`.
std::optional<double> percentile(std::string_view name) {
  if (!name.starts_with('p')) return std::nullopt;
  const auto percent = number(name.substr(1));
  return percent && *percent >= 0 && *percent <= 100 ? percent : std::nullopt;
}

std::optional<std::size_t> failure_kind(std::string_view name) {
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (name_of(static_cast<failure>(i)) == name) return i;
  return std::nullopt;
}

bool is_duration(std::string_view name) {
  return percentile(name) || name == "max" || name == "mean";
}

bool is_known(std::string_view name) {
  constexpr std::array<std::string_view, 6> counts{"errors",   "late",     "sent",
                                                   "answered", "repeated", "rate"};
  if (is_duration(name) || failure_kind(name)) return true;
  if (name.starts_with(status_prefix))
    return base::parse_decimal<int>(name.substr(status_prefix.size())).has_value();
  return std::ranges::find(counts, name) != counts.end();
}

base::expected<assertion> parse_one(std::string_view text) {
  const auto refuse = [text](const std::string& why) {
    return base::fail(base::errc::config_invalid, "\"" + std::string{text} + "\": " + why);
  };
  const auto at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return refuse("has no comparison. Add one, as in p99<5ms.");
  const auto rest = text.substr(at);
  const auto* const sign = std::ranges::find_if(
      signs, [rest](const auto& each) { return rest.starts_with(each.first); });
  if (sign == signs.end()) return refuse("has an unknown comparison. Use <, <=, =, !=, >= or >.");
  const std::string name{base::trimmed(text.substr(0, at), " ")};
  if (!is_known(name))
    return refuse("there is no \"" + name +
                  "\". Allowed: p50, p99.9 (any percentile), max, mean, errors, connect, local, "
                  "reset, closed, timeout, malformed, status, unavailable, content, unsent, "
                  "abandoned, late, sent, answered, repeated, rate, status.503 (any).");
  const auto written = base::trimmed(rest.substr(sign->first.size()), " ");
  std::optional<double> value;
  if (!is_duration(name))
    value = number(written);
  else if (const auto duration = parse_duration(written); duration && !number(written))
    value = static_cast<double>(duration->count());
  if (!value)
    return refuse(is_duration(name)
                      ? "is not compared with a duration. Use one such as 5ms or 800us."
                      : "is not compared with a number. Use one such as 0 or 100.");
  return assertion{std::string{text}, name, sign->second, *value};
}

} // namespace

base::expected<std::vector<assertion>> parse_assertions(std::string_view text) {
  std::vector<assertion> all;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    more = comma != std::string_view::npos;
    auto one = parse_one(base::trimmed(text.substr(0, comma), " "));
    if (!one) return tl::unexpected(one.error());
    all.push_back(*std::move(one));
    if (more) text.remove_prefix(comma + 1);
  }
  return all;
}

double value_of(const assertion& which, const results& of) {
  const auto& name = which.name;
  const auto& all = of.all;
  if (const auto kind = failure_kind(name)) return static_cast<double>(all.failures[*kind]);
  if (name == "max") return static_cast<double>(all.latency.max_ns());
  if (name == "mean") return all.latency.mean_ns();
  if (const auto percent = percentile(name))
    return static_cast<double>(all.latency.percentile_ns(*percent));
  if (name == "errors") return static_cast<double>(all.errors());
  if (name == "late") return static_cast<double>(all.late.count());
  if (name == "sent") return static_cast<double>(all.sent);
  if (name == "answered") return static_cast<double>(all.answered);
  if (name == "repeated") return static_cast<double>(all.repeated);
  if (name == "rate") return of.requests_per_second();
  const auto status = base::parse_decimal<int>(std::string_view{name}.substr(status_prefix.size()));
  const auto found = all.by_status.find(status.value_or(0));
  return found == all.by_status.end() ? 0 : static_cast<double>(found->second);
}

bool holds(const assertion& which, const results& of) {
  const double value = value_of(which, of);
  // Without measurements, no assertion about latency holds, although each value is 0.
  if (is_duration(which.name) && of.all.latency.count() == 0) return false;
  switch (which.by) {
  case relation::less: return value < which.value;
  case relation::at_most: return value <= which.value;
  case relation::equal: return value == which.value;
  case relation::at_least: return value >= which.value;
  case relation::greater: return value > which.value;
  case relation::unequal: return value != which.value;
  }
  return false;
}

std::string explain(const assertion& which, const results& of) {
  const double value = value_of(which, of);
  if (is_duration(which.name))
    return which.text + ": " + (of.all.latency.count() == 0 ? "no replies" : duration_text(value));
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10) << value;
  return which.text + ": " + text.str();
}

} // namespace matchcloud::load
