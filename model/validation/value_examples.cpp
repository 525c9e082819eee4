#include "model/validation/value_examples.hpp"

#include "model/validation/validation_messages.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

std::string_view text_for(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::display_name: return "Name";
  case text_rule::glob: return "assets/**";
  case text_rule::header_name: return "X-Name";
  case text_rule::public_url: return "https://example.com/verify";
  case text_rule::any:
  case text_rule::not_empty:
  case text_rule::header_value:
  case text_rule::tier:
  case text_rule::word:
  case text_rule::network_mode: return "text";
  }
  return {};
}

std::string example_text(const value_rule& rule, const validation_rules& rules) {
  auto text = text_for(rule.text);
  if (rule.most != nullptr) text = text.substr(0, rules.limits.*rule.most);
  return '"' + std::string{text} + '"';
}

std::string member(std::string_view name, const std::string& value) {
  return '"' + std::string{name} + "\": " + value;
}

std::string example_object(const object_shape& shape, const validation_rules& rules) {
  const bool is_choice =
      shape.rule == object_rule::exactly_one || shape.rule == object_rule::at_least_one;
  bool has_choice = !is_choice;
  std::string members;
  for (const auto& each : shape.members) {
    if (!each.required && has_choice) continue;
    has_choice = has_choice || !each.required;
    const auto name = each.alias.empty() ? each.name : each.alias;
    members += (members.empty() ? "" : ", ") + member(name, example_of(*each.value, rules));
  }
  return "{" + members + "}";
}

} // namespace

std::string example_of(const value_rule& rule, const validation_rules& rules) {
  switch (rule.type) {
  case value_type::string: return example_text(rule, rules);
  case value_type::integer:
    return std::to_string(std::max<std::int64_t>(bounds_of(rule, rules.limits).lowest, 0));
  case value_type::boolean: return "true";
  case value_type::map: return "{}";
  case value_type::array: return "[]";
  case value_type::object: break;
  }
  return rule.shape != nullptr ? example_object(*rule.shape, rules) : "{}";
}

std::string example_of_game_mode(std::string_view runtime) {
  return member(runtime, R"({"image_id": "ID"})");
}

std::string example_of_matchmaker(std::string_view runtime) {
  return example_of_game_mode(runtime) + R"(, "game_modes": {"default": {}})";
}

} // namespace matchcloud::model
