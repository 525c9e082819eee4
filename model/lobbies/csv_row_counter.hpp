#pragma once

#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// Counts the rows of a CSV (RFC 4180) that arrives in pieces, cut anywhere. Line ends inside
/// quotes do not count. Constant memory.
class csv_row_counter {
public:
  /// Counts the rows of the next piece. O(piece), by memchr.
  void add(std::string_view piece) noexcept;

  /// Rows so far, header included; counts a row that has begun even if its line end has not
  /// arrived.
  std::uint64_t rows() const noexcept { return ended_ + (begun_ ? 1 : 0); }

private:
  std::uint64_t ended_ = 0;
  /// Whether bytes followed the last line end.
  bool begun_ = false;
  /// Whether the next byte is inside quotes. A doubled quote closes and reopens, which has the same
  /// effect.
  bool quoted_ = false;
};

} // namespace matchcloud::model
