#include "app/reports/source_excerpt.hpp"

#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace matchcloud::app {

namespace {

/// The width of a tab when deciding how much of a line to show.
constexpr std::size_t tab_columns = 8;
constexpr std::string_view ellipsis = "…";

using code_point_range = std::pair<char32_t, char32_t>;

/// East Asian Width W and F (Unicode Standard Annex 11), as blocks.
constexpr std::array<code_point_range, 13> wide{{{0x1100, 0x115F},
                                                 {0x2E80, 0x303E},
                                                 {0x3041, 0x33FF},
                                                 {0x3400, 0x4DBF},
                                                 {0x4E00, 0x9FFF},
                                                 {0xA000, 0xA4CF},
                                                 {0xAC00, 0xD7A3},
                                                 {0xF900, 0xFAFF},
                                                 {0xFE30, 0xFE6F},
                                                 {0xFF00, 0xFF60},
                                                 {0xFFE0, 0xFFE6},
                                                 {0x1F300, 0x1FAFF},
                                                 {0x20000, 0x3FFFD}}};

std::size_t columns_of(char32_t c) noexcept {
  if (c >= 0x300 && c <= 0x36F) return 0; // combining diacritical marks
  const auto holds = [c](const code_point_range& each) {
    return c >= each.first && c <= each.second;
  };
  return std::any_of(wide.begin(), wide.end(), holds) ? 2 : 1;
}

/// A character of the text and its printed form.
struct shown_character {
  std::size_t bytes;
  std::string shown;
  std::size_t columns;

  /// Its share of the width limit, at least 1.
  std::size_t cost() const noexcept {
    return shown == "\t" ? tab_columns : std::max<std::size_t>(columns, 1);
  }
};

shown_character first_of(std::string_view text) {
  if (text.front() == '\t') return {1, "\t", 1};
  const auto c = model::decode_utf8(text);
  if (c.bytes == 0) {
    std::array<char, 8> escape{};
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text.front()));
    std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
    return {1, escape.data(), 4};
  }
  auto shown = model::printable_excerpt(text.substr(0, c.bytes), 1);
  const auto columns = shown == text.substr(0, c.bytes) ? columns_of(c.value) : shown.size();
  return {c.bytes, std::move(shown), columns};
}

/// The beginning of the character that ends before `at`, which is not 0.
std::size_t previous(std::string_view text, std::size_t at) noexcept {
  constexpr std::size_t longest = 4;
  for (std::size_t bytes = 1; bytes <= std::min(longest, at); ++bytes)
    if (model::decode_utf8(text.substr(at - bytes, bytes)).bytes == bytes) return at - bytes;
  return at - 1;
}

bool ends_line(std::string_view text, std::size_t at) noexcept {
  return at >= text.size() || text[at] == '\n' || text.substr(at, 2) == "\r\n";
}

/// A part of a line and the cost of its characters.
struct span {
  std::size_t begin;
  std::size_t end;
  std::size_t cost = 0;
};

/// The text before `offset` in its line, as far back as a cost of `limit` allows.
span before(std::string_view text, std::size_t offset, std::size_t limit) {
  span part{offset, offset};
  while (part.begin > 0 && text[part.begin - 1] != '\n') {
    const auto at = previous(text, part.begin);
    const auto cost = first_of(text.substr(at)).cost();
    if (part.cost + cost > limit) break;
    part = {at, offset, part.cost + cost};
  }
  return part;
}

/// The text of the line from `offset` on, as far as a cost of `limit` allows.
span after(std::string_view text, std::size_t offset, std::size_t limit) {
  span part{offset, offset};
  while (!ends_line(text, part.end)) {
    const auto next = first_of(text.substr(part.end));
    if (part.cost + next.cost() > limit) break;
    part = {offset, part.end + next.bytes, part.cost + next.cost()};
  }
  return part;
}

/// The end of the token at `offset`; `offset` if there is none.
std::size_t token_end(std::string_view text, std::size_t offset) noexcept {
  if (offset >= text.size()) return offset;
  auto end = offset;
  if (text[offset] != '"')
    return std::min(text.find_first_of(" \t\r\n,:[]{}\"", offset), text.size());
  for (++end; end < text.size() && text[end] != '"'; ++end)
    if (text[end] == '\\') ++end;
  return std::min(end + 1, text.size());
}

} // namespace

source_excerpt excerpt_at(std::string_view text, std::size_t offset) {
  const auto place = std::min(offset, text.size());
  auto left = before(text, place, excerpt_columns);
  auto right = after(text, place, excerpt_columns);
  if (left.cost + right.cost > excerpt_columns) {
    // The text after the position is more informative than the text before it, but both are needed.
    const auto half = excerpt_columns / 2;
    left = before(text, place, std::max(half, excerpt_columns - std::min(right.cost, half)));
    right = after(text, place, excerpt_columns - left.cost);
  }
  source_excerpt made;
  if (left.begin > 0 && text[left.begin - 1] != '\n') {
    made.line = ellipsis;
    made.margin = " ";
  }
  const auto marked = token_end(text.substr(0, right.end), place);
  for (auto at = left.begin; at < right.end;) {
    const auto next = first_of(text.substr(at));
    made.line += next.shown;
    if (at < place)
      made.margin += next.shown == "\t" ? next.shown : std::string(next.columns, ' ');
    else if (at < marked)
      made.caret.append(next.columns, '~');
    at += next.bytes;
  }
  if (!ends_line(text, right.end)) made.line += ellipsis;
  if (made.caret.empty()) made.caret = "^";
  made.caret.front() = '^';
  return made;
}

} // namespace matchcloud::app
