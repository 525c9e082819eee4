#include "http/byte_stream.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace matchcloud::http {

namespace {

io_result result_of(ssize_t moved) noexcept {
  if (moved >= 0) return {io_status::moved, static_cast<std::size_t>(moved)};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {io_status::blocked, 0};
  return {io_status::failed, 0};
}

} // namespace

io_result socket_stream::read(std::span<char> into) {
  const auto got = ::recv(socket_.get(), into.data(), into.size(), 0);
  if (got == 0) return {io_status::ended, 0};
  return result_of(got);
}

io_result socket_stream::write(std::span<const iovec> from) {
  if (from.size() == 1)
    return result_of(::send(socket_.get(), from[0].iov_base, from[0].iov_len, MSG_NOSIGNAL));
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(from.data()); // sendmsg only reads it
  message.msg_iovlen = from.size();
  return result_of(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL));
}

void socket_stream::shutdown_write() {
  ::shutdown(socket_.get(), SHUT_WR);
}

} // namespace matchcloud::http
