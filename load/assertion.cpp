#include "load/assertion.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "load/results.hpp"
#include "load/text.hpp"

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

/// The measured value with this name, in the unit of `assertion::value`; nothing if there is none.
std::optional<double> measured(std::string_view name, const results& of) {
  const auto& all = of.all;
  const auto counted = [](std::uint64_t count) { return static_cast<double>(count); };
  if (const auto kind = failure_kind(name)) return counted(all.failures[*kind]);
  if (const auto percent = percentile(name)) return counted(all.latency.percentile_ns(*percent));
  if (name == "max") return counted(all.latency.max_ns());
  if (name == "mean") return all.latency.mean_ns();
  if (name == "errors") return counted(all.errors());
  if (name == "late") return counted(all.late.count());
  if (name == "sent") return counted(all.sent);
  if (name == "answered") return counted(all.answered);
  if (name == "repeated") return counted(all.repeated);
  if (name == "rate") return of.requests_per_second();
  if (!name.starts_with(status_prefix)) return std::nullopt;
  const auto status = base::parse_decimal<int>(name.substr(status_prefix.size()));
  if (!status) return std::nullopt;
  const auto found = all.by_status.find(*status);
  return found == all.by_status.end() ? 0 : counted(found->second);
}

assertion parse_one(std::string_view text) {
  const auto refuse = [text](const std::string& why) {
    throw base::failure{base::errc::config_invalid, "\"" + std::string{text} + "\": " + why};
  };
  const auto at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) refuse("has no comparison. Add one, as in p99<5ms.");
  const auto rest = text.substr(at);
  const auto* const sign = std::ranges::find_if(
      signs, [rest](const auto& each) { return rest.starts_with(each.first); });
  if (sign == signs.end()) refuse("has an unknown comparison. Use <, <=, =, !=, >= or >.");
  const std::string name{base::trimmed(text.substr(0, at), " ")};
  if (!measured(name, {}))
    refuse("there is no \"" + name +
           "\". Allowed: p50, p99.9 (any percentile), max, mean, errors, connect, local, reset, "
           "closed, timeout, malformed, status, unavailable, content, unsent, abandoned, late, "
           "sent, answered, repeated, rate, status.503 (any).");
  const auto written = base::trimmed(rest.substr(sign->first.size()), " ");
  const auto plain = number(written);
  const auto duration = parse_duration(written);
  if (!is_duration(name) && !plain)
    refuse("is not compared with a number. Use one such as 0 or 100.");
  if (is_duration(name) && (!duration || plain))
    refuse("is not compared with a duration. Use one such as 5ms or 800us.");
  return {std::string{text}, name, sign->second,
          is_duration(name) ? static_cast<double>(duration->count()) : *plain};
}

} // namespace

std::vector<assertion> parse_assertions(std::string_view text) {
  std::vector<assertion> all;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    more = comma != std::string_view::npos;
    all.push_back(parse_one(base::trimmed(text.substr(0, comma), " ")));
    if (more) text.remove_prefix(comma + 1);
  }
  return all;
}

void imply_no_errors(std::vector<assertion>& all) {
  const auto is_about_errors = [](const assertion& each) {
    return each.name == "errors" || each.name.starts_with(status_prefix) || failure_kind(each.name);
  };
  if (std::ranges::any_of(all, [](const auto& each) { return is_duration(each.name); }) &&
      std::ranges::none_of(all, is_about_errors))
    all.push_back(parse_one("errors=0"));
}

std::optional<double> percentile_of(const assertion& which) {
  return percentile(which.name);
}

bool holds(const assertion& which, const results& of) {
  const double value = measured(which.name, of).value_or(0);
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
  const double value = measured(which.name, of).value_or(0);
  if (is_duration(which.name))
    return which.text + ": " + (of.all.latency.count() == 0 ? "no replies" : duration_text(value));
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10) << value;
  if (which.name == "errors")
    for (const auto& [status, count] : of.all.by_status)
      if (status >= 400) text << ", " << count << " with status " << status;
  return which.text + ": " + text.str();
}

} // namespace matchcloud::load
