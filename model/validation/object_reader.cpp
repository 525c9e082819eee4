#include "model/validation/object_reader.hpp"

#include "model/json/json_number.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/exact_integer.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::model {

object_reader::found_member object_reader::find(std::string_view name) const noexcept {
  found_member found;
  document_->for_each_in(*object_, [&](const json_node& node) {
    if (document_->name(node) != name) return;
    found.is_repeated = found.is_repeated || node.repeated;
    if (!found.first) found.first = &node;
  });
  return found;
}

std::optional<std::uint64_t> object_reader::integer(std::string_view name, const json_node& of,
                                                    const integer_range& allowed) {
  const auto value = of.kind == json_kind::number ? read_integer(text(of)) : std::nullopt;
  if (!value) {
    add(wrong_type_message(subject(name), {.type = value_type::integer}, *document_, of,
                           default_echo_limit));
    return std::nullopt;
  }
  if (value->too_large || value->negative ||
      value->magnitude < static_cast<std::uint64_t>(allowed.lowest) ||
      value->magnitude > allowed.highest) {
    add(out_of_range_message(subject(name), allowed.meaning, text(of),
                             {allowed.lowest, allowed.highest}, default_echo_limit));
    return std::nullopt;
  }
  return value->magnitude;
}

std::optional<bool> object_reader::boolean(std::string_view name, const json_node& of) {
  if (of.kind == json_kind::boolean) return text(of) == "true";
  add(wrong_type_message(subject(name), {.type = value_type::boolean}, *document_, of,
                         default_echo_limit));
  return std::nullopt;
}

std::optional<double> object_reader::number(std::string_view name, const json_node& of,
                                            double lowest, double highest) {
  const auto value = of.kind == json_kind::number ? nearest_double(text(of)) : std::nullopt;
  if (value && *value >= lowest && *value <= highest) return value;
  auto message = subject(name) + " must be a number from ";
  append_shortest(message, lowest);
  message += " to ";
  append_shortest(message, highest);
  const auto found = text(of);
  if (of.kind == json_kind::number || of.kind == json_kind::string)
    message += ", but is " + quoted_excerpt(found, default_echo_limit);
  message += '.';
  if (of.kind == json_kind::string && !found.empty() && number_end(found, 0) == found.size())
    message += " Write the number without quotes.";
  add(message);
  return std::nullopt;
}

std::string object_reader::subject(std::string_view name) const {
  if (path_.empty()) return in_backticks(name);
  return in_backticks(std::string{path_}.append(1, '.').append(name));
}

std::vector<std::string_view> object_reader::absent_names() const {
  std::vector<std::string_view> absent{members_.begin(), members_.end()};
  document_->for_each_in(*object_,
                         [&](const json_node& node) { std::erase(absent, document_->name(node)); });
  return absent;
}

void object_reader::name_unknown() {
  std::size_t unknown = 0;
  document_->for_each_in(*object_, [&](const json_node& node) {
    const auto name = document_->name(node);
    if (node.repeated || std::ranges::find(members_, name) != members_.end()) return;
    if (++unknown > named_unknown_limit) return;
    auto message = unknown_member_message(owner(), name, default_echo_limit);
    append_suggestion(message, closest_name(name, absent_names()));
    append_member_names(message, members_);
    add(message);
  });
  if (unknown > named_unknown_limit)
    add("It has " + std::to_string(unknown - named_unknown_limit) + " more unknown members.");
}

void object_reader::add(std::string_view sentence) {
  if (!findings_.empty()) findings_ += ' ';
  findings_ += sentence;
}

} // namespace matchcloud::model
