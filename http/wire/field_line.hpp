#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string_view>

namespace matchcloud::http {

/// A header or trailer line's parts, as views of the line.
struct field_line {
  std::string_view name;
  /// Without surrounding white space.
  std::string_view value;
};

/// Reads `name: value` (RFC 9112 section 5), without its line end. Refuses folded lines, white
/// space before the colon and control characters other than HTAB.
base::expected<field_line> parse_field_line(std::string_view line);

/// The headers that decide where a request ends and whether the connection stays; they are read
/// here and never handed on.
enum class framing_field : std::uint8_t {
  none,
  connection,
  content_length,
  transfer_encoding,
  content_encoding,
  expect,
};

/// The framing header of that name in any case.
framing_field find_framing_field(std::string_view name) noexcept;

/// Reads digits and nothing else. A number over 2^64-1 reads as 2^64-1: it is over any limit.
base::expected<std::uint64_t> parse_content_length(std::string_view value);

/// Whether the comma-separated list `list` has `token`, in any case.
bool list_has(std::string_view list, std::string_view token) noexcept;

/// Whether the comma-separated list `list` has nothing but `token`, in any case. Empty elements do
/// not count (RFC 9110 section 5.6.1.2), so an empty list has nothing else.
bool list_has_only(std::string_view list, std::string_view token) noexcept;

/// Whether the comma-separated list `list` ends with `token`, in any case, after others.
bool list_ends_with(std::string_view list, std::string_view token) noexcept;

/// Whether `value` has a percent-encoded CR, LF or NUL: a decoder behind us would make a line end
/// of it (cpp-httplib before 0.44 decodes header values).
bool hides_line_end(std::string_view value) noexcept;

} // namespace matchcloud::http
