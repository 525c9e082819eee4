#include "model/http_field.hpp"

#include "model/unicode.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::model {

namespace {

constexpr std::array<std::string_view, 4> reserved_fields{"Host", "Content-Length",
                                                          "Transfer-Encoding", "Connection"};

fault too_long(std::string_view text, std::size_t limit_bytes) {
  return {"too-long", "has " + std::to_string(text.size()) + " bytes. Shorten it to at most " +
                          std::to_string(limit_bytes) + "."};
}

} // namespace

std::optional<fault> check_field_name(std::string_view name, std::size_t limit_bytes,
                                      std::size_t echo_limit) {
  if (name.empty()) {
    return fault{"too-short", "is empty. Write the name of a header, 1 to " +
                                  std::to_string(limit_bytes) + " bytes."};
  }
  if (name.size() > limit_bytes) return too_long(name, limit_bytes);
  const auto sound = base::token_characters.span(name);
  if (sound == name.size()) return std::nullopt;
  return fault{"invalid", "is `" + printable_excerpt(name, echo_limit) + "`, with " +
                              describe_character(name, sound) +
                              ", which no header's name can have. Write letters, digits, dashes "
                              "and underscores, such as `X-Game-Token`."};
}

std::optional<fault> check_field_value(std::string_view value, std::size_t limit_bytes) {
  if (value.size() > limit_bytes) return too_long(value, limit_bytes);
  const auto sound = base::value_characters.span(value);
  if (sound == value.size()) return std::nullopt;
  return fault{"invalid", "contains " + describe_character(value, sound) +
                              ", a control character. Remove it: a header's value is one line of "
                              "visible characters, spaces and tabs."};
}

bool is_reserved_field(std::string_view name) noexcept {
  return std::ranges::any_of(reserved_fields, [name](std::string_view reserved) {
    return base::equal_ignoring_case(name, reserved);
  });
}

} // namespace matchcloud::model
