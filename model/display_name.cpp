#include "model/display_name.hpp"

#include "model/unicode.hpp"

namespace matchcloud::model {

namespace {

display_name_fault invalid(std::string message) {
  return {"invalid", std::move(message)};
}

std::string at_position(char32_t c, std::size_t position) {
  return code_point_name(c) + " at character " + std::to_string(position + 1);
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

std::optional<display_name_fault> check_characters(std::string_view name) {
  char32_t previous = U' ';
  for (std::size_t position = 0; !name.empty(); ++position) {
    const auto [c, bytes] = decode_utf8(name);
    if (bytes == 0) return invalid("The display name is not UTF-8.");
    if (const auto what = forbidden_class(c); !what.empty() && !selects_variation_of(previous, c)) {
      return invalid("The display name contains " + at_position(c, position) + ", " +
                     std::string(what) +
                     ". Remove it, or write a plain space where it parts words.");
    }
    if (c == U' ' && previous == U' ' && position > 0) {
      return invalid("The display name has two spaces in a row, the second at character " +
                     std::to_string(position + 1) + ". Write a single space.");
    }
    previous = c;
    name.remove_prefix(bytes);
  }
  return std::nullopt;
}

} // namespace

std::optional<display_name_fault> check_display_name(std::string_view name, std::size_t limit) {
  if (name.empty()) {
    return display_name_fault{"too-short", "The display name is empty. Write 1 to " +
                                               std::to_string(limit) + " characters."};
  }
  if (const auto length = count_code_points(name); length > limit) {
    return display_name_fault{"too-long", "The display name has " + std::to_string(length) +
                                              " characters. Shorten it to at most " +
                                              std::to_string(limit) + "."};
  }
  if (name.front() == ' ')
    return invalid("The display name starts with a space. Remove the space.");
  if (name.back() == ' ') return invalid("The display name ends with a space. Remove the space.");
  return check_characters(name);
}

} // namespace matchcloud::model
