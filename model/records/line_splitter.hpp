#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::model {

/// The longest line of an import, without its line end.
inline constexpr std::size_t line_limit_bytes = 16UL * 1024;

/// A line without its line end. Its bytes may be overwritten.
struct input_line {
  /// Counted from 1, empty lines included.
  std::uint64_t number = 0;
  /// Followed by one NUL in memory. Empty if `too_long`.
  std::span<char> text;
  /// Whether the line is longer than `line_limit_bytes`; its content is dropped.
  bool too_long = false;
};

/// Splits input that arrives in blocks into lines, which end with LF or CRLF. Skips empty lines and
/// a UTF-8 byte order mark at the start. Buffers at most one line.
class line_splitter {
public:
  /// Sets the next block, once `next` has returned nothing. The block is overwritten (line ends
  /// become NUL) and must stay in place until `next` returns nothing again.
  void feed(std::span<char> block) noexcept { block_ = block; }

  /// The next whole line, valid until the following call; empty when the block is used up.
  std::optional<input_line> next();

  /// The text after the last line end. Call when `next` has returned nothing and no block follows.
  std::optional<input_line> last();

private:
  /// Appends to the buffered line, or drops it if it gets too long.
  void buffer(std::span<const char> part);
  /// The buffered line.
  input_line release();
  void forget_released();

  std::span<char> block_;
  std::string held_;
  /// Whether the bytes of `held_` were released and must be dropped before the next line.
  bool released_ = false;
  bool too_long_ = false;
  std::uint64_t number_ = 0;
};

} // namespace matchcloud::model
