#pragma once

#include "base/expected.hpp"
#include "http/wire/request.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

struct field_line;

struct framer_limits {
  /// The limit on the request line and the header lines together, including their line ends.
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  /// The most header lines, and also the most trailer lines.
  std::size_t header_limit = 100;
  std::uint64_t body_limit_bytes = 1024 * 1024;
  /// Whether the framer stops at the end of each head that announces a body, instead of only at
  /// those with `Expect: 100-continue`; see `body_next`.
  bool stops_before_bodies = false;
};

/// The limit on a chunk's size line, including its extensions and line end.
inline constexpr std::size_t chunk_line_limit_bytes = 256;
/// The limit on the bytes that chunked coding adds to a body: this constant plus
/// `chunk_overhead_factor` times the body received so far. A chunk of one byte adds 5 bytes, so an
/// honest client that sends such chunks passes, and an endless body of extensions is refused.
inline constexpr std::size_t chunk_overhead_limit_bytes = 16 * 1024;
inline constexpr std::size_t chunk_overhead_factor = 8;
/// The limit on the trailer lines after the last chunk together, including their line ends.
inline constexpr std::size_t trailer_limit_bytes = 8 * 1024;
/// The memory reserved for a body before its bytes arrive; a client that only announces a body
/// cannot make it cost more. As bytes arrive, up to the size received so far is reserved ahead.
inline constexpr std::size_t body_reserve_bytes = 64 * 1024;

enum class framer_status : std::uint8_t {
  /// All bytes are consumed and the request is not complete.
  need_more,
  /// The head is complete and announces a body. Bytes beyond `consumed` belong to the body; before
  /// any of them are fed, `accept_body` must be called.
  body_next,
  /// The request is complete; bytes beyond `consumed` belong to the next one.
  complete,
  /// The bytes are refused: see `failure()`. The connection must be closed after the answer.
  failed,
};

struct framer_result {
  framer_status status = framer_status::need_more;
  /// How many of the bytes fed were taken. After `failed`: including the byte that decided it.
  std::size_t consumed = 0;
};

/// Decides where a request ends; the security boundary of the service. The framer is strict: it
/// refuses whatever two parsers could read differently (RFC 9112 sections 3, 6, 7, 11.2). Its
/// verdict depends only on the bytes, never on how they are split into `feed` calls, because a
/// fixed byte decides each refusal:
/// - the first byte of a request, if no method can begin with it (TLS on a plain port);
/// - the LF of a line, for everything that is wrong with the line (first its line end, then the
///   number of lines, then from left to right; see `parse_request_line`);
/// - the first byte over a limit. A head over `head_limit_bytes` is `head_too_large`, unless its
///   request line is still unfinished and has a target over its limit: `target_too_long`;
/// - the last LF of the head, for what is wrong with the head as a whole, in this order: Host
///   missing (400), Expect (417), Content-Encoding (415), Content-Length over `body_limit_bytes`
///   (413);
/// - the LF of a chunk's size line, if that chunk would exceed `body_limit_bytes` (413);
/// - the first wrong byte of the CRLF after a chunk's data or of an empty line before a request.
///
/// One empty line before a request is skipped and counts towards no limit.
///
/// Used by one thread. Holds at most one unfinished line and the authority of an absolute-form
/// target (bounded by `head_limit_bytes` each); between requests it owns no heap memory.
class request_framer {
public:
  /// `limits` must outlive the framer.
  explicit request_framer(const framer_limits& limits) noexcept : limits_{&limits} {}

  /// Takes bytes of the connection and stores the request that they encode in `into`, which must be
  /// fresh at the first byte of a request and the same object until its last. After `complete` the
  /// framer is ready for the next request; after `failed` it stays failed and consumes nothing.
  /// After `body_next`, `into` may be another object, which gets the body alone and from which the
  /// caller may take what is there at any time.
  framer_result feed(std::string_view bytes, request& into);

  /// After `body_next`: reads the body, of at most `limit_bytes`. Fails if its announced length is
  /// larger.
  framer_status accept_body(std::uint64_t limit_bytes);
  /// After `body_next`: the announced length of the body in bytes; 0 if it arrives in chunks.
  std::uint64_t announced_length() const noexcept { return facts_.content_length; }

