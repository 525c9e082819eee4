#pragma once

#include "base/expected.hpp"
#include "http/request.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

struct framer_limits {
  /// Request line, header lines and their line ends together.
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  std::size_t header_limit = 100;
  std::size_t body_limit_bytes = 1024 * 1024;
};

enum class framer_status : std::uint8_t {
  /// All bytes are consumed and the request is not complete.
  need_more,
  /// The request is complete; bytes beyond `consumed` belong to the next one.
  complete,
  /// The bytes are refused: see `failure()`. The connection must close after the answer.
  failed,
};

struct framer_result {
  framer_status status = framer_status::need_more;
  std::size_t consumed = 0;
};

/// Decides where a request ends: the security boundary of the service. Strict: what two parsers
/// could read differently is refused (RFC 9112 sections 3, 6, 7, 11.2). The verdict depends on the
/// bytes alone, never on how they are cut into `feed` calls.
///
/// Used by one thread. Holds at most one unfinished line (bounded by `head_limit_bytes`); between
/// requests it owns no heap memory.
class request_framer {
public:
  /// `limits` must outlive the framer.
  explicit request_framer(const framer_limits& limits) noexcept : limits_{&limits} {}

  /// Takes bytes of the connection and writes what they say into `into`, which must be the same
  /// fresh request from a request's first byte to its last. After `complete` the framer is ready
  /// for the next request; after `failed` it stays failed.
  framer_result feed(std::string_view bytes, request& into);

  /// Why the bytes were refused. Only after `failed`.
  const base::error& failure() const noexcept { return failure_; }

  /// No byte of a request was taken yet (an empty line before it does not count).
  bool idle() const noexcept;
  /// The head is complete and the body is not.
  bool in_body() const noexcept;
  /// True once per request, when its head is complete, it asked for `100-continue` (HTTP/1.1), and
  /// no byte of its body has been fed: the transport must send `100 Continue` now.
  bool take_continue() noexcept;

private:
  const framer_limits* limits_;
  base::error failure_;
};

} // namespace matchcloud::http
