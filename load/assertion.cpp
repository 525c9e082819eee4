#include "load/assertion.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "load/results.hpp"
#include "load/text.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr std::string_view status_prefix = "status.";

/// The percentile in a name: 99.9 for `p99.9`, and 100 for `max`.
std::optional<double> percentile(std::string_view name) {
  if (name == "max") return 100;
  if (!name.starts_with('p')) return std::nullopt;
  const auto percent = parse_number(name.substr(1));
  return percent && *percent >= 0 && *percent <= 100 ? percent : std::nullopt;
}

std::optional<std::size_t> failure_kind(std::string_view name) {
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (name_of(static_cast<failure>(i)) == name) return i;
  return std::nullopt;
}

bool is_duration(std::string_view name) {
  return percentile(name) || name == "mean";
}

/// The measured value with this name, in the unit of `assertion::value`; nothing if there is none.
std::optional<double> measured(std::string_view name, const results& of) {
  const auto& all = of.all;
  const auto counted = [](std::uint64_t count) { return static_cast<double>(count); };
  if (const auto kind = failure_kind(name)) return counted(all.failures[*kind]);
  if (const auto percent = percentile(name)) return counted(all.latency.percentile_ns(*percent));
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
  // Longer signs come first, because `<=` begins with `<`.
  static const std::array<std::pair<std::string_view, decltype(assertion::compare)>, 7> signs{
      {{"<=", std::less_equal<>{}},
       {">=", std::greater_equal<>{}},
       {"!=", std::not_equal_to<>{}},
       {"==", std::equal_to<>{}},
       {"<", std::less<>{}},
       {">", std::greater<>{}},
       {"=", std::equal_to<>{}}}};
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
  auto value = parse_number(written);
  if (!is_duration(name)) {
    if (!value) refuse("is not compared with a number. Use one such as 0 or 100.");
  } else {
    const auto duration = parse_duration(written);
    if (!duration || value)
      refuse("is not compared with a duration. Use one such as 5ms or 800us.");
    value = static_cast<double>(duration->count());
  }
  return {std::string{text}, name, sign->second, *value};
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
  if (std::ranges::any_of(all, is_duration, &assertion::name) &&
      std::ranges::none_of(all, is_about_errors))
    all.push_back(parse_one("errors=0"));
}

std::optional<double> percentile_of(const assertion& which) {
  return percentile(which.name);
}

bool holds(const assertion& which, const results& of) {
  // Without measurements, no assertion about latency holds, although each value is 0.
  if (is_duration(which.name) && of.all.latency.count() == 0) return false;
  return which.compare(measured(which.name, of).value_or(0), which.value);
}

std::string explain(const assertion& which, const results& of) {
  const double value = measured(which.name, of).value_or(0);
  auto text = which.text + ": ";
  if (is_duration(which.name))
    return text + (of.all.latency.count() == 0 ? "no replies" : duration_text(value));
  model::append_shortest(text, value);
  if (which.name == "errors")
    for (const auto& [status, count] : of.all.by_status)
      if (status >= 400)
        text.append(", ")
            .append(std::to_string(count))
            .append(" with status ")
            .append(std::to_string(status));
  return text;
}

} // namespace matchcloud::load
