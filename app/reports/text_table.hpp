#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The digits of a digest that a table shows.
inline constexpr std::size_t shown_digits = 16;

/// Rows of text in aligned columns under titles, for people. Every character counts as one column.
struct text_table {
  struct column {
    std::string title;
    /// Whether its cells may be shortened when a line would be too long; ids must not be.
    bool shortens = false;
  };

  /// A column is never shortened to fewer characters than this.
  static constexpr std::size_t narrowest = 8;

  std::vector<column> columns;
  /// Each row has as many cells as there are columns.
  std::vector<std::vector<std::string>> rows;

  /// All lines, titles first, each with its line end. Lines are at most `width` characters long
  /// where shortening can achieve it; 0 means no limit.
  std::string render(std::size_t width) const;

private:
  using cells = std::vector<std::vector<std::string>>;
  std::vector<std::size_t> widths(const cells& shown, std::size_t limit) const;
};

/// The width of the terminal on stdout; 0 if stdout is not a terminal.
std::size_t terminal_width();

} // namespace matchcloud::app
