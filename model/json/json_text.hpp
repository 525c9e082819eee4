#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Appends `text` (UTF-8) as a JSON string with its quotes. Escapes only what RFC 8259 section 7
/// requires.
void append_json_string(std::string& out, std::string_view text);

/// Appends `text` as a JSON string in ASCII, with its quotes, which is safe to print on a terminal.
/// Bytes that are not UTF-8 become U+FFFD.
void append_ascii_json_string(std::string& out, std::string_view text);

/// The number of bytes that `append_json_string` appends.
std::size_t json_string_bytes(std::string_view text) noexcept;

/// Appends `value` as a JSON number with at most three decimals, rounded half away from zero from
/// the exact binary value. No exponent, no trailing zeros, no negative zero. Values beyond plus or
/// minus 10^12 are printed as that limit, NaN as 0.
void append_thousandths(std::string& out, double value);

/// Appends `value` as the shortest JSON number without exponent that reads back as the same double.
/// Values that are not finite are printed as 0, and there is no negative zero.
void append_shortest(std::string& out, double value);

} // namespace matchcloud::model
