#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string_view>

namespace matchcloud::http {

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

} // namespace matchcloud::http
