#include "load/text.hpp"

#include "cli/duration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace matchcloud::load {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
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

std::string latency_text(double ns) {
  return ns == 0 ? "-" : duration_text(ns);
}

std::string rate_text(double rate) {
  if (rate >= 100) return grouped(static_cast<std::uint64_t>(std::llround(rate)));
  std::ostringstream text;
  text << std::fixed << std::setprecision(rate < 10 ? 2 : 1) << rate;
  return text.str();
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::ostringstream text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << row[i]
           << (i + 1 < row.size() ? "  " : "\n");
  }
  return text.str();
}

} // namespace matchcloud::load
