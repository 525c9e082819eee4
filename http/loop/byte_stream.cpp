#include "http/loop/byte_stream.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace matchcloud::http {

namespace {

/// Repeats `call` while a signal interrupts it. `blocked` may be reported only for EAGAIN: epoll
/// then tells when to retry.
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
  auto got = outcome_of([&] { return ::recv(socket_.get(), into.data(), into.size(), 0); });
  if (got.status == io_status::moved && got.bytes == 0) return {io_status::ended, 0};
  got.more = got.bytes == into.size(); // a short read has emptied the socket
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
  if (copies_files_) return copy_file(file, offset, length);
  auto from = static_cast<off_t>(offset);
  const auto sent = outcome_of([&] { return ::sendfile(socket_.get(), file, &from, length); });
  if (sent.status == io_status::moved && sent.bytes == 0) return {io_status::ended, 0};
  copies_files_ = sent.status == io_status::failed &&
                  (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP);
  return copies_files_ ? copy_file(file, offset, length) : sent;
}

io_result socket_stream::copy_file(int file, std::uint64_t offset, std::size_t length) {
  std::array<char, copied_bytes> bytes;
  const auto most = std::min(length, bytes.size());
  const auto got =
      outcome_of([&] { return ::pread(file, bytes.data(), most, static_cast<off_t>(offset)); });
  if (got.status == io_status::moved && got.bytes == 0) return {io_status::ended, 0};
  if (got.status != io_status::moved) return {io_status::failed, 0};
  // The next call reads again what the socket does not accept.
  const iovec piece{bytes.data(), got.bytes};
  return write({&piece, 1}, got.bytes < length);
}

void socket_stream::shutdown_write() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void socket_stream::reset_at_end() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::size_t socket_stream::unacknowledged_bytes() const noexcept {
  int bytes = 0;
  return ::ioctl(socket_.get(), SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

void prepare_client_socket(int socket) noexcept {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, kernel_unsent_bytes);
  set(SOL_SOCKET, SO_OOBINLINE, 1);
}

bool has_input(int socket) noexcept {
  pollfd watched{socket, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

} // namespace matchcloud::http
