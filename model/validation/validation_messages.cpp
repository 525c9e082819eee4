#include "model/validation/validation_messages.hpp"

#include "model/validation/schema.hpp"

#include "model/text/exact_integer.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

/// Describes a value. Shows its text only if a number or boolean is expected; other values may be
/// secrets, such as the line of a header.
std::string describe_value(value_type expected, const json_document& document,
                           const json_node& node, std::size_t echo_limit) {
  const bool is_shown = expected == value_type::integer || expected == value_type::boolean;
  const auto excerpt = [&] { return quoted_excerpt(document.text(node), echo_limit); };
  switch (node.kind) {
  case json_kind::null: return "null";
  case json_kind::boolean: return std::string(document.text(node));
  case json_kind::number: return is_shown ? "the number " + excerpt() : "a number";
  case json_kind::string:
    if (node.text_bytes == 0) return "an empty string";
    return is_shown ? "the string " + excerpt() : "a string";
  case json_kind::array: return "an array";
  case json_kind::object: return "an object";
  }
  return {};
}

/// Whether `text` is an integer in the syntax of JSON.
bool reads_as_integer(std::string_view text) noexcept {
  constexpr std::size_t longest = 20;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= longest && (text == "0" || text.front() != '0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

/// What to write instead, if the value makes clear what was meant.
std::string_view type_advice(const value_rule& rule, const json_document& document,
                             const json_node& found) {
  const auto expected = rule.type;
  const auto text = document.text(found);
  switch (found.kind) {
  case json_kind::string:
    if (expected == value_type::integer && reads_as_integer(text))
      return " Write the number without quotes.";
    if (expected == value_type::boolean)
      return text == "true" || text == "false" ? " Write it without quotes."
                                               : " Use true or false.";
    if (expected == value_type::array && rule.element->type == value_type::string)
      return " Put it in square brackets to make an array of one element.";
    return {};
  case json_kind::number:
    if (expected == value_type::string) return " Put it in double quotes.";
    if (expected == value_type::integer) return " Write a whole number.";
    if (expected == value_type::boolean) return " Use true or false.";
    return {};
  case json_kind::boolean:
    return expected == value_type::string ? " Put it in double quotes." : std::string_view{};
  case json_kind::null: return " Write a value or leave it out.";
  case json_kind::array:
    return expected == value_type::map ? " Write {\"name\": value, ...}." : std::string_view{};
  case json_kind::object: return {};
  }
  return {};
}

/// The usual length of a message, including the list of known names.
constexpr std::size_t usual_message_bytes = 256;

/// What to write instead of an integer that is out of `bounds`.
std::string bounds_advice(const integer_bounds& bounds) {
  const auto lowest = std::to_string(bounds.lowest);
  const auto highest = std::to_string(bounds.highest);
  if (lowest == highest) return " Write " + lowest + ".";
  return " Write a number from " + lowest + " to " + highest + ".";
}

} // namespace

std::string_view type_name(value_type type) noexcept {
  switch (type) {
  case value_type::string: return "a string";
  case value_type::integer: return "an integer";
  case value_type::boolean: return "a boolean";
  case value_type::object: return "an object";
  case value_type::map: return "an object that maps names to values";
  case value_type::array: return "an array";
  }
  return {};
}

std::string in_backticks(std::string_view name) {
  return "`" + std::string(name) + "`";
}

std::string required_message(std::string_view subject, value_type type, bool is_null) {
  std::string message{subject};
  message.append(" is required, but is ").append(is_null ? "null. Use " : "absent. Add ");
  return message.append(type_name(type)).append(".");
}

std::string wrong_type_message(std::string_view subject, const value_rule& expected,
                               const json_document& document, const json_node& found,
                               std::size_t echo_limit) {
  std::string message{subject};
  message.append(" must be ").append(type_name(expected.type)).append(", but is ");
  message.append(describe_value(expected.type, document, found, echo_limit)).append(".");
  return message.append(type_advice(expected, document, found));
}

std::string out_of_range_message(std::string_view subject, std::string_view meaning,
                                 std::string_view number, const integer_bounds& allowed,
                                 std::size_t echo_limit) {
  return std::string(subject) + " is " + quoted_excerpt(number, echo_limit) + ", which is not " +
         std::string(meaning) + "." + bounds_advice(allowed);
}

std::string bounds_message(std::string_view subject, std::string_view number, std::string_view too,
                           const integer_bounds& allowed, std::size_t echo_limit) {
  std::string message{subject};
  message.append(" is ").append(quoted_excerpt(number, echo_limit));
  return message.append(", which is too ").append(too).append(".").append(bounds_advice(allowed));
}

std::string too_many_message(std::string_view subject, std::size_t entries, std::uint64_t most) {
  std::string message{subject};
  message.append(" has ").append(std::to_string(entries));
  message.append(entries == 1 ? " entry" : " entries").append(". Keep at most ");
  return message.append(std::to_string(most)).append("; entries beyond that were not checked.");
}

std::string merged_too_many_message(std::string_view subject, std::size_t entries,
                                    std::uint64_t most) {
  std::string message{subject};
  message.append(" and the matchmaker's have ").append(std::to_string(entries));
  return message.append(" names together. At most ")
      .append(std::to_string(most))
      .append(" are allowed.");
}

std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   std::size_t echo_limit) {
  std::string message;
  message.reserve(usual_message_bytes);
  return message.append(owner)
      .append(" has no member ")
      .append(quoted_excerpt(name, echo_limit))
      .append(".");
}

void append_suggestion(std::string& message, std::string_view meant) {
  if (!meant.empty()) message.append(" Did you mean ").append(in_backticks(meant)).append("?");
}

void append_known_names(std::string& message, std::string_view intro,
                        std::span<const std::string_view> known, std::size_t known_total) {
  if (known.empty()) {
    message.append(" There are none.");
    return;
  }
  message.append(" ").append(intro);
  const auto listed = std::min(known.size(), listed_names_limit);
  for (std::size_t i = 0; i < listed; ++i)
    message.append(i > 0 ? ", `" : "`").append(known[i]).append("`");
  if (known_total > listed)
    message.append(" and ").append(std::to_string(known_total - listed)).append(" more");
  message.append(".");
}

void append_member_names(std::string& message, std::span<const std::string_view> members) {
  append_known_names(message,
                     members.size() == 1 ? "Its only member is " : "It can have: ", members,
                     members.size());
}

std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::size_t echo_limit) {
  return std::string{owner} + " has the member " + quoted_excerpt(name, echo_limit) +
         " more than once. Keep one of them.";
}

std::string two_names_message(std::string_view owner, std::string_view earlier,
                              std::string_view later) {
  return std::string{owner} + " has both " + in_backticks(earlier) + " and " + in_backticks(later) +
         ", two names of the same member. Keep one of them.";
}

std::string too_many_errors_message(std::size_t listed) {
  if (listed == 1)
    return "There are more errors than the one listed here. Fix it and validate again.";
  return "There are more errors than the " + std::to_string(listed) +
         " listed here. Fix these and validate again.";
}

std::string no_room_message(std::uint64_t most_bytes, std::size_t offset) {
  return "The first error, at byte " + std::to_string(offset) +
         " of the body, is longer than the limit of " + std::to_string(most_bytes) +
         " bytes for all errors. Fix it, or shorten the names around it, and validate again.";
}

} // namespace matchcloud::model
