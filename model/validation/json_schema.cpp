#include "model/validation/json_schema.hpp"

#include "model/json/json_value.hpp"
#include "model/json/members.hpp"
#include "model/validation/schema_remarks.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::model {

namespace {

using json = json_pool::value;

constexpr unsigned indentation = 2;
constexpr bool not_nullable = false;

std::string_view title_of(payload_kind kind) noexcept {
  switch (kind) {
  case payload_kind::version: return "A game version, as validateGameVersion accepts it";
  case payload_kind::game: return "A game, as validateGame accepts it";
  case payload_kind::group: return "A group, as validateGroup accepts it";
  }
  return {};
}

/// The prefix of the names of the components for a kind.
std::string component_of(payload_kind kind) {
  switch (kind) {
  case payload_kind::version: return "GameVersion";
  case payload_kind::game: return "Game";
  case payload_kind::group: return "Group";
  }
  return {};
}

/// `idle_lobbies` as `IdleLobbies`.
std::string pascal_case(std::string_view name) {
  std::string made;
  bool is_first = true;
  for (const auto each : name) {
    const bool is_small = each >= 'a' && each <= 'z';
    if (each != '_') made += is_first && is_small ? static_cast<char>(each - 'a' + 'A') : each;
    is_first = each == '_';
  }
  return made;
}

std::string_view json_type(value_type type) noexcept {
  switch (type) {
  case value_type::string: return "string";
  case value_type::integer: return "integer";
  case value_type::boolean: return "boolean";
  case value_type::object:
  case value_type::map: return "object";
  case value_type::array: return "array";
  }
  return {};
}

/// Whether a rule that is used twice deserves a definition, because it has members, limits or
/// names.
bool is_definable(const value_rule& rule) noexcept {
  return rule.shape || rule.most || rule.text == text_rule::tier;
}

/// Recurses through the table, which is constant, finite, and only as deep as the specification.
class schema_printer {
public:
  schema_printer(const validation_rules& rules, const reference_names& names)
      : rules_(rules), names_(names) {}

  std::string print(payload_kind kind) {
    const auto& body = body_rule(kind);
    define_for(body);

    json schema{rapidjson::kObjectType};
    make_.add(schema, "$schema", make_.text("https://json-schema.org/draft/2020-12/schema"));
    make_.add(schema, "$id", make_.text("urn:matchcloud:schema:" + std::string{name_of(kind)}));
    make_.add(schema, "title", make_.text(title_of(kind)));
    make_.add(schema, "$comment", make_.text(unexpressed()));
    describe(schema, body, not_nullable, {});
    if (!definitions_.empty()) make_.add(schema, "$defs", definitions());

    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer{buffer};
    writer.SetIndent(' ', indentation);
    writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
    schema.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
  }

  std::vector<schema_part> print_parts(payload_kind kind) {
    const auto& body = body_rule(kind);
    define_for(body);
    const auto name = component_of(kind);
    is_part_ = true;
    reference_ = "#/components/schemas/" + name;
    std::vector<schema_part> parts;
    json whole{rapidjson::kObjectType};
    make_.add(whole, "title", make_.text(title_of(kind)));
    describe(whole, body, not_nullable, unexpressed());
    parts.push_back({name + "Payload", as_json(whole)});
    for (const auto& each : definitions_) {
      json one{rapidjson::kObjectType};
      describe(one, *each.rule, each.nullable, {});
      parts.push_back({name + pascal_case(each.name), as_json(one)});
    }
    return parts;
  }

private:
  // Definitions: rules that are used in several places are printed once for all of them.

  void define_for(const value_rule& body) {
    count_uses(body, not_nullable, "body");
    std::erase_if(definitions_, [](const definition& each) { return each.uses == 1; });
  }

  struct definition {
    const value_rule* rule;
    bool nullable;
    /// The name of the first member that uses it.
    std::string name;
    std::size_t uses = 0;
  };

