#include "http/tls/tls_stream.hpp"

#include "base/check.hpp"

#include <openssl/err.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace matchcloud::http {

namespace {

/// Whether a connection that begins with this byte speaks HTTP: a method's first letter.
bool begins_http(char first) noexcept {
  return first >= 'A' && first <= 'Z';
}

} // namespace

// -- memory for OpenSSL -------------------------------------------------------

const BIO_METHOD* tls_stream::memory_methods() {
  static const BIO_METHOD* const methods = [] {
    auto* made = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "connection");
    base::check(made != nullptr, "OpenSSL makes a kind of BIO");
    BIO_meth_set_read(made, &tls_stream::on_read);
    BIO_meth_set_write(made, &tls_stream::on_write);
    BIO_meth_set_ctrl(made, &tls_stream::on_control);
    return made;
  }();
  return methods;
}

int tls_stream::on_read(BIO* of, char* into, int size) {
  auto& input = static_cast<tls_stream*>(BIO_get_data(of))->input_;
  BIO_clear_retry_flags(of);
  if (input.empty()) {
    BIO_set_retry_read(of);
    return -1;
  }
  const auto taken = std::min(input.size(), static_cast<std::size_t>(size));
  std::memcpy(into, input.data(), taken);
  input.remove_prefix(taken);
  return static_cast<int>(taken);
}

int tls_stream::on_write(BIO* of, const char* from, int size) {
  auto* self = static_cast<tls_stream*>(BIO_get_data(of));
  self->context_->buffers().encrypted.append(from, static_cast<std::size_t>(size));
  return size;
}

long tls_stream::on_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

tls_stream::tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_context> context,
                       std::string_view received)
    : under_{std::move(under)},
      context_{std::move(context)},
      ssl_{context_->accept()},
      undecrypted_{received} {
  input_ = undecrypted_;
  attach();
}

tls_stream::tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_context> context,
                       const std::string& host)
    : under_{std::move(under)}, context_{std::move(context)}, ssl_{context_->connect(host)} {
  attach();
}

tls_stream::~tls_stream() {
  // Otherwise OpenSSL takes the session for a broken one, which is never resumed.
  if (!has_failed_) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void tls_stream::attach() {
  auto* memory = BIO_new(memory_methods());
  base::check(memory != nullptr, "OpenSSL makes a BIO");
  BIO_set_data(memory, this);
  BIO_set_init(memory, 1);
  SSL_set_bio(ssl_.get(), memory, memory);
}

// -- handshake ----------------------------------------------------------------

handshake_status tls_stream::handshake(bool short_reads) {
  if (has_failed_) return handshake_status::failed;
  begin_call();
  const bool is_server = SSL_is_server(ssl_.get()) == 1;
  int result = SSL_is_init_finished(ssl_.get());
  bool received = false;
  bool more = false;
  while (result != 1) {
    const bool begins = !is_server && handshake_bytes_ == 0;
    if (input_.empty() && !begins) {
      if (std::exchange(received, true)) break;
      const auto got = receive(handshake_read_bytes);
      if (got.status == io_status::ended || got.status == io_status::failed) {
        fail("the peer ended the connection");
        return handshake_status::failed;
      }
      if (got.status == io_status::blocked) break;
      more = got.more || short_reads;
    }
    if (handshake_bytes_ == 0 && !begins && begins_http(input_.front()))
      return handshake_status::plain_http;
    handshake_bytes_ += static_cast<std::uint32_t>(std::max<std::size_t>(1, input_.size()));
    result = SSL_do_handshake(ssl_.get());
    const int why = SSL_get_error(ssl_.get(), result);
    if (result != 1 && why != SSL_ERROR_WANT_READ) {
      fail_with(why);
      break;
    }
    // Requests may follow the last bytes of a handshake.
    if (result != 1 && handshake_bytes_ > handshake_limit_bytes) {
      fail("the handshake has too many bytes");
      return handshake_status::failed;
    }
  }
  keep_undecrypted();
  if (result == 1 && is_server)
    if (auto subject = client_subject_of(*ssl_); !subject.empty())
      client_subject_ = std::make_shared<const std::string>(std::move(subject));
  // After the handshake a server of TLS 1.3 only sends tickets, which go with the first reply.
  if (result == 1 && is_server && unsent_.empty() && SSL_version(ssl_.get()) == TLS1_3_VERSION) {
    unsent_ = std::string{context_->buffers().encrypted}; // not more memory than that
    return handshake_status::done;
  }
  const auto pushed = push(false);
  if (has_failed_ || pushed == io_status::failed) return handshake_status::failed;
  if (result == 1 && pushed == io_status::moved) return handshake_status::done;
  return more && result != 1 ? handshake_status::more : handshake_status::blocked;
}

void tls_stream::fail(std::string why) {
  has_failed_ = true;
  failure_ = std::move(why);
}

void tls_stream::fail_with(int kind) {
  auto why = base::take_openssl_reason();
  fail(why.empty() ? "error " + std::to_string(kind) : std::move(why));
}

void tls_stream::begin_call() noexcept {
  context_->buffers().encrypted.clear();
  ERR_clear_error();
}

bool tls_stream::is_within_record() const noexcept {
  return !undecrypted_.empty() ||
         (SSL_has_pending(ssl_.get()) == 1 && SSL_pending(ssl_.get()) == 0);
}

// -- reading ------------------------------------------------------------------

io_result tls_stream::receive(std::size_t most) {
  auto& buffer = context_->buffers().received;
  const auto got = under_->read(std::span{buffer}.first(std::min(most, buffer.size())));
  if (got.status == io_status::moved) input_ = {buffer.data(), got.bytes};
  return got;
}

void tls_stream::keep_undecrypted() {
  if (input_.empty() && undecrypted_.empty()) return;
  std::string rest{input_};
  undecrypted_.swap(rest);
  input_ = undecrypted_;
}

io_result tls_stream::decrypt(std::span<char> into) {
  io_result done{io_status::moved, 0};
  const bool ended = (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  while (done.bytes < into.size() &&
         (ended || !input_.empty() || SSL_has_pending(ssl_.get()) == 1)) {
    std::size_t got = 0;
    const auto room = into.subspan(done.bytes);
    const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &got);
    if (result == 1) {
      done.bytes += got;
      continue;
    }
    const int why = SSL_get_error(ssl_.get(), result);
    if (why == SSL_ERROR_WANT_READ) break;
    if (why != SSL_ERROR_ZERO_RETURN) fail_with(why);
    // Returns what was decrypted before the end first; the next call reports the end.
    done.more = true;
    if (done.bytes == 0) done.status = has_failed_ ? io_status::failed : io_status::ended;
    break;
  }
  return done;
}

io_result tls_stream::read(std::span<char> into) {
  begin_call();
  if (is_shut_down_) {
    if (ends_under_ && push(false) == io_status::moved) {
      ends_under_ = false;
      under_->shutdown_write();
    }
    return under_->read(into);
  }
  if (has_failed_) return {io_status::failed, 0};
  auto done = decrypt(into);
  // If nothing was received, more may be waiting.
  bool more = true;
  if (done.status == io_status::moved && done.bytes == 0) {
    const auto got = receive(into.size());
    if (got.status == io_status::ended) is_truncated_ = true;
    if (got.status != io_status::moved) return got;
    more = got.more;
    done = decrypt(into);
  }
  keep_undecrypted();
  done.more = done.more || more || !undecrypted_.empty() || SSL_pending(ssl_.get()) > 0;
  // An alert, or the answer to a change of keys; what a reply left unsent is sent with it.
  if (!context_->buffers().encrypted.empty() && push(false) == io_status::failed)
    return {io_status::failed, 0};
  // A peer that keeps requesting new keys must accept the answers (RFC 8446 section 4.6.3).
  if (unsent_.size() > unsent_limit_bytes) {
    fail("the peer requests new keys and accepts no answer");
    return {io_status::failed, 0};
  }
  return done;
}

// -- writing ------------------------------------------------------------------

void tls_stream::encrypt(std::span<const iovec> from) {
  auto room = tls_buffers::turn_bytes;
  for (const auto& piece : from) {
    const auto size = std::min(piece.iov_len, room);
    if (size == 0) continue;
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_.get(), piece.iov_base, size, &written);
    if (result != 1) return fail_with(SSL_get_error(ssl_.get(), result));
    unreported_bytes_ += written;
    room -= written;
  }
}

