#include "load/arrivals.hpp"

#include "base/characters.hpp"
#include "base/failure.hpp"
#include "load/text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace matchcloud::load {

arrivals::shape arrivals::shape::times(double factor) const {
  auto made = *this;
  made.rate *= factor;
  for (auto& each : made.stages) {
    each.from *= factor;
    each.to *= factor;
  }
  return made;
}

namespace {

constexpr const char* how_to_write =
    "Write RATE:DURATION or FROM..TO:DURATION, such as 5k:30s, 1k..5k:30s or spike=9k:5s.";

[[noreturn]] void refuse_stages(const std::string& what) {
  throw base::failure{base::errc::config_invalid, what};
}

/// A number from 0 to `rate_limit`, with `k` or `M` for thousands and millions.
std::optional<double> parse_rate(std::string_view text) {
  text = base::trimmed(text);
  const double unit = text.ends_with('k') ? 1e3 : text.ends_with('M') ? 1e6 : 1;
  if (unit > 1) text.remove_suffix(1);
  const double rate = parse_number(text).value_or(-1) * unit;
  return rate >= 0 && rate <= rate_limit ? std::optional{rate} : std::nullopt;
}

rate_stage parse_stage(std::string_view text) {
  const auto wrong = [text](const char* why) {
    return base::failure{base::errc::config_invalid,
                         fmt::format("\"{}\" {} {}", text, why, how_to_write)};
  };
  const auto equals = text.find('=');
  const auto shape = text.substr(equals == std::string_view::npos ? 0 : equals + 1);
  const auto colon = shape.rfind(':');
  if (colon == std::string_view::npos) throw wrong("has no duration.");
  const auto rates = shape.substr(0, colon);
  const auto dots = rates.find("..");
  const auto from = parse_rate(rates.substr(0, dots));
  const auto to = dots == std::string_view::npos ? from : parse_rate(rates.substr(dots + 2));
  if (!from || !to) throw wrong("does not begin with a rate from 0 to 10M.");
  const auto length = parse_duration(base::trimmed(shape.substr(colon + 1)));
  if (!length || length->count() == 0) throw wrong("does not end with a duration greater than 0.");
  return {std::string{base::trimmed(text.substr(0, equals))}, *from, *to, *length};
}

} // namespace

std::vector<rate_stage> read_stages(std::string_view text) {
  std::vector<rate_stage> stages;
  while (!text.empty()) {
    const auto end = text.find_first_of(",\n");
    const auto part = base::trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!part.empty()) stages.push_back(parse_stage(part));
  }
  if (stages.empty()) refuse_stages(std::string{"there are no stages. "} + how_to_write);
  if (stages.size() > stages_limit)
    refuse_stages(
        fmt::format("there are {} stages. At most {} are allowed.", stages.size(), stages_limit));
  if (peak_of(stages) == 0)
    refuse_stages("all stages have the rate 0. Give one of them a higher rate.");
  if (length_of(stages) > std::chrono::days{1})
    refuse_stages("the stages take more than a day together. Shorten them.");
  return stages;
}

std::chrono::nanoseconds length_of(const std::vector<rate_stage>& stages) noexcept {
  std::chrono::nanoseconds sum{0};
  for (const auto& each : stages)
    sum += each.length;
  return sum;
}

double peak_of(const std::vector<rate_stage>& stages) noexcept {
  double peak = 0;
  for (const auto& each : stages)
    peak = std::max({peak, each.from, each.to});
  return peak;
}

} // namespace matchcloud::load