  void count_uses(const value_rule& rule, bool nullable, std::string_view name) {
    if (is_definable(rule)) {
      auto* known = find_definition(rule, nullable);
      if (!known)
        known = &definitions_.emplace_back(
            definition{&rule, nullable, unused(rule.name.empty() ? name : rule.name)});
      if (++known->uses > 1) return;
    }
    if (rule.element) count_uses(*rule.element, not_nullable, name);
    if (!rule.shape) return;
    for (const auto& member : rule.shape->members)
      for (std::size_t use = 0; use < spellings_of(*rule.shape, member, rules_).size(); ++use)
        count_uses(*member.value, !member.required, member.name);
  }

  definition* find_definition(const value_rule& rule, bool nullable) {
    const auto found = std::ranges::find_if(definitions_, [&](const definition& each) {
      return each.rule == &rule && each.nullable == nullable;
    });
    return found == definitions_.end() ? nullptr : &*found;
  }

  std::string unused(std::string_view name) const {
    std::string free{name};
    while (std::ranges::any_of(definitions_, [&](const auto& each) { return each.name == free; }))
      free += "_entry";
    return free;
  }

  json definitions() {
    json all{rapidjson::kObjectType};
    for (const auto& each : definitions_) {
      json one{rapidjson::kObjectType};
      describe(one, *each.rule, each.nullable, {});
      make_.add(all, each.name, std::move(one));
    }
    return all;
  }

  // Values.

  /// The schema of a value; `remark` describes the member that has it.
  json value(const value_rule& rule, bool nullable, std::string_view remark) {
    json schema{rapidjson::kObjectType};
    const auto* known = find_definition(rule, nullable);
    if (!known) {
      describe(schema, rule, nullable, remark);
      return schema;
    }
    if (!remark.empty()) make_.add(schema, "description", make_.text(remark));
    make_.add(schema, "$ref",
              make_.text(reference_ + (is_part_ ? pascal_case(known->name) : known->name)));
    return schema;
  }

  void describe(json& schema, const value_rule& rule, bool nullable, std::string_view remark) {
    const auto type = json_type(rule.type);
    make_.add(schema, "type",
              nullable ? make_.texts(std::vector<std::string_view>{type, "null"})
                       : make_.text(type));
    if (const auto all = remarks(rule, remark); !all.empty())
      make_.add(schema, "description", make_.text(all));
    switch (rule.type) {
    case value_type::string: return describe_string(schema, rule, nullable);
    case value_type::integer: return describe_integer(schema, rule);
    case value_type::boolean: return;
    case value_type::map: return describe_map(schema, rule);
    case value_type::array: return describe_array(schema, rule);
    case value_type::object:
      if (rule.shape) describe_shape(schema, *rule.shape);
    }
  }

  std::string remarks(const value_rule& rule, std::string_view of_its_place) const {
    std::string all{of_its_place};
    append_sentence(all, remark_of(rule.text));
    append_sentence(all, remark_of(rule.key));
    if (rule.shape) append_sentence(all, remark_of(rule.shape->rule, rules_.complete));
    if (rule.type == value_type::string && rule.most && rule.unit == length_unit::bytes)
      append_sentence(all, "At most " + std::to_string(limit(rule.most)) + " bytes of UTF-8.");
    return all;
  }

  void describe_string(json& schema, const value_rule& rule, bool nullable) {
    if (!may_be_empty(rule.text)) make_.add(schema, "minLength", json{1});
    if (rule.most) make_.add(schema, "maxLength", json{limit(rule.most)});
    if (const auto pattern = pattern_of(rule.text); !pattern.empty())
      make_.add(schema, "pattern", make_.text(pattern));
    if (rule.text == text_rule::tier && !is_part_)
      make_.add(schema, "enum", choice(names_.tiers, nullable));
    if (!rule.words.empty())
      make_.add(schema, "enum", choice(accepted_words(rule, rules_), nullable));
  }

