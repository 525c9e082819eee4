#pragma once

#include "http/loop/byte_stream.hpp"

#include <array>
#include <string_view>

namespace matchcloud::load {

/// Bytes still to be sent that lie in up to three places, so that what differs by connection can
/// stand within what all connections share, without a copy. They must stay valid. One thread.
class unsent_bytes {
public:
  unsent_bytes() = default;
  unsent_bytes(std::string_view first, std::string_view second, std::string_view third)
      : pieces_{first, second, third} {}

  bool empty() const noexcept;
  /// Sends in one call what the stream takes. Returns how that went.
  http::io_status send(http::byte_stream& to);

private:
  std::array<std::string_view, 3> pieces_;
};

} // namespace matchcloud::load
