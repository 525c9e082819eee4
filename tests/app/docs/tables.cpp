#include "tests/app/docs/tables.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "app/all_commands.hpp"
#include "app/config/config.hpp"
#include "base/events/log_event.hpp"
#include "base/fault_point.hpp"
#include "cli/parsing.hpp"
#include "http/operations/list.hpp"
#include "http/reference/reference.hpp"
#include "model/audit/audit_action.hpp"
#include "model/text/counts.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/schema_remarks.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::app {

std::string config_table() {
  std::string table = "| key | default | allowed | reload | purpose |\n|---|---|---|---|---|\n";
  for (const auto& key : config_keys()) {
    table.append("| `").append(key.name).append("` | ");
    if (key.default_value.empty())
      table.append("none");
    else
      table.append("`").append(key.default_value).append("`");
    table.append(" | ").append(key.allowed).append(key.is_reloadable ? " | yes | " : " | no | ");
    table.append(key.purpose).append(" |\n");
  }
  return table;
}

std::string fault_point_table() {
  std::string table =
      "| point | what happens there | kinds | rules can select by |\n|---|---|---|---|\n";
  for (const auto& point : base::fault_points) {
    table.append("| `").append(point.name).append("` | ").append(point.sentence).append(" | ");
    const char* between = "";
    for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i) {
      if (!point.kinds.has(static_cast<base::fault_kind>(i))) continue;
      table.append(between).append(base::fault_kind_names[i]);
      between = ", ";
    }
    table.append(" | ");
    between = "";
    for (std::size_t i = 0; i < base::fault_choice_names.size(); ++i) {
      if (!point.knows.has(static_cast<base::fault_choice>(i))) continue;
      table.append(between).append("`").append(base::fault_choice_names[i]).append("`");
      between = ", ";
    }
    table.append(*between == '\0' ? "- |\n" : " |\n");
  }
  return table;
}

std::string fault_preset_table() {
  std::string table = "| preset | what you see | point | rule |\n|---|---|---|---|\n";
  for (const auto& each : actors::fault_presets)
    table.append("| `")
        .append(each.name)
        .append("` | ")
        .append(each.effect)
        .append(" | `")
        .append(facts_of(each.point).name)
        .append("` | `")
        .append(each.rule)
        .append("` |\n");
  return table;
}

std::string log_event_table() {
  std::string table = "| event | subject | level | when |\n|---|---|---|---|\n";
  for (const auto& event : base::log_events) {
    table.append("| `").append(event.name).append("` | ").append(name_of(event.subject));
    table.append(" | ").append(name_of(event.level));
    table.append(" | ").append(event.what).append(" |\n");
  }
  return table;
}

std::string audit_action_table() {
  std::string table = "| action | what |\n|---|---|\n";
  for (const auto& action : model::audit_actions)
    table.append("| `").append(action.name).append("` | ").append(action.what).append(" |\n");
  return table;
}

namespace {

std::string_view pages_of(http::cors_policy policy) noexcept {
  switch (policy) {
  case http::cors_policy::none: return "none";
  case http::cors_policy::configured_origins: return "`cors-origins`";
  case http::cors_policy::any_origin:
  case http::cors_policy::anybody: return "any";
  }
  return {};
}

std::string body_of(const http::operation_row& row) {
  if (row.body == http::body_kind::none) return "none";
  std::string text = row.body == http::body_kind::json ? "JSON, " : "JSON Lines, streamed, ";
  if (row.body_limit_bytes == 0) return text + "`body-limit-bytes`";
  return text + std::to_string(row.body_limit_bytes) + " bytes";
}

std::string_view deadline_of(const http::operation_row& row) noexcept {
  if (row.deadline == &http::limits::export_timeout) return "`export-timeout-ms`";
  if (row.deadline == &http::limits::ingest_timeout) return "`ingest-timeout-ms`";
  return "`request-timeout-ms`";
}

/// What a request without a token receives if tokens are required.
std::string_view anonymous_of(const http::operation_row& row) noexcept {
  switch (row.anonymous) {
  case http::anonymous_access::no: return "401";
  case http::anonymous_access::configured: return "yes, with `anonymous-regions`";
  case http::anonymous_access::yes: return "yes";
  }
  return {};
}

std::string_view access_of(const http::operation_row& row, model::token_kind kind) noexcept {
  if (row.anonymous == http::anonymous_access::yes) return "yes";
  if (!row.allowed.has(kind)) return "403";
  const bool is_scoped = scope_of(kind) == model::token_scope::game && row.names_game;
  return is_scoped ? "its game; others 403" : "yes";
}

} // namespace

std::string access_table() {
  std::string table = "| operation | no token |";
  std::string rule = "|---|---|";
  for (const auto kind : model::token_kind_names) {
    table.append(" ").append(kind).append(" |");
    rule += "---|";
  }
  table.append("\n").append(rule).append("\n");
  for (const auto& row : http::operations) {
    if (row.path.empty()) continue;
    table.append("| `").append(row.name).append("` | ").append(anonymous_of(row)).append(" |");
    for (std::size_t i = 0; i < model::token_kind_names.size(); ++i)
      table.append(" ").append(access_of(row, static_cast<model::token_kind>(i))).append(" |");
    table.append("\n");
  }
  return table;
}

std::string operation_table() {
  std::string table = "| operation | plane | method and path | body | deadline | pages that can "
                      "read it | safe to repeat |\n|---|---|---|---|---|---|---|\n";
  for (const auto& row : http::operations) {
    if (row.path.empty()) continue;
    table.append("| `").append(row.name);
    table.append(row.plane == http::plane::data ? "` | data | `" : "` | ops | `");
    table.append(name_of(row.method)).append(" ").append(row.path);
    table.append("` | ").append(body_of(row)).append(" | ").append(deadline_of(row));
    table.append(" | ").append(pages_of(row.cors));
    table.append(row.is_repeatable ? " | yes |\n" : " | no |\n");
  }
  return table;
}

std::string problem_table() {
  const auto of_data = http::errors_of(http::plane::data);
  const auto of_ops = http::errors_of(http::plane::ops);
  std::vector<base::errc> all;
  std::ranges::set_union(of_data, of_ops, std::back_inserter(all));
  std::ranges::stable_sort(all, {}, [](base::errc each) { return base::describe(each).status; });

  const auto planes_of = [&](base::errc code) -> std::string_view {
    if (!std::ranges::binary_search(of_ops, code)) return "data";
    return std::ranges::binary_search(of_data, code) ? "both" : "ops";
  };
  std::string table = "| status | code | title | planes |\n|---|---|---|---|\n";
  for (const auto code : all) {
    const auto described = base::describe(code);
    table.append("| ").append(std::to_string(described.status));
    table.append(" | `").append(described.code).append("` | ").append(described.title);
    table.append(" | ").append(planes_of(code)).append(" |\n");
  }
  return table;
}

std::string command_table() {
  CLI::App program{"", "matchcloud"};
  int code = 0;
  add_all_commands(program, code);
  std::string table = "| command | what it does |\n|---|---|\n";
  for (const auto& each : cli::all_commands(program)) {
    if (each.command == &program) continue;
    const auto text = each.command->get_description();
    table.append("| `").append(each.path).append("` | ");
    table.append(text, 0, text.find('\n')).append(" |\n");
  }
  return table;
}

} // namespace matchcloud::app

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
