#pragma once

#include "base/characters.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

using base::character_set;
using base::equal_ignoring_case;
using base::hex_value;
using base::is_alphanumeric;
using base::is_digit;
using base::name_characters;
using base::target_characters;
using base::to_lower;
using base::token_characters;
using base::value_characters;

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

/// The characters allowed between the brackets of an IPv6 address.
inline constexpr character_set ipv6_characters{[](unsigned char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}};

/// The characters that a target may have after its `?`. In addition to those of RFC 3986, these are
/// the ones that clients do not encode and nginx accepts: browsers leave all of them but `"` (URL
/// standard, "query percent-encode set"); curl and other libraries leave that one too. None of them
/// ends a target or a line, and none has a meaning here.
inline constexpr character_set query_characters{[](unsigned char c) {
  constexpr std::string_view marks = "\"|{}^`\\";
  return target_characters.contains(static_cast<char>(c)) ||
         marks.find(static_cast<char>(c)) != marks.npos;
}};

/// `text` without the blanks around it (OWS of RFC 9110 section 5.6.3).
constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// The number that `digits` name; one over 2^64-1 reads as 2^64-1. Nothing if there are none, or
/// any other character.
std::optional<std::uint64_t> read_digits(std::string_view digits) noexcept;

/// Quotes a client's bytes for an error: the first 64 (`..` if there are more), with `?` for single
/// quotes and for everything that is not printable ASCII.
std::string in_quotes(std::string_view bytes);

/// Names a byte in an error, such as `byte 0x1F`.
std::string byte_name(char c);

/// Takes the part before `mark` and the mark itself off `rest`. Returns the part without the blanks
/// around it.
constexpr std::string_view take_until(std::string_view& rest, char mark) noexcept {
  const auto end = std::min(rest.find(mark), rest.size());
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trim_blanks(part);
}

/// Takes the next element off the front of a comma-separated list, without the blanks around it;
/// nothing at the end of the list. Empty elements are skipped (RFC 9110 section 5.6.1.2). For lists
/// whose elements contain no commas, quoted or not. Entity tags have a reader of their own
/// (`conditional.cpp`), and so does `Forwarded`, which is read from its end.
constexpr std::optional<std::string_view> take_element(std::string_view& list) noexcept {
  while (!list.empty())
    if (const auto element = take_until(list, ','); !element.empty()) return element;
  return std::nullopt;
}

} // namespace matchcloud::http
