#include "model/validation/http_field.hpp"

#include "base/characters.hpp"
#include "model/text/text_length.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::model {

namespace {

constexpr std::array<std::string_view, 4> reserved_fields{"Host", "Content-Length",
                                                          "Transfer-Encoding", "Connection"};
} // namespace

std::optional<violation> check_field_name(std::string_view name, std::size_t limit_bytes) {
  if (name.empty()) {
    return violation{"too-short", "is empty. Write the name of a header, " +
                                      counted_up_to(limit_bytes, length_unit::bytes) + "."};
  }
  if (auto violation = check_longest(name, limit_bytes, length_unit::bytes)) return violation;
  const auto sound = base::token_characters.span(name);
  if (sound == name.size()) return std::nullopt;
  return violation{"invalid",
                   "contains " + describe_character(name, sound) +
                       ", which a header name cannot contain. Use letters, digits, dashes "
                       "and underscores, such as `X-Game-Token`."};
}

std::optional<violation> check_field_value(std::string_view value, std::size_t limit_bytes) {
  if (auto violation = check_longest(value, limit_bytes, length_unit::bytes)) return violation;
  const auto sound = base::value_characters.span(value);
  if (sound == value.size()) return std::nullopt;
  return violation{"invalid",
                   "contains " + describe_character(value, sound) +
                       ", a control character. Remove it: a header's value is one line of "
                       "visible characters, spaces and tabs."};
}

bool is_reserved_field(std::string_view name) noexcept {
  return std::ranges::any_of(reserved_fields, [name](std::string_view reserved) {
    return base::equal_ignoring_case(name, reserved);
  });
}

} // namespace matchcloud::model
