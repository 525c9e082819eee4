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
  /// Request line, header lines and their line ends together.
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  /// Header lines, and trailer lines.
  std::size_t header_limit = 100;
  std::size_t body_limit_bytes = 1024 * 1024;
};

/// A chunk's size line with its extensions and line end.
inline constexpr std::size_t chunk_line_limit_bytes = 256;
/// What the chunks of one request may add to its body: this much, and `chunk_overhead_factor` times
/// the body received so far. Chunks of one byte cost 5 bytes each, so an honest client that sends
/// such chunks passes, and a body of extensions ends.
inline constexpr std::size_t chunk_overhead_limit_bytes = 16 * 1024;
inline constexpr std::size_t chunk_overhead_factor = 8;
/// The trailer lines after the last chunk and their line ends together.
inline constexpr std::size_t trailer_limit_bytes = 8 * 1024;
/// Memory reserved for a body ahead of its bytes: what a client merely announces costs no more.
inline constexpr std::size_t body_reserve_bytes = 64 * 1024;

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
  /// Of the bytes fed. After `failed`: up to and with the byte that decided it.
  std::size_t consumed = 0;
};

/// Decides where a request ends: the security boundary of the service. Strict: what two parsers
/// could read differently is refused (RFC 9112 sections 3, 6, 7, 11.2). The verdict depends on the
/// bytes alone, never on how they are cut into `feed` calls, because every verdict has its byte:
/// - the first byte of a request, if no method can begin with it (TLS on a plain port);
/// - the LF of a line, for all that is wrong with the line (first its line end, then the number of
///   lines, then from left to right; see `parse_request_line`);
/// - the first byte over a limit. A head over `head_limit_bytes` is `head_too_large`, unless its
///   request line is unfinished there and has a target over its limit: `target_too_long`;
/// - the last LF of the head, for what the head as a whole lacks or asks for, in this order: Host
///   missing (400), Expect (417), Content-Encoding (415), Content-Length over `body_limit_bytes`
///   (413);
/// - the LF of a chunk's size line that would lead over `body_limit_bytes` (413).
///
/// One empty line before a request is skipped and counts towards no limit.
///
/// Used by one thread. Holds at most one unfinished line and the host of an absolute-form
/// target (bounded by `head_limit_bytes` each); between
/// requests it owns no heap memory.
class request_framer {
public:
  /// `limits` must outlive the framer.
  explicit request_framer(const framer_limits& limits) noexcept : limits_{&limits} {}

  /// Takes bytes of the connection and writes what they say into `into`, which must be the same
  /// fresh request from a request's first byte to its last. After `complete` the framer is ready
  /// for the next request; after `failed` it stays failed and consumes nothing.
  framer_result feed(std::string_view bytes, request& into);

  /// Why the bytes were refused. Only after `failed`.
  const base::error& failure() const noexcept { return failure_; }

  /// No byte of a request was taken yet (an empty line before it does not count).
  bool idle() const noexcept { return state_ <= state::empty_line; }
  /// The head is complete and the body is not.
  bool in_body() const noexcept { return state_ >= state::sized_body && state_ <= state::trailers; }
  /// True once per request, when its head is complete, it asked for `100-continue` (HTTP/1.1), and
  /// no byte of its body has been fed: the transport must send `100 Continue` now.
  bool take_continue() noexcept { return std::exchange(continue_due_, false); }

private:
  /// In the order that a request goes through them.
  enum class state : std::uint8_t {
    start,
    /// Between CR and LF of the empty line before a request.
    empty_line,
    request_line,
    headers,
    sized_body,
    chunk_line,
    chunk_body,
    chunk_cr,
    chunk_lf,
    trailers,
    failed,
  };

  /// What the lines so far say about body and connection.
  struct head_facts {
    std::uint64_t content_length = 0;
    bool has_content_length : 1 = false;
    bool chunked : 1 = false;
    bool has_expect : 1 = false;
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
  framer_status read_chunk_line(std::string_view& rest, request& into);
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
  void append_body(std::string_view part, request& into);

  framer_status complete() noexcept;
  framer_status refuse(base::errc code, std::string detail);
  framer_status refuse(base::error why);
  framer_status refuse_line(const base::error& why);
  framer_status refuse_long_head();
  void release() noexcept;

  const framer_limits* limits_;
  base::error failure_;
  /// The line that is not finished yet; empty while lines come whole.
  std::string line_;
  /// Of an absolute-form target, to stand for Host when the head ends.
  std::string authority_;
  head_facts facts_;
  /// Bytes of the sized body or of the chunk that are still to come.
  std::uint64_t body_left_ = 0;
  /// Bytes counted towards the limit in force: of the head, of chunk overhead, of the trailers.
  std::size_t section_bytes_ = 0;
  /// Lines of the head (with the request line) or of the trailers taken.
  std::size_t lines_ = 0;
  state state_ = state::start;
  bool continue_due_ = false;
};

} // namespace matchcloud::http
