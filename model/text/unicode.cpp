#include "model/text/unicode.hpp"

#include "base/characters.hpp"

#include <unictype.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace matchcloud::model {

namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080U;

std::size_t ascii_prefix(std::string_view text, std::size_t from) noexcept {
  for (std::array<std::uint64_t, 4> block{}; text.size() - from >= sizeof block;
       from += sizeof block) {
    std::memcpy(block.data(), text.data() + from, sizeof block);
    if (((block[0] | block[1] | block[2] | block[3]) & high_bits) != 0) break;
  }
  std::uint64_t word = 0;
  while (text.size() - from >= sizeof word) {
    std::memcpy(&word, text.data() + from, sizeof word);
    if ((word & high_bits) != 0) break;
    from += sizeof word;
  }
  while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80)
    ++from;
  return from;
}

constexpr base::character_set printable_ascii{
    [](unsigned char c) { return c >= 0x20 && c < 0x7F; }};

bool is_shown_escaped(char32_t c) noexcept {
  return is_control(c) || is_invisible(c) || is_noncharacter(c) || c == 0x2028 || c == 0x2029;
}

} // namespace

std::size_t find_malformed_utf8(std::string_view text) noexcept {
  std::size_t at = ascii_prefix(text, 0);
  while (at < text.size()) {
    const auto c = decode_utf8(text.substr(at));
    if (c.bytes == 0) return at;
    at = ascii_prefix(text, at + c.bytes);
  }
  return std::string_view::npos;
}

std::size_t count_code_points(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

bool is_white_space(char32_t c) noexcept {
  return uc_is_property_white_space(c);
}

bool is_control(char32_t c) noexcept {
  return uc_is_general_category(c, UC_CONTROL);
}

bool is_noncharacter(char32_t c) noexcept {
  return uc_is_property_not_a_character(c);
}

bool is_variation_selector(char32_t c) noexcept {
  return uc_is_property_variation_selector(c);
}

bool is_invisible(char32_t c) noexcept {
  return uc_is_property_default_ignorable_code_point(c) || (c >= 0xFFF9 && c <= 0xFFFB);
}

bool is_bidirectional(char32_t c) noexcept {
  return uc_is_property_bidi_control(c);
}

bool is_combining_mark(char32_t c) noexcept {
  return uc_is_general_category(c, UC_MARK);
}

bool is_virama(char32_t c) noexcept {
  return uc_combining_class(c) == UC_CCC_VR;
}

bool is_blank(char32_t c) noexcept {
  return c == 0x2800;
}

std::string code_point_name(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(c));
  return text;
}

std::string escaped(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, c > 0xFFFF ? "\\u{%x}" : "\\u%04x", static_cast<unsigned>(c));
  return text;
}

std::string describe_character(std::string_view text, std::size_t offset) {
  const auto place =
      " at character " + std::to_string(count_code_points(text.substr(0, offset)) + 1);
  const auto [c, bytes] = decode_utf8(text.substr(offset));
  if (bytes == 0) return "a byte that is not UTF-8" + place;
  if (c == U' ') return "a space (U+0020)" + place;
  if (is_white_space(c) || is_shown_escaped(c) || c == U'`') return code_point_name(c) + place;
  return "`" + std::string(text.substr(offset, bytes)) + "` (" + code_point_name(c) + ")" + place;
}

std::string printable_excerpt(std::string_view text, std::size_t limit) {
  std::string shown;
  for (std::size_t taken = 0; !text.empty(); ++taken) {
    const auto plain = printable_ascii.span(text.substr(0, limit - taken));
    shown += text.substr(0, plain);
    text.remove_prefix(plain);
    taken += plain;
    if (text.empty()) break;
    const auto c = decode_utf8(text);
    if (taken == limit || c.bytes == 0) return shown + "…";
    if (is_shown_escaped(c.value))
      shown += escaped(c.value);
    else
      shown += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return shown;
}

std::string quoted_excerpt(std::string_view text, std::size_t limit) {
  if (text.empty()) return "`\"\"`";
  auto shown = printable_excerpt(text, limit);
  if (shown.find('`') == shown.npos) return "`" + shown + "`";
  // The text may contain both marks, so the inner double quotes are escaped.
  for (auto at = shown.find_first_of("\"\\"); at != shown.npos;
       at = shown.find_first_of("\"\\", at + 2))
    shown.insert(at, 1, '\\');
  return '"' + shown + '"';
}

} // namespace matchcloud::model
