#pragma once

#include "base/expected.hpp"
#include "http/wire/header_characters.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// The parts of a request line, as views into the line.
struct request_line {
  std::string_view method;
  /// The authority of an absolute-form target, which replaces the Host header; otherwise empty.
  std::string_view authority;
  /// The target without scheme and authority: it begins with `/` or `?`, is `*`, or is empty (an
  /// absolute form without a path).
  std::string_view target;
  bool http_1_0 = false;
};

/// Reads `METHOD SP TARGET SP HTTP/1.x` (RFC 9112 section 3), given without its line end. The parts
/// are separated by exactly one SP and not surrounded by white space. A minor version over 1 is
/// read as 1.1 (RFC 9110 section 2.5). If several things are wrong, the error is the first of:
/// method, target over `target_limit_bytes` (as sent), target missing, version missing or
/// malformed, major version other than 1, the method CONNECT, target malformed.
base::expected<request_line> parse_request_line(std::string_view line,
                                                std::size_t target_limit_bytes);

/// Whether the target of an unfinished request line is already over the limit.
bool target_overruns(std::string_view unfinished_line, std::size_t target_limit_bytes) noexcept;

/// Whether `text` is `uri-host [":" port]` with a host (RFC 9110 section 7.2).
bool is_authority(std::string_view text) noexcept;

/// The parts of a header or trailer line, as views into the line.
struct field_line {
  std::string_view name;
  /// The value without surrounding white space.
  std::string_view value;
};

/// Reads `name: value` (RFC 9112 section 5), given without its line end. Refuses folded lines,
/// white space before the colon, and control characters other than HTAB.
base::expected<field_line> parse_field_line(std::string_view line);

/// The headers that decide where a request ends and whether the connection stays open. The framer
/// reads them and never stores them in the request.
enum class framing_field : std::uint8_t {
  none,
  connection,
  content_length,
  transfer_encoding,
  content_encoding,
  expect,
};

/// The framing header with this name, ignoring case.
framing_field find_framing_field(std::string_view name) noexcept;

/// Reads a value that consists of digits only. A number over 2^64-1 reads as 2^64-1, which is over
/// any limit.
base::expected<std::uint64_t> parse_content_length(std::string_view value);

/// Whether the comma-separated `list` contains `token`, ignoring case.
bool list_has(std::string_view list, std::string_view token) noexcept;

/// Whether the comma-separated `list` contains nothing but `token`, ignoring case. Empty elements
/// do not count (RFC 9110 section 5.6.1.2), so the result for an empty list is true.
bool list_has_only(std::string_view list, std::string_view token) noexcept;

/// Whether the comma-separated `list` has several elements and ends with `token`, ignoring case. An
/// empty element counts: this is for `Transfer-Encoding`, in which each parser must see the same.
bool list_ends_with(std::string_view list, std::string_view token) noexcept;

/// Whether `value` has a percent-encoded CR, LF or NUL, which a decoder downstream would turn into
/// a line end (cpp-httplib before 0.44 decodes header values).
bool hides_line_end(std::string_view value) noexcept;

/// Reads a chunk's size line (RFC 9112 section 7.1), given without its line end: 1 to 16
/// hexadecimal digits, optionally followed by `;` (blanks may precede it) and extensions, which are
/// skipped.
base::expected<std::uint64_t> parse_chunk_line(std::string_view line);

// The errors of a request that several parts can find: the framer, a front and a transport. All of
// them take the errors from here, so that the wording is the same. They are not inlined, because
// that costs the framer 1.5 % of its instructions.

/// The body of a data plane request is over `body-limit-bytes`.
[[gnu::noinline]] inline base::error body_too_large(std::uint64_t limit_bytes) {
  return {base::errc::body_too_large,
          "The body has more than " + std::to_string(limit_bytes) +
              " bytes, the limit. Send less, or split it into several requests if possible. The "
              "service's operator can raise body-limit-bytes."};
}

[[gnu::noinline]] inline base::error content_coding_unsupported() {
  return {base::errc::content_coding_unsupported,
          "The body has a Content-Encoding. Send it without one (identity)."};
}

[[gnu::noinline]] inline base::error method_not_implemented(std::string_view token) {
  return {base::errc::method_not_implemented,
          "No path of the service supports the method " + in_quotes(token) +
              ". Methods are upper-case: GET, HEAD, POST, OPTIONS."};
}

/// What is wrong with a line of a request.
[[gnu::noinline]] inline tl::unexpected<base::error> malformed(std::string detail) {
  return base::fail(base::errc::request_malformed, std::move(detail));
}

/// Whether a `Content-Type` names `type` (lower case, without parameters). Type and subtype are
/// case-insensitive, and parameters follow a semicolon (RFC 9110 section 8.3.1).
bool is_media_type(std::string_view content_type, std::string_view type) noexcept;

bool is_json(std::string_view content_type) noexcept;

/// The media types in use for JSON Lines (none is registered), separated by spaces.
inline constexpr std::string_view json_lines_types =
    "application/x-ndjson application/ndjson application/jsonl application/x-jsonlines";

bool is_json_lines(std::string_view content_type) noexcept;

/// Whether a `Content-Type` allows the text to be UTF-8: its `charset` is absent, empty, UTF-8 or
/// the subset US-ASCII, quoted or not and in upper or lower case (RFC 9110 section 8.3.2).
bool has_unicode_charset(std::string_view content_type) noexcept;

} // namespace matchcloud::http
