#pragma once

#include "http/tls/tls_stream.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/http/tls/memory_pipe.hpp"
#include "tests/http/tls/tls_pair.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

/// Properties of TLS streams that must hold whatever becomes of the bytes between them. Shared by
/// the fuzz target and the tests.
namespace matchcloud::tls_stream_law {

inline const http::tls_material::pair& pair() {
  static const auto made = fixtures::make_tls_pair();
  return made;
}

inline const std::shared_ptr<http::tls_context>& server_context() {
  static const auto made =
      http::tls_context::for_server({{pair()}, {}, {}, {http::ticket_key{{1}, {}, {}}}},
                                    http::tls_purpose::data)
          .value();
  return made;
}

/// A client's, which trusts that server.
inline const std::shared_ptr<http::tls_context>& client_context() {
  static const auto made = [] {
    const fixtures::temporary_directory in;
    const auto file = in.path() + "/ca.pem";
    std::ofstream{file} << pair().certificate;
    return http::tls_context::for_client(file).value();
  }();
  return made;
}

/// The byte at an offset of what a side sends.
inline char sent_byte(std::size_t at) noexcept {
  return static_cast<char>((at * 2'654'435'761U) >> 11U);
}

/// One side: its stream, and what it has sent and received.
struct side {
  http::tls_stream stream;
  std::shared_ptr<http::direction> in;
  bool shaken = false;
  bool failed = false;
  bool ended = false;
  bool shut = false;
  std::size_t sent = 0;
  std::size_t received = 0;
};

/// Runs what `input` says, an operation and its argument in two bytes each. Empty where the law
/// holds, otherwise what broke it.
class run {
public:
  run()
      : client_{{std::make_unique<http::pipe_end>(to_client_, to_server_), client_context(),
                 std::string{"localhost"}},
                to_client_},
        server_{{std::make_unique<http::pipe_end>(to_server_, to_client_), server_context()},
                to_server_} {}

  std::string check(std::string_view input) {
    for (std::size_t at = 0; at + 1 < input.size() && why_.empty(); at += 2)
      step(static_cast<std::uint8_t>(input[at]), static_cast<std::uint8_t>(input[at + 1]));
    if (why_.empty() && !touched_) drain();
    return why_;
  }

private:
  /// The most that a stream holds back: what one call encrypts, the flights of a handshake, and
  /// what growing strings round up to.
  static constexpr std::size_t held_limit_bytes = 4 * http::tls_buffers::turn_bytes;

  void step(std::uint8_t operation, std::uint8_t argument) {
    auto& of = (operation & 8U) != 0 ? server_ : client_;
    auto& other = (operation & 8U) != 0 ? client_ : server_;
    switch (operation & 7U) {
    case 0: return write(of, std::size_t{argument} * 37 + 1);
    case 1: return write(of, std::size_t{argument} * 1'031 + 1);
    case 2: return read(of, other, std::size_t{argument} * 13 + 1);
    case 3: return read(of, other, 64UL * 1024);
    case 4: of.in->room = argument == 255 ? SIZE_MAX : std::size_t{argument} * 11; return;
    case 5:
      of.in->most_per_read = of.in->most_per_write =
          argument == 255 ? SIZE_MAX : std::size_t{argument} + 1;
      return;
    case 6: return touch(of, argument);
    default: return end(of, argument);
    }
  }

  void touch(side& of, std::uint8_t argument) {
    auto& bytes = of.in->bytes;
    if (bytes.empty()) return;
    touched_ = true;
    bytes[argument * bytes.size() / 256] ^= static_cast<char>(1U << (argument & 7U));
  }

  void end(side& of, std::uint8_t argument) {
    if ((argument & 1U) != 0) {
      of.in->ended = touched_ = true;
    } else if (of.shaken && !of.shut) {
      of.shut = true;
      of.stream.shutdown_write();
    }
  }

  bool shake(side& of) {
    if (of.shaken || of.failed) return of.shaken;
    switch (of.stream.handshake()) {
    case http::handshake_status::done: of.shaken = true; break;
    case http::handshake_status::failed: of.failed = true; break;
    case http::handshake_status::plain_http:
      of.failed = true;
      if (!touched_) why_ = "a hello was taken for HTTP";
      break;
    default: break;
    }
    if (of.failed && !touched_) why_ = "the handshake failed: " + of.stream.failure();
    return of.shaken;
  }

  void write(side& of, std::size_t size) {
    if (!shake(of) || of.shut) return;
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
      text[i] = sent_byte(of.sent + i);
    const iovec piece{text.data(), size};
    const auto moved = of.stream.write({&piece, 1}, false);
    if (moved.bytes > size) why_ = "more was moved than was given";
    if (of.failed && moved.status != http::io_status::failed) why_ = "a failed stream was written";
    if (moved.status == http::io_status::blocked && moved.bytes != 0) why_ = "blocked, and moved";
    of.failed = of.failed || moved.status == http::io_status::failed;
    of.sent += moved.bytes;
    if (of.stream.held_bytes() > held_limit_bytes) why_ = "too much is held";
  }

  void read(side& of, const side& from, std::size_t size) {
    if (!shake(of)) return;
    std::string text(size, '\0');
    const auto got = of.stream.read(text);
    if (of.shut) return; // what is read is only discarded
    if (got.bytes > size) why_ = "more was read than there was room for";
    if (of.failed && got.status != http::io_status::failed) why_ = "a failed stream was read";
    if (got.status == http::io_status::failed && !touched_) why_ = "it failed untouched";
    of.failed = of.failed || got.status == http::io_status::failed;
    if (got.status == http::io_status::ended) {
      of.ended = true;
      if (!of.stream.is_truncated() && !from.shut) why_ = "an end that nobody said";
      if (!of.stream.is_truncated() && of.received < from.sent) why_ = "an end before all was read";
    }
    if (got.status != http::io_status::moved) return;
    const bool said = of.ended && !of.stream.is_truncated();
    if (said && got.bytes > 0) why_ = "bytes after the end";
    for (std::size_t i = 0; i < got.bytes; ++i)
      if (text[i] != sent_byte(of.received + i)) why_ = "other bytes were read than were sent";
    of.received += got.bytes;
  }

  /// Nothing was broken: all that was moved arrives.
  void drain() {
    for (const auto& each : {to_client_, to_server_})
      each->room = each->most_per_read = each->most_per_write = SIZE_MAX;
    for (int i = 0; i < 8 && why_.empty(); ++i) {
      // More than can be waiting, which is not encrypted again.
      write(client_, held_limit_bytes);
      write(server_, held_limit_bytes);
      read(server_, client_, 64UL * 1024);
      read(client_, server_, 64UL * 1024);
    }
    for (int i = 0; i < 64 && why_.empty(); ++i) {
      read(server_, client_, 64UL * 1024);
      read(client_, server_, 64UL * 1024);
    }
    if (!why_.empty()) return;
    if (!client_.shaken || !server_.shaken) why_ = "the handshake does not end";
    check_received(server_, client_);
    check_received(client_, server_);
  }

  void check_received(const side& by, const side& from) {
    // Who has ended does not read any more, and what waited then is not reported to its writer.
    if (by.shut) return;
    if (by.received < from.sent) why_ = "bytes are missing";
    if (by.received > from.sent && !from.shut) why_ = "bytes were moved that nobody heard of";
  }

  std::shared_ptr<http::direction> to_server_ = std::make_shared<http::direction>();
  std::shared_ptr<http::direction> to_client_ = std::make_shared<http::direction>();
  side client_;
  side server_;
  /// Bytes were changed or cut off on their way.
  bool touched_ = false;
  std::string why_;
};

inline std::string check(std::string_view input) {
  return run{}.check(input);
}

} // namespace matchcloud::tls_stream_law
