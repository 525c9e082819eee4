#include "model/validation/display_name.hpp"

#include "base/characters.hpp"
#include "model/text/character_sets.hpp"
#include "model/text/hidden_characters.hpp"
#include "model/text/text_length.hpp"
#include "model/text/unicode.hpp"

namespace matchcloud::model {

namespace {

/// The characters of most names; they need no further checks.
constexpr base::character_set printable_ascii{[](unsigned char c) { return c >= ' ' && c < 0x7f; }};

/// The defect of `c` after `previous`, both visible or white space; empty if there is none.
std::string_view visible_defect(char32_t previous, char32_t c) noexcept {
  if (c == U' ') return {};
  if (is_white_space(c)) return "which is white space but not a plain space";
  if (is_blank(c)) return "a character that looks like a space";
  if (previous == U' ' && is_combining_mark(c)) return "a combining mark with no letter before it";
  return {};
}

/// What to do about the character `c` of a defect.
std::string_view advice_on(char32_t c) noexcept {
  if (is_white_space(c) || is_blank(c)) return "Remove it, or replace it with a plain space.";
  if (is_combining_mark(c) && !is_invisible(c)) return "Remove it, or put the letter before it.";
  return "Remove it.";
}

/// The first character that is not allowed at its position in a name.
std::optional<hidden_character> find_defect(std::string_view name) noexcept {
  const auto hidden = find_hidden(name);
  char32_t previous = U' ';
  for (std::size_t at = 0; at < (hidden ? hidden->offset : name.size());) {
    const auto [c, bytes] = decode_utf8(name.substr(at));
    if (const auto what = visible_defect(previous, c); !what.empty())
      return hidden_character{at, what};
    previous = c;
    at += bytes;
  }
  // Line ends are both control characters and white space. They are reported as white space.
  if (hidden && is_white_space(decode_utf8(name.substr(hidden->offset)).value))
    return hidden_character{hidden->offset, visible_defect(U' ', U'\t')};
  return hidden;
}

violation describe_defect(std::string_view name, const hidden_character& defect) {
  const auto character = decode_utf8(name.substr(defect.offset)).value;
  return {"invalid", "contains " + describe_character(name, defect.offset) + ", " +
                         std::string(defect.what) + ". " + std::string(advice_on(character))};
}

violation describe_spaces(std::string_view name, std::size_t at) {
  return {"invalid", "has two spaces in a row, the second at character " +
                         std::to_string(count_code_points(name.substr(0, at + 1)) + 1) +
                         ". Write a single space."};
}

} // namespace

std::optional<violation> check_display_name(std::string_view name, std::size_t limit) {
  if (name.empty())
    return violation{"too-short",
                     "is empty. Write " + counted_up_to(limit, length_unit::characters) + "."};
  if (auto violation = check_longest(name, limit, length_unit::characters)) return violation;
  if (name.front() == ' ') return violation{"invalid", "starts with a space. Remove the space."};
  if (name.back() == ' ') return violation{"invalid", "ends with a space. Remove the space."};
  const auto defect = printable_ascii.contains_all(name) ? std::nullopt : find_defect(name);
  const auto spaces = name.find("  ");
  if (defect && defect->offset < spaces) return describe_defect(name, *defect);
  if (spaces != name.npos) return describe_spaces(name, spaces);
  return std::nullopt;
}

} // namespace matchcloud::model
