#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace matchcloud::base {

/// A set of bytes as a table: membership is one load.
class character_set {
public:
  template <class Predicate>
  explicit constexpr character_set(Predicate belongs) {
    for (std::size_t i = 0; i < member_.size(); ++i)
      member_[i] = belongs(static_cast<unsigned char>(i));
  }

  constexpr bool contains(char c) const noexcept { return member_[static_cast<unsigned char>(c)]; }

  /// The number of bytes at the beginning of `text` that are in the set.
  constexpr std::size_t span(std::string_view text) const noexcept {
    std::size_t length = 0;
    while (length < text.size() && contains(text[length]))
      ++length;
    return length;
  }

  constexpr bool contains_all(std::string_view text) const noexcept {
    return span(text) == text.size();
  }

private:
  std::array<bool, 256> member_{};
};

constexpr bool is_digit(unsigned char c) noexcept {
  return c >= '0' && c <= '9';
}

constexpr bool is_alphanumeric(unsigned char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// `tchar` of RFC 9110 section 5.6.2.
inline constexpr character_set token_characters{[](unsigned char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// Visible ASCII, without the blank.
inline constexpr character_set visible_characters{
    [](unsigned char c) { return c > 0x20 && c < 0x7f; }};

/// Bytes allowed inside a header's value: visible ASCII, SP, HTAB and obs-text (RFC 9110 section
/// 5.5).
inline constexpr character_set value_characters{
    [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); }};

/// Characters that RFC 3986 allows in a URI, except `#`, which begins a fragment.
inline constexpr character_set target_characters{[](unsigned char c) {
  constexpr std::string_view marks = "-._~:/?[]@!$&'()*+,;=%";
  return is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// `reg-name` of RFC 3986 section 3.2.2.
inline constexpr character_set name_characters{[](unsigned char c) {
  constexpr std::string_view marks = "-._~!$&'()*+,;=%";
  return is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// `text` without the characters of `around` at both of its ends.
constexpr std::string_view trimmed(std::string_view text,
                                   std::string_view around = " \t\r\n") noexcept {
  const auto first = text.find_first_not_of(around);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(around) - first + 1);
}

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Compares header names and tokens as HTTP does: ASCII letters match in either case.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

/// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A code point and its length in bytes of UTF-8; `bytes` is 0 if they are malformed.
struct decoded_code_point {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// The code point at the start of `text` (not empty). Refuses overlong forms, surrogates and values
/// beyond U+10FFFF (RFC 3629).
constexpr decoded_code_point decode_utf8(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
    return {};
  return {value, bytes};
}

} // namespace matchcloud::base
