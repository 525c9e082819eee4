#include "load/text.hpp"

#include "cli/duration.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace matchcloud::load {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = code == std::errc{} && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  using namespace std::chrono;
  static constexpr std::array<cli::duration_unit, 7> units{
      {{"ns", 1ns}, {"us", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"", 1s}}};
  return cli::parse_duration(text, units, days{1});
}

std::string duration_text(double ns) {
  if (ns < 1e3) return fixed(ns, 0) + " ns";
  if (ns < 1e6) return fixed(ns / 1e3, 1) + " us";
  if (ns < 1e9) return fixed(ns / 1e6, 2) + " ms";
  return fixed(ns / 1e9, 2) + " s";
}

std::string latency_text(std::uint64_t ns) {
  return ns == 0 ? "-" : duration_text(static_cast<double>(ns));
}

std::string rate_text(double rate) {
  if (rate >= 100) return grouped(static_cast<std::uint64_t>(std::llround(rate)));
  return fixed(rate, rate < 10 ? 2 : 1);
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i)
      text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

} // namespace matchcloud::load
