#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Rows of text in aligned columns under their titles, for people. Characters count as one column
/// each.
struct text_table {
  struct column {
    std::string title;
    /// Its cells may be shortened where a line would be too long; ids may not.
    bool shortens = false;
  };

  /// A column is shortened to no less than this many characters.
  static constexpr std::size_t narrowest = 8;

  std::vector<column> columns;
  /// As many cells each as there are columns.
  std::vector<std::vector<std::string>> rows;

  /// The lines, titles first, each with its end. Lines are at most `width` characters long where
  /// shortening can make them so; 0: of any length.
  std::string render(std::size_t width) const;

private:
  std::vector<std::size_t> widths(std::size_t limit) const;
};

/// The width of the terminal on stdout; 0 where stdout is none.
std::size_t terminal_width();

} // namespace matchcloud::app
