#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// Appends `text` (UTF-8) as a JSON string with its quotes. Escapes what RFC 8259 section 7 demands
/// and nothing else.
void append_json_string(std::string& out, std::string_view text);

/// Likewise, and all that is not ASCII too: what it writes acts on no terminal. Bytes that are not
/// UTF-8 become U+FFFD.
void append_ascii_json_string(std::string& out, std::string_view text);

/// Bytes that `append_json_string` appends.
std::size_t json_string_bytes(std::string_view text) noexcept;

/// Appends `value` as a JSON number with at most three decimals, rounded half away from zero from
/// the exact binary value. No exponent, no trailing zeros, no negative zero. What is beyond
/// plus or minus 10^12 is printed as that limit, and what is not a number as 0.
void append_thousandths(std::string& out, double value);

/// Appends `value` as the shortest JSON number without exponent that reads back as the same double.
/// Not finite: 0. No negative zero.
void append_shortest(std::string& out, double value);

} // namespace matchcloud::model
