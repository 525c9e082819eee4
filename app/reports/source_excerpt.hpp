#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// The line of a text that contains an error, for people, with `^~~~` below the string, number or
/// word that begins at the position, or a single caret below anything else.
struct source_excerpt {
  /// The line without its end. Tabs are kept; invisible characters are escaped. A long line is cut
  /// to the part around the position, with an ellipsis at each cut.
  std::string line;
  /// White space up to the position, with tabs where the line has them.
  std::string margin;
  std::string caret;
};

/// The approximate number of terminal columns that a line is cut to.
inline constexpr std::size_t excerpt_columns = 100;

/// The excerpt for the byte of `text` at `offset`; `text` may be any bytes. Reads only a few
/// hundred bytes. Wide East Asian characters take two columns, all others one (combining accents
/// none).
source_excerpt excerpt_at(std::string_view text, std::size_t offset);

} // namespace matchcloud::app