  void describe_integer(json& schema, const value_rule& rule) {
    const auto bounds = bounds_of(rule, rules_.limits);
    make_.add(schema, "minimum", json{bounds.lowest});
    make_.add(schema, "maximum", json{bounds.highest});
  }

  void describe_map(json& schema, const value_rule& rule) {
    if (rule.most) make_.add(schema, "maxProperties", json{limit(rule.most)});
    if (auto names = entry_names(rule); names.MemberCount() > 0)
      make_.add(schema, "propertyNames", std::move(names));
    make_.add(schema, "additionalProperties", value(*rule.element, not_nullable, {}));
  }

  json entry_names(const value_rule& map) {
    json schema{rapidjson::kObjectType};
    if (map.key != key_rule::any && map.key != key_rule::region)
      make_.add(schema, "minLength", json{1});
    if (map.longest_key) make_.add(schema, "maxLength", json{limit(map.longest_key)});
    if (const auto pattern = pattern_of(map.key); !pattern.empty())
      make_.add(schema, "pattern", make_.text(pattern));
    if (map.key == key_rule::region && names_.regions)
      make_.add(schema, "enum", choice(*names_.regions, not_nullable));
    return schema;
  }

  void describe_array(json& schema, const value_rule& rule) {
    if (rule.most) make_.add(schema, "maxItems", json{limit(rule.most)});
    make_.add(schema, "items", value(*rule.element, not_nullable, {}));
  }

  void describe_shape(json& schema, const object_shape& shape) {
    json properties{rapidjson::kObjectType};
    std::vector<std::string> required;
    for (const auto& member : shape.members) {
      const auto names = spellings_of(shape, member, rules_);
      for (const auto& name : names)
        make_.add(properties, name,
                  value(*member.value, !member.required, place_remark(member, name)));
      if (member.required && names.size() == 1) required.push_back(names.front());
    }
    make_.add(schema, "properties", std::move(properties));
    if (!required.empty()) make_.add(schema, "required", make_.texts(required));
    if (!shape.open && rules_.unknown_members == unknown_members::reject)
      make_.add(schema, "additionalProperties", json{false});
    if (auto all = relations(shape); !all.Empty()) make_.add(schema, "allOf", std::move(all));
  }

  static std::string place_remark(const member_rule& member, const std::string& spelling) {
    std::string remark{member.about};
    if (spelling != member.name) remark = "The same as `" + std::string{member.name} + "`.";
    if (member.cli_only) append_sentence(remark, "CLI-only: it has no effect on the server.");
    return remark;
  }

  // Relations between the members of an object.

  /// Conditions that must all hold.
  json relations(const object_shape& shape) {
    auto all = make_.array();
    for (const auto& member : shape.members) {
      const auto names = spellings_of(shape, member, rules_);
      for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j)
          make_.push(all, make_.object("not", object_with({names[i], names[j]})));
      if (member.required && names.size() > 1)
        make_.push(all, make_.object("anyOf", presences(shape, {&member})));
    }
    if (auto rule = relation(shape); !rule.IsNull()) make_.push(all, std::move(rule));
    return all;
  }

  /// The condition for a shape's relation; null if there is none.
  json relation(const object_shape& shape) {
    switch (shape.rule) {
    case object_rule::exactly_one: return one_of("oneOf", presences_of_optional(shape));
    case object_rule::at_least_one: return one_of("anyOf", presences_of_optional(shape));
    case object_rule::port: return make_.object("anyOf", make_.array(gateway_port(), host_port()));
    case object_rule::config:
      return rules_.complete ? present("matchmaker", typed("object")) : json{};
    case object_rule::cdn: return rules_.complete ? present("site_id", typed("string")) : json{};
    case object_rule::matchmaker:
      if (!rules_.complete) return {};
      return present("game_modes",
                     make_.object("type", make_.text("object"), "minProperties", json{1}));
    case object_rule::none:
    case object_rule::ordered_range:
    case object_rule::game_mode: return {};
    }
    return {};
  }

