#pragma once

#include "http/loop/byte_stream.hpp"

#include <array>
#include <string_view>

namespace matchcloud::load {

/// Unsent bytes in up to three pieces, so that the part that differs by connection can go between
/// the parts that all connections share, without a copy. The bytes must stay valid. One thread.
class unsent_bytes {
public:
  unsent_bytes() = default;
  unsent_bytes(std::string_view first, std::string_view second, std::string_view third)
      : pieces_{first, second, third} {}

  bool empty() const noexcept;
  /// Sends as much as the stream accepts in one call. Returns the outcome.
  http::io_status send(http::byte_stream& to);

private:
  std::array<std::string_view, 3> pieces_;
};

} // namespace matchcloud::load
