#pragma once

#include "http/loop/byte_stream.hpp"
#include "http/tls/tls_context.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The progress of a handshake.
enum class handshake_status : std::uint8_t {
  /// It is complete: the stream can be read and written.
  done,
  /// Wait for an event of the descriptor.
  blocked,
  /// It can continue at once.
  more,
  /// The peer speaks HTTP without TLS. Nothing was sent: answer on the stream that `take_under`
  /// returns.
  plain_http,
  failed,
};

/// A byte stream encrypted by TLS over another, which it reads at most once in a call and writes
/// until that accepts no more. Never blocks. OpenSSL reads from and writes to memory. Bytes that
/// the stream below does not accept are kept here, at most `unsent_limit_bytes` and what one call
/// adds. After a write that moved less than it was given, the next one must begin with the rest,
/// because it may be encrypted already. Loop thread only.
class tls_stream final : public byte_stream {
public:
  /// The most bytes that a peer may send before the handshake is complete.
  static constexpr std::size_t handshake_limit_bytes = 32 * 1024;
  /// The most that is read at once until then.
  static constexpr std::size_t handshake_read_bytes = 16 * 1024;
  /// The most that may be unsent after a read: a part of a reply, and answers to changes of keys.
  static constexpr std::size_t unsent_limit_bytes = 2 * tls_buffers::turn_bytes;

  /// A server's. `received`: bytes of the peer that were read from `under` already.
  tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_context> context,
             std::string_view received = {});
  /// A client's, which expects the certificate of `host`.
  tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_context> context,
             const std::string& host);
  ~tls_stream() override;

  /// Continues the handshake. Until it is done, nothing else but `take_under` and destroying the
  /// stream is allowed. `short_reads`: more may follow a read that fills no buffer, such as the
  /// end, which no event reports.
  handshake_status handshake(bool short_reads = false);
  /// Whether the session was resumed by a ticket.
  bool is_resumed() const noexcept { return SSL_session_reused(ssl_.get()) == 1; }
  /// The subject of the client's certificate, after the handshake; null if it showed none.
  const std::shared_ptr<const std::string>& client_subject() const noexcept {
    return client_subject_;
  }
  /// Why the handshake or the stream failed, for people; empty if nothing is known.
  const std::string& failure() const noexcept { return failure_; }
  /// Whether the peer ended the connection without a close_notify.
  bool is_truncated() const noexcept { return is_truncated_; }
  /// Whether a part of a record has arrived and the rest is awaited.
  bool is_within_record() const noexcept;

  /// The context that the stream began with.
  const tls_context& context() const noexcept { return *context_; }

  /// The stream below, which may be replaced by one that wraps it.
  std::unique_ptr<byte_stream>& under() noexcept { return under_; }
  /// Gives the stream below away; then only destroying this is allowed.
  std::unique_ptr<byte_stream> take_under() noexcept { return std::move(under_); }

  io_result read(std::span<char> into) override;
  io_result write(std::span<const iovec> from, bool more) override;
  io_result send_file(int file, std::uint64_t offset, std::size_t length) override;
  /// Sends a close_notify, then ends the sending direction. From now on, reads return what arrives
  /// without decrypting it, because it is only read to be discarded.
  void shutdown_write() override;
  void reset_at_end() override { under_->reset_at_end(); }
  std::size_t unacknowledged_bytes() const noexcept override {
    return under_->unacknowledged_bytes();
  }
  std::size_t held_bytes() const noexcept override {
    return unsent_.capacity() + undecrypted_.capacity();
  }
  int descriptor() const noexcept override { return under_->descriptor(); }

private:
  static const BIO_METHOD* memory_methods();
  static int on_read(BIO* of, char* into, int size);
  static int on_write(BIO* of, const char* from, int size);
  static long on_control(BIO* of, int command, long number, void* pointer);

  void attach();
  /// Reads once from the stream below, at most `most` bytes, into the thread's buffer. OpenSSL
  /// takes them from there.
  io_result receive(std::size_t most);
  /// Keeps what OpenSSL has not read from the thread's buffer.
  void keep_undecrypted();
  /// Decrypts what has been received into `into`. Returns `moved` even if that yields nothing.
  io_result decrypt(std::span<char> into);
  /// Encrypts at most `tls_buffers::turn_bytes` of `from`.
  void encrypt(std::span<const iovec> from);
  /// Passes on what OpenSSL has written, after what is unsent, until the stream below accepts no
  /// more. `moved`: nothing is left.
  io_status push(bool more);
  /// How many of `given` bytes are moved.
  io_result report(std::size_t given) noexcept;
  /// Forgets what an earlier call of any stream of the thread left over.
  void begin_call() noexcept;
  void fail(std::string why);
  /// `kind` is OpenSSL's (SSL_ERROR_..).
  void fail_with(int kind);

  std::unique_ptr<byte_stream> under_;
  std::shared_ptr<tls_context> context_;
  ssl_ptr ssl_;
  /// What OpenSSL reads next: a part of the thread's buffer, or of `undecrypted_`.
  std::string_view input_;
  /// Received and not yet decrypted.
  std::string undecrypted_;
  /// Encrypted, and not yet accepted by the stream below.
  std::string unsent_;
  std::string failure_;
  std::shared_ptr<const std::string> client_subject_;
  /// Bytes given to `write` that are encrypted and not reported as moved.
  std::size_t unreported_bytes_ = 0;
  /// Encrypted bytes that the stream below accepted since the last report.
  std::size_t taken_bytes_ = 0;
  std::uint32_t handshake_bytes_ = 0;
  bool has_failed_ = false;
  bool is_truncated_ = false;
  /// `shutdown_write` was called.
  bool is_shut_down_ = false;
  /// The sending direction of the stream below ends once nothing is unsent.
  bool ends_under_ = false;
};

} // namespace matchcloud::http
