#pragma once

#include "base/characters.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// U+FEFF in UTF-8, with which some programs begin a file.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

using base::decode_utf8;
using base::decoded_code_point;

/// Offset of the first byte that is not well-formed UTF-8; `npos` if there is none. O(text).
std::size_t find_malformed_utf8(std::string_view text) noexcept;

/// The number of code points in well-formed UTF-8.
std::size_t count_code_points(std::string_view text) noexcept;

// Properties of characters are those of the system's libunistring: of Unicode 14 or newer.

/// Unicode property White_Space.
bool is_white_space(char32_t c) noexcept;

/// General category Cc.
bool is_control(char32_t c) noexcept;

/// One of the 66 code points that Unicode never assigns (section 23.7).
bool is_noncharacter(char32_t c) noexcept;

/// A character that selects the form of the visible one before it: an emoji's style, an ideograph's
/// variant.
bool is_variation_selector(char32_t c) noexcept;

/// A character that is not drawn itself or changes the order in which its neighbors are shown:
/// those with the property Default_Ignorable_Code_Point, which includes all bidirectional controls,
/// and the interlinear annotation marks.
bool is_invisible(char32_t c) noexcept;

/// A bidirectional control, which changes the order in which its neighbors are shown.
bool is_bidirectional(char32_t c) noexcept;

/// General category M: a mark on or around the character before it.
bool is_combining_mark(char32_t c) noexcept;

/// A sign that removes the vowel of the consonant before it, which then joins the next: Indic
/// scripts.
bool is_virama(char32_t c) noexcept;

/// Counts as visible in Unicode but shows nothing: the braille pattern without a dot (U+2800).
bool is_blank(char32_t c) noexcept;

/// `U+200B`.
std::string code_point_name(char32_t c);

/// `\u202e`, or `\u{e0001}` beyond U+FFFF.
std::string escaped(char32_t c);

/// Describes the character at byte `offset` of `text` and its position for people: `U+200B at
/// character 3`, or `é` (U+00E9) at character 3 if it is visible. O(offset).
std::string describe_character(std::string_view text, std::size_t offset);

/// At most `limit` code points of `text`, for people: characters that are invisible or would
/// reorder the line are written like `\u202e`, and an ellipsis shows that something was left out.
std::string printable_excerpt(std::string_view text, std::size_t limit = 64);

/// The result of `printable_excerpt` in double quotes.
// Not named `quoted`, because calls with strings would find std::quoted, which <chrono> includes
// since g++ 13.
inline std::string in_quotes(std::string_view text) {
  return '"' + printable_excerpt(text) + '"';
}

/// The result of `printable_excerpt` between backticks, for messages, or between double quotes if
/// it contains backticks; an empty text is written `""`.
std::string quoted_excerpt(std::string_view text, std::size_t limit = 64);

} // namespace matchcloud::model
