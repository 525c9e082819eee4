#include "model/validation_messages.hpp"

#include "model/schema.hpp"

#include "model/exact_integer.hpp"
#include "model/unicode.hpp"

namespace matchcloud::model {

namespace {

std::string echo(std::string_view text) {
  return "`" + printable_excerpt(text, echo_limit_characters) + "`";
}

std::string describe_value(const json_document& document, const json_node& node) {
  switch (node.kind) {
  case json_kind::null: return "null";
  case json_kind::boolean: return std::string(document.text(node));
  case json_kind::number: return "the number " + echo(document.text(node));
  case json_kind::string:
    if (node.text_bytes == 0) return "an empty string";
    return "the string " + echo(document.text(node));
  case json_kind::array: return "an array";
  case json_kind::object: return "an object";
  }
  return {};
}

bool reads_as_integer(std::string_view text) noexcept {
  constexpr std::size_t longest = 20;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= longest &&
         text.find_first_not_of("0123456789") == text.npos;
}

/// What to write instead, where the value shows what was meant.
std::string_view type_advice(value_type expected, const json_document& document,
                             const json_node& found) {
  const auto text = document.text(found);
  switch (found.kind) {
  case json_kind::string:
    if (expected == value_type::integer && reads_as_integer(text))
      return " Write the number without quotes.";
    if (expected == value_type::boolean && (text == "true" || text == "false"))
      return " Write it without quotes.";
    if (expected == value_type::array) return " Put it in brackets to make it the one element.";
    return {};
  case json_kind::number:
    if (expected == value_type::string) return " Put it in double quotes.";
    if (expected == value_type::integer) return " Write a whole number.";
    if (expected == value_type::boolean) return " Write true or false.";
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

std::string joined(const std::vector<std::string_view>& names) {
  std::string list;
  for (const auto name : names) {
    if (!list.empty()) list += ", ";
    list.append("`").append(name).append("`");
  }
  return list;
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

std::string required_message(std::string_view subject, value_type type, bool is_null) {
  return std::string(subject) + " is required, but is " + (is_null ? "null" : "absent") +
         ". Write " + std::string(type_name(type)) + ".";
}

std::string wrong_type_message(std::string_view subject, value_type expected,
                               const json_document& document, const json_node& found) {
  std::string message{subject};
  message.append(" must be ").append(type_name(expected)).append(", but is ");
  message.append(describe_value(document, found)).append(".");
  return message.append(type_advice(expected, document, found));
}

std::string out_of_range_message(std::string_view subject, const integer_range& range,
                                 std::string_view number) {
  return std::string(subject) + " is " + echo(number) + ", which is not " +
         std::string(range.meaning) + ". Write a number from " + std::to_string(range.lowest) +
         " to " + std::to_string(range.highest) + ".";
}

std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   const std::vector<std::string_view>& known,
                                   std::string_view suggestion) {
  std::string message{owner};
  message.append(" has no member ").append(echo(name)).append(".");
  if (!suggestion.empty()) message.append(" Did you mean `").append(suggestion).append("`?");
  message.append(" Known are ").append(joined(known)).append(".");
  return message;
}

std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::string_view known) {
  std::string message{owner};
  if (known.empty())
    return message.append(" has the member ")
        .append(echo(name))
        .append(" more than once. Keep one of them.");
  message.append(" has ").append(echo(name));
  if (name == known)
    message.append(" beside an alias of it, such as `").append(alias_of(known)).append("`");
  else
    message.append(" beside another name of `").append(known).append("`");
  return message.append(": they mean the same. Keep one of them.");
}

std::string too_many_errors_message(std::size_t listed) {
  return "There are more errors than the " + std::to_string(listed) +
         " listed here. Mend these and validate again to see the rest.";
}

} // namespace matchcloud::model
