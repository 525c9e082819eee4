#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::model {

/// The longest line of an import, without its end.
inline constexpr std::size_t line_limit_bytes = 16UL * 1024;

/// A line without its end. Its bytes may be overwritten.
struct input_line {
  /// From 1, empty lines counted.
  std::uint64_t number = 0;
  /// One NUL follows in memory. Empty if `too_long`.
  std::span<char> text;
  /// Longer than `line_limit_bytes`; what it holds is gone.
  bool too_long = false;
};

/// Cuts bytes that come in blocks into lines, which end with LF or CRLF. Empty lines and a UTF-8
/// byte order mark at the start are skipped. Holds at most one line.
class line_splitter {
public:
  /// Gives the next block, once `next` has returned nothing. It is overwritten (line ends become
  /// NUL) and must stay in place until `next` has returned nothing again.
  void give(std::span<char> block) noexcept { block_ = block; }

  /// The next whole line, valid until the call after this; nothing where the block is used up.
  std::optional<input_line> next();

  /// What follows the last line end, once `next` has returned nothing and no block will follow.
  std::optional<input_line> last();

private:
  /// Adds to the line that is held, or drops it where that gets too long.
  void keep(std::span<const char> part);
  /// The line that is held.
  input_line release();
  void forget_released();

  std::span<char> block_;
  std::string held_;
  /// The bytes of `held_` were released and are to be forgotten.
  bool released_ = false;
  bool too_long_ = false;
  std::uint64_t number_ = 0;
};

} // namespace matchcloud::model
