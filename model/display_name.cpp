#include "model/display_name.hpp"

#include "base/characters.hpp"
#include "model/text_length.hpp"
#include "model/unicode.hpp"

namespace matchcloud::model {

namespace {

/// What most names consist of: nothing of it needs a closer look.
constexpr base::character_set visible_ascii{[](unsigned char c) { return c > ' ' && c < 0x7f; }};

fault invalid(std::string predicate) {
  return {"invalid", std::move(predicate)};
}

/// What is wrong with `c` wherever it stands; empty if nothing.
std::string_view forbidden_class(char32_t c) noexcept {
  if (c == U' ') return {};
  if (is_white_space(c)) return "white space other than the plain space";
  if (is_control(c)) return "a control character";
  if (is_noncharacter(c)) return "a noncharacter, which Unicode never assigns";
  if (is_invisible(c)) return "an invisible or bidirectional formatting character";
  return {};
}

bool selects_variation_of(char32_t previous, char32_t c) noexcept {
  return is_variation_selector(c) && previous != U' ' && !is_invisible(previous);
}

std::optional<fault> check_characters(std::string_view name) {
  char32_t previous = U' ';
  for (std::size_t at = 0; at < name.size();) {
    if (const auto plain = visible_ascii.span(name.substr(at)); plain > 0) {
      at += plain;
      previous = static_cast<unsigned char>(name[at - 1]);
      continue;
    }
    const auto [c, bytes] = decode_utf8(name.substr(at));
    if (bytes == 0) return invalid("is not UTF-8.");
    if (const auto what = forbidden_class(c); !what.empty() && !selects_variation_of(previous, c)) {
      return invalid("contains " + describe_character(name, at) + ", " + std::string(what) +
                     ". Remove it, or write a plain space where it parts words.");
    }
    if (c == U' ' && previous == U' ') {
      return invalid("has two spaces in a row, the second at character " +
                     std::to_string(count_code_points(name.substr(0, at)) + 1) +
                     ". Write a single space.");
    }
    previous = c;
    at += bytes;
  }
  return std::nullopt;
}

} // namespace

std::optional<fault> check_display_name(std::string_view name, std::size_t limit) {
  if (name.empty())
    return fault{"too-short",
                 "is empty. Write " + counted_up_to(limit, length_unit::characters) + "."};
  if (auto fault = check_longest(name, limit, length_unit::characters)) return fault;
  if (name.front() == ' ') return invalid("starts with a space. Remove the space.");
  if (name.back() == ' ') return invalid("ends with a space. Remove the space.");
  return check_characters(name);
}

} // namespace matchcloud::model
