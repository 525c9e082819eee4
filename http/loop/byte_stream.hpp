#pragma once

#include "base/files/file_descriptor.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace matchcloud::http {

enum class io_status : std::uint8_t {
  /// At least one byte was moved: see `bytes`.
  moved,
  /// Nothing can be read or written now: wait for an event of the descriptor.
  blocked,
  /// The peer will send nothing more, or the file has no more bytes.
  ended,
  /// The connection is broken.
  failed,
};

struct io_result {
  io_status status = io_status::blocked;
  std::size_t bytes = 0;
  /// Of a read that moved: another may move more at once, so that no event will tell of it. Only
  /// such a read may have moved 0 bytes.
  bool more = false;
};

/// Moves bytes between a connection and its peer: by a plain socket, or by TLS over one.
/// Non-blocking, used by one thread.
class byte_stream {
public:
  virtual ~byte_stream() = default;
  virtual io_result read(std::span<char> into) = 0;
  /// `more`: further bytes follow at once, so the kernel may delay a partial last packet
  /// (MSG_MORE).
  /// After a call that moved less than it was given, the next one must begin with the rest.
  virtual io_result write(std::span<const iovec> from, bool more) = 0;
  /// Sends bytes of a regular file; `length` is not 0, and the file's own offset does not move.
  /// `ended`: the file ends at or before `offset`.
  virtual io_result send_file(int file, std::uint64_t offset, std::size_t length) = 0;
  /// Ends the sending direction; the peer may still send.
  virtual void shutdown_write() = 0;
  /// Makes destroying the stream drop the bytes that the kernel holds: the peer gets a reset.
  virtual void reset_at_end() = 0;
  /// How many of the bytes written the peer's kernel has not acknowledged.
  virtual std::size_t unacknowledged_bytes() const noexcept = 0;
  /// The memory, in bytes, of what the stream itself holds back.
  virtual std::size_t held_bytes() const noexcept { return 0; }
  /// The descriptor whose events say when to retry.
  virtual int descriptor() const noexcept = 0;
};

/// How many unsent bytes of one connection the kernel accepts beyond the peer's window
/// (TCP_NOTSENT_LOWAT). With the kernel's own bound of megabytes, each slow reader would hold that
/// much and would seem to receive nothing for minutes.
inline constexpr int kernel_unsent_bytes = 128 * 1024;

/// Sets the options that every client socket needs, on the socket or on a listener whose accepted
/// sockets inherit them (Linux copies them at accept): no Nagle, `kernel_unsent_bytes`, and urgent
/// bytes in line with the others (RFC 6093 section 6), because nothing here waits for urgent data.
void prepare_client_socket(int socket) noexcept;

/// Whether a socket is readable: it has bytes or its end, or, for a listener, a connection. Does
/// not block.
bool has_input(int socket) noexcept;

/// A plain TCP socket.
class socket_stream final : public byte_stream {
public:
  explicit socket_stream(base::file_descriptor socket) noexcept : socket_{std::move(socket)} {}

  io_result read(std::span<char> into) override;
  io_result write(std::span<const iovec> from, bool more) override;
  io_result send_file(int file, std::uint64_t offset, std::size_t length) override;
  void shutdown_write() override;
  void reset_at_end() override;
  std::size_t unacknowledged_bytes() const noexcept override;
  int descriptor() const noexcept override { return socket_.get(); }

private:
  /// Reads from the file and sends the bytes, at most `copied_bytes`.
  io_result copy_file(int file, std::uint64_t offset, std::size_t length);

  base::file_descriptor socket_;
  /// Set once the kernel cannot send from a file itself (sendfile(2): EINVAL on some FUSE and
  /// network file systems, ENOSYS in some sandboxes).
  bool copies_files_ = false;
};

/// The most bytes that a plain stream moves in one call if it has to read them itself.
inline constexpr std::size_t copied_bytes = 16UL * 1024;

} // namespace matchcloud::http
