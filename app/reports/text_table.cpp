#include "app/reports/text_table.hpp"

#include "model/text/unicode.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

namespace matchcloud::app {

namespace {

constexpr std::string_view gap = "  ";

/// A cell as it is shown: others may have written it.
std::string printable(const std::string& text) {
  return model::printable_excerpt(text, text.size());
}

/// `text` cut to at most `width` characters, with an ellipsis at the end if it was cut.
std::string fitted(const std::string& text, std::size_t width) {
  if (model::count_code_points(text) <= width) return text;
  return model::printable_excerpt(text, width - 1);
}

} // namespace

std::vector<std::size_t> text_table::widths(const cells& shown, std::size_t limit) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    result.push_back(model::count_code_points(columns[i].title));
    for (const auto& row : shown)
      result.back() = std::max(result.back(), model::count_code_points(row[i]));
  }
  const auto total = [&] {
    return std::accumulate(result.begin(), result.end(), gap.size() * (columns.size() - 1));
  };
  while (limit > 0 && total() > limit) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].shortens && result[i] > narrowest && (!widest || result[i] > *widest))
        widest = &result[i];
    if (!widest) break;
    --*widest;
  }
  return result;
}

std::string text_table::render(std::size_t width) const {
  auto shown_rows = rows;
  for (auto& row : shown_rows)
    std::ranges::transform(row, row.begin(), printable);
  const auto wide = widths(shown_rows, width);
  std::string text;
  const auto line = [&](auto cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto shown = fitted(cell(i), wide[i]);
      text.append(shown);
      if (i + 1 == columns.size()) break;
      text.append(wide[i] - model::count_code_points(shown), ' ').append(gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  line([&](std::size_t i) { return columns[i].title; });
  for (const auto& row : shown_rows)
    line([&](std::size_t i) { return row[i]; });
  return text;
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

} // namespace matchcloud::app
