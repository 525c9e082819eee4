#include "load/unsent_bytes.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>

namespace matchcloud::load {

bool unsent_bytes::empty() const noexcept {
  return std::ranges::all_of(pieces_, [](std::string_view piece) { return piece.empty(); });
}

bool unsent_bytes::send(int socket) noexcept {
  std::array<iovec, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    // sendmsg does not write to them; iovec is that of readv too.
    parts[i] = {const_cast<char*>(pieces_[i].data()), pieces_[i].size()};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const auto sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  if (sent < 0) return false;
  auto left = static_cast<std::size_t>(sent);
  for (auto& piece : pieces_) {
    const auto taken = std::min(left, piece.size());
    piece.remove_prefix(taken);
    left -= taken;
  }
  return true;
}

} // namespace matchcloud::load
