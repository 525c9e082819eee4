#include "load/io/unsent_bytes.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>

namespace matchcloud::load {

bool unsent_bytes::empty() const noexcept {
  return std::ranges::all_of(pieces_, [](std::string_view piece) { return piece.empty(); });
}

http::io_status unsent_bytes::send(http::byte_stream& to) {
  std::array<iovec, 3> parts{};
  std::size_t count = 0;
  for (const auto& piece : pieces_)
    // write does not change them, but readv uses iovec too.
    if (!piece.empty()) parts[count++] = {const_cast<char*>(piece.data()), piece.size()};
  const auto sent = to.write({parts.data(), count}, false);
  auto left = sent.bytes;
  for (auto& piece : pieces_) {
    const auto taken = std::min(left, piece.size());
    piece.remove_prefix(taken);
    left -= taken;
  }
  return sent.status;
}

} // namespace matchcloud::load
