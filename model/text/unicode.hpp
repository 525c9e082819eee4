#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// One code point and how many bytes of UTF-8 it takes; `bytes` is 0 where they are malformed.
struct decoded_code_point {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// The code point at the start of `text` (not empty). Refuses overlong forms, surrogates and what
/// lies beyond U+10FFFF (RFC 3629).
decoded_code_point decode_utf8(std::string_view text) noexcept;

/// Offset of the first byte that is not well-formed UTF-8, or `npos`. O(text).
std::size_t find_malformed_utf8(std::string_view text) noexcept;

/// Code points in well-formed UTF-8.
std::size_t count_code_points(std::string_view text) noexcept;

/// Unicode property White_Space.
bool is_white_space(char32_t c) noexcept;

/// General category Cc.
bool is_control(char32_t c) noexcept;

/// One of the 66 code points that Unicode never assigns (section 23.7).
bool is_noncharacter(char32_t c) noexcept;

/// Chooses the form of the visible character before it: an emoji's colour, an ideograph's variant.
bool is_variation_selector(char32_t c) noexcept;

/// Leaves no mark of its own, or changes the order in which its neighbours are shown: property
/// Default_Ignorable_Code_Point, which holds all bidirectional controls, and the interlinear
/// annotation marks.
bool is_invisible(char32_t c) noexcept;

/// Visible to Unicode, but not to people: the braille pattern without a dot (U+2800).
bool is_blank(char32_t c) noexcept;

/// `U+200B`.
std::string code_point_name(char32_t c);

/// The character at byte `offset` of `text` and its place among the characters, for showing it to
/// people: `U+200B at character 3`, with its looks where it has any: `é` (U+00E9) at character 3.
/// O(offset).
std::string describe_character(std::string_view text, std::size_t offset);

/// At most `limit` code points of `text`, for showing it to people: what cannot be seen or would
/// turn the line around is written `\u202e`, and an ellipsis says that something was left out.
std::string printable_excerpt(std::string_view text, std::size_t limit);

/// The same between backticks, for messages, or between double quotes where it has backticks
/// itself; nothing at all is written `""`.
std::string quoted_excerpt(std::string_view text, std::size_t limit);

} // namespace matchcloud::model