  /// Why the bytes were refused. Only after `failed`.
  const base::error& failure() const noexcept { return failure_; }

  /// Whether no byte of a request has been taken yet (an empty line before it does not count).
  bool idle() const noexcept { return state_ <= state::empty_line; }
  /// Whether the head is complete and the body (with its trailers) is not.
  bool in_body() const noexcept { return state_ >= state::sized_body && state_ <= state::trailers; }
  /// Whether the request that is being read, or was refused, announced a body that is not complete.
  bool has_unread_body() const noexcept { return facts_.chunked || facts_.content_length > 0; }
  /// Whether the transport must send `100 Continue` before it waits for the body. True once per
  /// request, if it is HTTP/1.1 and expects `100-continue`, its head is complete and no byte of its
  /// body came with it.
  bool take_continue() noexcept { return std::exchange(continue_due_, false); }

private:
  /// The states in the order in which a request goes through them.
  enum class state : std::uint8_t {
    start,
    /// Between the CR and the LF of the empty line before a request.
    empty_line,
    request_line,
    headers,
    /// `body_next` was returned and `accept_body` was not called yet.
    before_body,
    sized_body,
    chunk_line,
    chunk_body,
    chunk_cr,
    chunk_lf,
    trailers,
    failed,
  };

  /// What the header lines read so far say about the body and the connection.
  struct head_facts {
    std::uint64_t content_length = 0;
    bool has_content_length : 1 = false;
    bool chunked : 1 = false;
    bool expects_other : 1 = false;
    bool expects_continue : 1 = false;
    bool encoded : 1 = false;
    bool close : 1 = false;
    bool keep_alive : 1 = false;
    bool skipped_empty_line : 1 = false;
  };

  enum class line_status : std::uint8_t { unfinished, whole, bare_lf, over_limit };

  framer_status advance(std::string_view& rest, request& into);
  framer_status begin(std::string_view& rest);
  framer_status end_empty_line(std::string_view& rest);
  framer_status read_head(std::string_view& rest, request& into);
  framer_status read_sized_body(std::string_view& rest, request& into);
  framer_status read_chunk_line(std::string_view& rest);
  framer_status read_chunk_body(std::string_view& rest, request& into);
  framer_status read_chunk_end(std::string_view& rest);
  framer_status read_trailers(std::string_view& rest);

  line_status take_line(std::string_view& rest, std::size_t room, std::string_view& line);
  framer_status accept_request_line(std::string_view line, request& into);
  framer_status accept_header(std::string_view line, request& into);
  framer_status accept_trailer(std::string_view line);
  framer_status accept_content_length(std::string_view value);
  framer_status accept_transfer_encoding(std::string_view value, const request& into);
  framer_status accept_connection(std::string_view value);
  framer_status refuse_transfer_coding(std::string_view value);
  framer_status accept_expect(std::string_view value);
  framer_status keep_header(header h, const field_line& field, request& into);
  framer_status end_head(request& into);
  framer_status begin_body(request& into);
  void enter_body() noexcept;
  void take_body(std::string_view& rest, request& into);

  framer_status complete() noexcept;
  framer_status refuse(base::errc code, std::string detail);
  framer_status refuse(base::error why);
  framer_status refuse_line(const base::error& why);
  framer_status refuse_long_head();
  void release() noexcept;

  const framer_limits* limits_;
  base::error failure_;
  /// The unfinished line; empty while each line arrives in one piece.
  std::string line_;
  /// The authority of an absolute-form target, which replaces Host when the head ends.
  std::string authority_;
  head_facts facts_;
  /// Bytes of the sized body or of the chunk that have not arrived yet.
  std::uint64_t body_left_ = 0;
  /// Bytes of a chunked body so far, and the limit on them.
  std::uint64_t body_taken_ = 0;
  std::uint64_t body_limit_bytes_ = 0;
  /// Bytes counted towards the limit of the current section: head, chunk overhead or trailers.
  std::size_t section_bytes_ = 0;
  /// Lines read of the head (including the request line) or of the trailers.
  std::size_t lines_ = 0;
  state state_ = state::start;
  bool continue_due_ = false;
};

} // namespace matchcloud::http