io_status tls_stream::push(bool more) {
  auto& encrypted = context_->buffers().encrypted;
  std::size_t from_unsent = 0;
  std::size_t from_encrypted = 0;
  auto status = io_status::moved;
  while (status == io_status::moved) {
    std::array<iovec, 2> pieces;
    std::size_t count = 0;
    const auto add = [&](std::string& text, std::size_t sent) {
      if (sent < text.size()) pieces[count++] = {text.data() + sent, text.size() - sent};
    };
    add(unsent_, from_unsent);
    add(encrypted, from_encrypted);
    if (count == 0) break;
    const auto sent = under_->write({pieces.data(), count}, more);
    status = sent.status;
    const auto first = std::min(sent.bytes, unsent_.size() - from_unsent);
    from_unsent += first;
    from_encrypted += sent.bytes - first;
  }
  taken_bytes_ += from_unsent + from_encrypted;
  unsent_.erase(0, from_unsent);
  unsent_.append(encrypted, from_encrypted);
  encrypted.clear();
  if (unsent_.empty()) std::string{}.swap(unsent_);
  return status;
}

io_result tls_stream::report(std::size_t given) noexcept {
  const auto taken = std::exchange(taken_bytes_, 0);
  auto moved = unreported_bytes_;
  // At least one byte stays, so that the caller calls again as long as anything is unsent.
  if (!unsent_.empty() && moved > 0) moved = std::min(taken, moved - 1);
  moved = std::min(moved, given);
  unreported_bytes_ -= moved;
  return {moved > 0 || unsent_.empty() ? io_status::moved : io_status::blocked, moved};
}

io_result tls_stream::write(std::span<const iovec> from, bool more) {
  if (has_failed_) return {io_status::failed, 0};
  begin_call();
  if (unreported_bytes_ == 0) {
    taken_bytes_ = 0;
    encrypt(from);
  }
  if (push(more) == io_status::failed || has_failed_) return {io_status::failed, 0};
  std::size_t given = 0;
  for (const auto& piece : from)
    given += piece.iov_len;
  return report(given);
}

io_result tls_stream::send_file(int file, std::uint64_t offset, std::size_t length) {
  auto& buffer = context_->buffers().from_file;
  buffer.resize(tls_buffers::turn_bytes);
  ssize_t got = 0;
  do {
    got = ::pread(file, buffer.data(), std::min(length, buffer.size()), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return {io_status::failed, 0};
  if (got == 0) return {io_status::ended, 0};
  const iovec piece{buffer.data(), static_cast<std::size_t>(got)};
  return write({&piece, 1}, false);
}

void tls_stream::shutdown_write() {
  is_shut_down_ = true;
  if (!has_failed_) {
    begin_call();
    SSL_shutdown(ssl_.get());
    ends_under_ = push(false) == io_status::blocked;
  }
  if (!ends_under_) under_->shutdown_write();
}

} // namespace matchcloud::http
