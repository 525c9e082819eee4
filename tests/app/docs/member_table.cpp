#include "tests/app/docs/tables.hpp"

#include "model/text/counts.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/schema_remarks.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::model {

namespace {

std::string_view unit_of(const value_rule& rule) noexcept {
  return rule.unit == length_unit::bytes ? "bytes" : "characters";
}

std::string type_of(const value_rule& rule) {
  switch (rule.type) {
  case value_type::string: return "string";
  case value_type::integer: return "integer";
  case value_type::boolean: return "boolean";
  case value_type::object: return "object";
  case value_type::map: return "map of " + type_of(*rule.element) + "s";
  case value_type::array: return "list of " + type_of(*rule.element) + "s";
  }
  return {};
}

/// An object and the path that leads to it.
struct object_place {
  const object_shape* shape = nullptr;
  std::string path;
};

/// The object that `rule` ends in, through maps and lists; no shape if it ends in another value.
object_place object_in(const value_rule& rule, std::string path) {
  if (!rule.element) return {rule.shape, std::move(path)};
  return object_in(*rule.element, std::move(path) + (rule.type == value_type::map ? ".*" : "[*]"));
}

class table_printer {
public:
  std::string print() {
    add_members(*body_rule(payload_kind::version).shape, "");
    return std::move(table_);
  }

private:
  /// The rows of an object, then those of the objects in it that were not listed before. Recurses
  /// only as deep as the specification.
  void add_members(const object_shape& shape, const std::string& prefix) {
    std::vector<object_place> inner;
    for (const auto& member : shape.members) {
      auto place = object_in(*member.value, prefix + std::string{member.name});
      const auto listed = place.shape ? listed_at_.find(place.shape) : listed_at_.end();
      const bool is_listed = listed != listed_at_.end();
      add_row(shape, member, is_listed ? listed->second : "");
      if (!place.shape || is_listed) continue;
      listed_at_.emplace(place.shape, place.path);
      inner.push_back(std::move(place));
    }
    for (const auto& [of, path] : inner) {
      table_.append("| **`").append(path).append("`** | | | |\n");
      add_members(*of, path + ".");
    }
  }

  /// `listed_at` has the same members as the value; empty if they are listed here.
  void add_row(const object_shape& shape, const member_rule& member, const std::string& listed_at) {
    table_.append("| `").append(member.name).append("`");
    for (const auto& name : spellings_of(shape, member, rules_))
      if (name != member.name) table_.append(", `").append(name).append("`");
    table_.append(" | ").append(type_of(*member.value));
    table_.append(member.required ? " | yes | " : " | | ").append(member.about);
    std::string text;
    if (member.cli_only) append_sentence(text, "CLI only.");
    append_sentence(text, rule_of(*member.value));
    if (!listed_at.empty()) append_sentence(text, "Members as in `" + listed_at + "`.");
    table_.append(text.empty() ? "" : " ").append(text).append(" |\n");
  }

  /// What a value can be, as sentences.
  std::string rule_of(const value_rule& rule) const {
    std::string text;
    switch (rule.type) {
    case value_type::string: append_sentence(text, length_of(rule)); break;
    case value_type::integer: append_sentence(text, bounds_text(rule)); break;
    case value_type::array:
    case value_type::map: append_sentence(text, entries_of(rule)); break;
    case value_type::boolean:
    case value_type::object: break;
    }
    if (!rule.words.empty()) append_sentence(text, words_of(rule));
    append_sentence(text, remark_of(rule.text));
    append_sentence(text, remark_of(rule.key));
    if (rule.shape) append_sentence(text, remark_of(rule.shape->rule, rules_.complete));
    return text;
  }

  std::string length_of(const value_rule& rule, std::string_view of = "Length") const {
    const bool is_filled = !may_be_empty(rule.text);
    if (!rule.most) return is_filled ? "Not empty." : "";
    return std::string{of} + (is_filled ? ": 1 to " : ": at most ") + limit(rule.most) + " " +
           std::string{unit_of(rule)} + ".";
  }

  std::string bounds_text(const value_rule& rule) const {
    if (rule.range == nullptr || (rule.range == &signed_64_bit && !rule.most)) return {};
    const auto bounds = bounds_of(rule, rules_.limits);
    return std::to_string(bounds.lowest) + " to " + grouped(bounds.highest) + ".";
  }

  std::string entries_of(const value_rule& rule) const {
    const bool is_map = rule.type == value_type::map;
    std::string text;
    if (rule.most) text = "At most " + limit(rule.most) + (is_map ? " entries." : " elements.");
    if (rule.longest_key)
      append_sentence(text, "Length of a name: 1 to " + limit(rule.longest_key) + " characters.");
    if (rule.element->type == value_type::string)
      append_sentence(
          text, length_of(*rule.element, is_map ? "Length of a value" : "Length of an element"));
    if (rule.element->shape)
      append_sentence(text, remark_of(rule.element->shape->rule, rules_.complete));
    return text;
  }

  std::string words_of(const value_rule& rule) const {
    std::string text;
    for (const auto& word : accepted_words(rule, rules_))
      text.append(text.empty() ? "One of `" : ", `").append(word).append("`");
    return text + ".";
  }

  std::string limit(limit_pointer which) const { return grouped(rules_.limits.*which); }

  const validation_rules rules_{};
  std::string table_ = "| member | type | required | meaning and limits |\n|---|---|---|---|\n";
  /// The path at which the members of each object are listed.
  std::map<const object_shape*, std::string> listed_at_;
};

} // namespace

std::string member_table() {
  return table_printer{}.print();
}

} // namespace matchcloud::model
