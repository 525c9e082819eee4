#include "load/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <utility>

namespace matchcloud::load {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> units{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}, {"", 1e9}}};
  constexpr double day_ns = 86'400e9;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const auto written = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& [unit, ns] : units)
    if (written == unit && value >= 0 && value * ns <= day_ns)
      return std::chrono::nanoseconds{static_cast<std::int64_t>(value * ns)};
  return std::nullopt;
}

std::string duration_text(double ns) {
  if (ns < 1e3) return fixed(ns, 0) + " ns";
  if (ns < 1e6) return fixed(ns / 1e3, 1) + " us";
  if (ns < 1e9) return fixed(ns / 1e6, 2) + " ms";
  return fixed(ns / 1e9, 2) + " s";
}

} // namespace matchcloud::load