  /// `conditions` under the keyword. Client generators need a single condition on its own.
  json one_of(std::string_view keyword, json conditions) {
    if (is_part_ && conditions.Size() == 1) return json{std::move(conditions[0])};
    return make_.object(keyword, std::move(conditions));
  }

  /// A condition for each spelling of `members` that it is present. Null counts as absent.
  json presences(const object_shape& shape, const std::vector<const member_rule*>& members) {
    auto all = make_.array();
    for (const auto* member : members)
      for (const auto& name : spellings_of(shape, *member, rules_))
        make_.push(all, present(name, typed(json_type(member->value->type))));
    return all;
  }

  json presences_of_optional(const object_shape& shape) {
    std::vector<const member_rule*> optional;
    for (const auto& member : shape.members)
      if (!member.required) optional.push_back(&member);
    return presences(shape, optional);
  }

  json present(std::string_view name, json schema) {
    auto condition = required({std::string{name}});
    make_.add(condition, "properties", make_.object(name, std::move(schema)));
    return condition;
  }

  /// The condition that an object has all of `names`. Without `type`, null would satisfy it too.
  /// Required members are also listed in `properties`, as ajv's strict mode demands.
  json object_with(const std::vector<std::string>& names) {
    json properties{rapidjson::kObjectType};
    for (const auto& name : names)
      make_.add(properties, name, json{rapidjson::kObjectType});
    auto condition = make_.object("type", make_.text("object"), "required", make_.texts(names));
    make_.add(condition, "properties", std::move(properties));
    return condition;
  }

  json required(const std::vector<std::string>& names) {
    return make_.object("required", make_.texts(names));
  }

  json typed(std::string_view type) { return make_.object("type", make_.text(type)); }

  // The only two kinds of ports without findings, see docs/validation.md, "Ports".

  json gateway_port() {
    auto condition = required({"port"});
    auto proxy = choice(spellings_of(default_proxy, rules_), true);
    make_.add(condition, "properties",
              make_.object("port", typed("integer"), "port_range", typed("null"), "proxy",
                           make_.object("enum", std::move(proxy))));
    return condition;
  }

  json host_port() {
    auto condition = required({"port_range", "protocol", "proxy"});
    auto ends = make_.object("min", host_port_number(), "max", host_port_number());
    auto range = make_.object("type", make_.text("object"), "properties", std::move(ends));
    auto protocols = make_.object("enum", make_.texts(std::vector{"tcp", "udp"}));
    auto proxy = make_.object("enum", make_.texts(spellings_of("none", rules_)));
    make_.add(condition, "properties",
              make_.object("port", typed("null"), "port_range", std::move(range), "protocol",
                           std::move(protocols), "proxy", std::move(proxy)));
    return condition;
  }

  json host_port_number() {
    return make_.object("type", make_.text("integer"), "minimum",
                        json{rules_.limits.host_port_lowest}, "maximum",
                        json{rules_.limits.host_port_highest});
  }

  json choice(const std::vector<std::string>& words, bool nullable) {
    auto all = make_.texts(words);
    if (nullable) make_.push(all, json{});
    return all;
  }

  std::uint64_t limit(limit_pointer which) const { return rules_.limits.*which; }

  const validation_rules& rules_;
  const reference_names& names_;
  json_pool make_;
  std::vector<definition> definitions_;
  /// Whether the schema becomes part of a document that does not depend on a catalog.
  bool is_part_ = false;
  /// The text before the name of a definition in a `$ref`.
  std::string reference_ = "#/$defs/";
};

} // namespace

std::string json_schema(payload_kind kind, const validation_rules& rules,
                        const reference_names& names) {
  return schema_printer{rules, names}.print(kind);
}

std::vector<schema_part> json_schema_parts(payload_kind kind, const validation_rules& rules) {
  const reference_names names;
  return schema_printer{rules, names}.print_parts(kind);
}

} // namespace matchcloud::model
