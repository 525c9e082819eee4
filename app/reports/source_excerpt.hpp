#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// The line of a text in which something is wrong, for people, and below it `^~~~` under the
/// string, number or word that begins there; one caret under anything else.
struct source_excerpt {
  /// Without its end. Tabs are kept; what cannot be seen is written out; of a long line only the
  /// part around the place, with an ellipsis for each part that is left out.
  std::string line;
  /// White space up to the place, tabs where the line has them.
  std::string margin;
  std::string caret;
};

/// A line is cut to about as many columns of a terminal.
inline constexpr std::size_t excerpt_columns = 100;

/// The excerpt for a byte of `text`, which may be anything. Looks at a few hundred bytes only.
/// Wide East Asian characters take two columns, all others one (combining accents none).
source_excerpt excerpt_at(std::string_view text, std::size_t offset);

} // namespace matchcloud::app
