#include "load/text/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace matchcloud::load {

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
