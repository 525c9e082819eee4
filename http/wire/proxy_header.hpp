#pragma once

#include "base/error.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The longest header of version 1, with its line end (section 2.1 of the specification).
inline constexpr std::size_t proxy_line_limit_bytes = 107;
/// What follows the first 16 bytes of a header of version 2: addresses and TLVs. The longest
/// addresses (AF_UNIX) take 216; balancers add some hundred bytes of TLVs.
inline constexpr std::size_t proxy_block_limit_bytes = 4'096;

enum class proxy_header_status : std::uint8_t {
  /// All bytes are consumed and the header is not complete.
  need_more,
  /// The header is complete; bytes beyond `consumed` are the connection's own.
  complete,
  /// The bytes are refused: see `failure()`.
  failed,
};

struct proxy_header_result {
  proxy_header_status status = proxy_header_status::need_more;
  /// Of the bytes fed. After `failed`: up to and with the byte that decided it.
  std::size_t consumed = 0;
};

/// Whom a header names as the connection's client.
enum class proxied_client : std::uint8_t {
  /// Version 2, LOCAL: the connection is the proxy's own (a health check).
  none,
  /// There is one, and the proxy does not know its address: UNKNOWN in version 1; in version 2
  /// AF_UNSPEC, AF_UNIX and whatever is not TCP.
  unknown,
  /// See `address()`.
  named,
};

/// Reads the PROXY protocol header that a connection begins with, version 1 or 2
/// (haproxy, doc/proxy-protocol.txt). Strict. The verdict depends on the bytes alone, never on how
/// they are cut into `feed` calls, because every verdict has its byte: the first that no header
/// begins with; in version 1 the byte behind a CR, an LF, or the last that a line may have; in
/// version 2 the byte of version and command, that of family and transport, the last of the length.
/// TLVs of version 2 are skipped unread, its checksum (CRC32c) with them: TCP has its own, and a
/// header is believed for who sends it.
///
/// Used by one thread. Owns no heap memory but that of `failure()`.
class proxy_header_reader {
public:
  /// Takes bytes of the connection. After `complete` and `failed` it consumes nothing more.
  proxy_header_result feed(std::string_view bytes);

  /// Whether no byte was taken yet.
  bool idle() const noexcept { return taken_ == 0; }
  /// Only after `complete`, like `address()`.
  proxied_client client() const noexcept { return client_; }
  /// The client's, where it is `named`.
  const model::ip_address& address() const noexcept { return address_; }
  /// Why the bytes were refused: `request_malformed`. Only after `failed`.
  const base::error& failure() const noexcept { return failure_; }

private:
  void take(char c);
  void take_of_line(char c);
  void read_line();
  void take_of_block();
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
  /// Of version 2, once it is known.
  std::size_t length_ = 0;
  /// The first of the bytes taken: a line whole, of a block the addresses that are read.
  std::array<char, proxy_line_limit_bytes> kept_{};
  base::error failure_;
};

} // namespace matchcloud::http
