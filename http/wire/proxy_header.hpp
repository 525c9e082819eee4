#pragma once

#include "base/error.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The longest header of version 1, including its line end (section 2.1 of the specification).
inline constexpr std::size_t proxy_line_limit_bytes = 107;
/// The most bytes that may follow the first 16 of a version 2 header: addresses and TLVs. The
/// longest addresses (AF_UNIX) take 216 bytes; load balancers add some hundred bytes of TLVs.
inline constexpr std::size_t proxy_block_limit_bytes = 4'096;

enum class proxy_header_status : std::uint8_t {
  /// All bytes are consumed and the header is not complete.
  need_more,
  /// The header is complete; bytes beyond `consumed` belong to the first request.
  complete,
  /// The bytes are refused: see `failure()`.
  failed,
};

struct proxy_header_result {
  proxy_header_status status = proxy_header_status::need_more;
  /// How many of the bytes fed were taken. After `failed`: including the byte that decided it.
  std::size_t consumed = 0;
};

/// The client that a header names for the connection.
enum class proxied_client : std::uint8_t {
  /// Version 2, LOCAL: the connection is the proxy's own (a health check).
  none,
  /// A client without a known TCP address: UNKNOWN in version 1; in version 2 AF_UNSPEC,
  /// AF_UNIX and every transport other than TCP.
  unknown,
  /// The header has the client's address: see `address()`.
  named,
};

/// Reads the PROXY protocol header, version 1 or 2, at the beginning of a connection (haproxy,
/// doc/proxy-protocol.txt). The reader is strict. Its verdict depends only on the bytes, never on
/// how they are split into `feed` calls, because a fixed byte decides each refusal:
/// - the first byte with which the input differs from the beginning of every header;
/// - version 1: the byte after a CR, an LF, or the last byte that a line may have;
/// - version 2: the byte of version and command, the byte of family and transport, or the last byte
///   of the length.
///
/// The TLVs of version 2 are skipped unread, including the checksum (CRC32c): TCP has a checksum of
/// its own, and a header is trusted because of its sender.
///
/// Used by one thread. Owns no heap memory except that of `failure()`.
class proxy_header_reader {
public:
  /// Takes bytes of the connection. After `complete` and `failed` it consumes nothing more.
  proxy_header_result feed(std::string_view bytes);

  /// Whether no byte has been taken yet.
  bool idle() const noexcept { return taken_ == 0; }
  /// Which kind of client the header names. Only after `complete`.
  proxied_client client() const noexcept { return client_; }
  /// The client's address. Only after `complete`, if `client()` is `named`.
  const model::ip_address& address() const noexcept { return address_; }
  /// Why the bytes were refused: `request_malformed`. Only after `failed`.
  const base::error& failure() const noexcept { return failure_; }

private:
  void parse(char c);
  void parse_of_line(char c);
  void read_line();
  void parse_block();
  void check_family(unsigned family, unsigned transport);
  void check_length();
  void read_block();
  void complete(proxied_client whom) noexcept;
  void fail(std::string found);
  void fail_beginning();
  std::string_view kept() const noexcept;
  unsigned byte_at(std::size_t position) const noexcept;

  proxy_header_status status_ = proxy_header_status::need_more;
  proxied_client client_ = proxied_client::none;
  model::ip_address address_;
  std::size_t taken_ = 0;
  /// The length of the whole version 2 header in bytes; 0 until it is known.
  std::size_t length_ = 0;
  /// The first bytes taken: a whole line of version 1, or a block of version 2 up to at least the
  /// end of its TCP addresses.
  std::array<char, proxy_line_limit_bytes> kept_{};
  base::error failure_;
};

} // namespace matchcloud::http
