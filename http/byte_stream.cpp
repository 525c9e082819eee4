#include "http/byte_stream.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <utility>

namespace matchcloud::http {

namespace {

/// Calls until no signal gets in between: "blocked" must mean that epoll will tell when it is not.
template <class Call>
io_result outcome_of(Call call) noexcept {
  ssize_t moved = 0;
  do {
    moved = call();
  } while (moved < 0 && errno == EINTR);
  if (moved >= 0) return {io_status::moved, static_cast<std::size_t>(moved)};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {io_status::blocked, 0};
  return {io_status::failed, 0};
}

} // namespace

io_result socket_stream::read(std::span<char> into) {
  const auto got = outcome_of([&] { return ::recv(socket_.get(), into.data(), into.size(), 0); });
  if (got.status == io_status::moved && got.bytes == 0) return {io_status::ended, 0};
  return got;
}

io_result socket_stream::write(std::span<const iovec> from, bool more) {
  const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
  if (from.size() == 1)
    return outcome_of(
        [&] { return ::send(socket_.get(), from[0].iov_base, from[0].iov_len, flags); });
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(from.data()); // sendmsg only reads it
  message.msg_iovlen = from.size();
  return outcome_of([&] { return ::sendmsg(socket_.get(), &message, flags); });
}

io_result socket_stream::send_file(int file, std::uint64_t offset, std::size_t length) {
  if (!std::exchange(unsent_is_bounded_, true)) {
    const int bytes = file_unsent_bytes;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
  }
  auto from = static_cast<off_t>(offset);
  const auto sent = outcome_of([&] { return ::sendfile(socket_.get(), file, &from, length); });
  if (sent.status == io_status::moved && sent.bytes == 0) return {io_status::ended, 0};
  return sent;
}

void socket_stream::shutdown_write() {
  ::shutdown(socket_.get(), SHUT_WR);
}

} // namespace matchcloud::http
