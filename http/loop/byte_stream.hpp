#pragma once

#include "base/file_descriptor.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace matchcloud::http {

enum class io_status : std::uint8_t {
  /// `bytes` were moved, at least one.
  moved,
  /// Nothing to be had or taken now: wait for the descriptor.
  blocked,
  /// The peer will send nothing more, or a file has no more.
  ended,
  /// The connection is gone.
  failed,
};

struct io_result {
  io_status status = io_status::blocked;
  std::size_t bytes = 0;
};

/// The seam under a connection: what moves bytes between it and its peer. A plain socket now; TLS
/// comes under it without a change above. Non-blocking, used by one thread.
class byte_stream {
public:
  virtual ~byte_stream() = default;
  virtual io_result read(std::span<char> into) = 0;
  /// `more`: other bytes follow at once, so that a last packet may wait for them.
  virtual io_result write(std::span<const iovec> from, bool more) = 0;
  /// Bytes of a regular file, `length` not 0; its own offset stays. `ended`: the file is shorter.
  virtual io_result send_file(int file, std::uint64_t offset, std::size_t length) = 0;
  /// No more bytes from us; the peer may still send.
  virtual void shutdown_write() = 0;
  /// Has the end of the stream drop what the kernel holds: the peer gets a reset.
  virtual void reset_at_end() = 0;
  /// Of the bytes written, those that the peer's kernel has not acknowledged.
  virtual std::size_t unacknowledged_bytes() const noexcept = 0;
  /// The descriptor whose events say when to try again.
  virtual int descriptor() const noexcept = 0;
};

/// How much the kernel takes of one connection beyond what the peer has room for. With its own
/// bound of megabytes each slow reader would hold as much, and look for minutes as if it took
/// nothing.
inline constexpr int kernel_unsent_bytes = 128 * 1024;

/// Sets what every client socket needs, on itself or on the listener that it will inherit it from
/// (Linux copies the options at accept): no Nagle, `kernel_unsent_bytes`, and urgent bytes in line
/// with the others (RFC 6093 section 6), where nobody waits for them.
void prepare_client_socket(int socket) noexcept;

/// Whether somebody waits at a socket: bytes, the end, or at a listener a connection.
bool has_input(int socket) noexcept;

/// A TCP socket without anything above it.
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
  base::file_descriptor socket_;
};

} // namespace matchcloud::http
