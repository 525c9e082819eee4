#pragma once

#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// Counts the rows of a CSV (RFC 4180) whose bytes come in pieces, cut anywhere: line ends inside
/// quotes are none. Constant memory.
class csv_row_counter {
public:
  /// O(piece), by memchr.
  void add(std::string_view piece) noexcept;

  /// Rows so far, the header among them; also one that has begun and whose line end has not come.
  std::uint64_t rows() const noexcept { return ended_ + (begun_ ? 1 : 0); }

private:
  std::uint64_t ended_ = 0;
  /// Bytes followed the last line end.
  bool begun_ = false;
  /// Between quotes. A doubled quote closes and opens again, which comes to the same.
  bool quoted_ = false;
};

} // namespace matchcloud::model
