#include "model/validation_messages.hpp"

#include "model/schema.hpp"

#include "model/exact_integer.hpp"
#include "model/suggestion.hpp"
#include "model/unicode.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

std::string echo(std::string_view text, std::size_t limit) {
  return "`" + printable_excerpt(text, limit) + "`";
}

std::string describe_value(const json_document& document, const json_node& node,
                           std::size_t echo_limit) {
  switch (node.kind) {
  case json_kind::null: return "null";
  case json_kind::boolean: return std::string(document.text(node));
  case json_kind::number: return "the number " + echo(document.text(node), echo_limit);
  case json_kind::string:
    if (node.text_bytes == 0) return "an empty string";
    return "the string " + echo(document.text(node), echo_limit);
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

/// With the names that are known.
constexpr std::size_t usual_message_bytes = 256;
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
                               const json_document& document, const json_node& found,
                               std::size_t echo_limit) {
  std::string message{subject};
  message.append(" must be ").append(type_name(expected)).append(", but is ");
  message.append(describe_value(document, found, echo_limit)).append(".");
  return message.append(type_advice(expected, document, found));
}

std::string out_of_range_message(std::string_view subject, const integer_range& range,
                                 std::string_view number, std::size_t echo_limit) {
  return std::string(subject) + " is " + echo(number, echo_limit) + ", which is not " +
         std::string(range.meaning) + ". Write a number from " + std::to_string(range.lowest) +
         " to " + std::to_string(range.highest) + ".";
}

std::string bounds_message(std::string_view subject, std::string_view number, std::string_view too,
                           std::uint64_t least, std::uint64_t most, std::size_t echo_limit) {
  std::string message{subject};
  message.append(" is ").append(echo(number, echo_limit)).append(", which is too ").append(too);
  return message.append(". Write a number from ")
      .append(std::to_string(least))
      .append(" to ")
      .append(std::to_string(most))
      .append(".");
}

std::string too_many_message(std::string_view subject, std::size_t entries, std::uint64_t most) {
  std::string message{subject};
  message.append(" holds ").append(std::to_string(entries)).append(" entries. Keep at most ");
  return message.append(std::to_string(most)).append("; those beyond were not checked.");
}

std::string merged_too_many_message(std::string_view subject, std::size_t entries,
                                    std::uint64_t most) {
  std::string message{subject};
  message.append(" and that of the matchmaker hold ").append(std::to_string(entries));
  return message.append(" names together. Keep at most ").append(std::to_string(most)).append(".");
}

std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   std::size_t echo_limit) {
  std::string message;
  message.reserve(usual_message_bytes);
  return message.append(owner).append(" has no member ").append(echo(name, echo_limit)).append(".");
}

void append_known_names(std::string& message, std::string_view found,
                        std::span<const std::string_view> known,
                        std::span<const std::string_view> candidates, std::size_t known_total,
                        bool may_suggest) {
  if (may_suggest) {
    if (const auto close = closest_name(found, candidates); !close.empty())
      message.append(" Did you mean `").append(close).append("`?");
  }
  if (known.empty()) {
    message.append(" There are none.");
    return;
  }
  message.append(" Known are ");
  const auto listed = std::min(known.size(), listed_names_limit);
  for (std::size_t i = 0; i < listed; ++i)
    message.append(i > 0 ? ", `" : "`").append(known[i]).append("`");
  if (known_total > listed)
    message.append(" and ").append(std::to_string(known_total - listed)).append(" more");
  message.append(".");
}

std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::string_view known, std::size_t echo_limit) {
  std::string message{owner};
  if (known.empty())
    return message.append(" has the member ")
        .append(echo(name, echo_limit))
        .append(" more than once. Keep one of them.");
  message.append(" has ").append(echo(name, echo_limit));
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
