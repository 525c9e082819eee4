#include "app/commands/administration.hpp"
#include "app/reports/text_table.hpp"
#include "cli/bounded_input.hpp"
#include "model/catalog/catalog_element.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace matchcloud::app {

namespace {

using actors::element_request;
using element_verb = element_request::verb;

struct catalog_options {
  administered_place place;
  std::string kind;
  std::string id;
  std::string json;
  std::string format = "table";
};

/// Parses a KIND argument, in the singular or the plural.
std::optional<model::element_kind> parse_kind(std::string_view text) {
  for (const auto kind : model::element_kinds)
    if (text == name_of(kind) || text == plural_of(kind)) return kind;
  return std::nullopt;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto kind : model::element_kinds)
    names.insert(names.end(), {std::string{name_of(kind)}, std::string{plural_of(kind)}});
  return names;
}

/// `names` has the names of the games.
text_table elements_table(std::span<const rapidjson::Value> elements, model::element_kind kind,
                          const model::catalog& names) {
  text_table table;
  switch (kind) {
  case model::element_kind::region:
    table.columns = {
        {"REGION ID"}, {"NAME", true}, {"PROVIDER", true}, {"LATITUDE"}, {"LONGITUDE"}};
    for (const auto& each : elements)
      if (const auto* at = model::member_object(each, "datacenter_coord"))
        table.rows.push_back({shown_member(each, "region_id"),
                              shown_member(each, "region_display_name"),
                              shown_member(each, "provider_display_name"),
                              shown_member(*at, "latitude"), shown_member(*at, "longitude")});
    return table;
  case model::element_kind::tier:
    table.columns = {{"TIER"}};
    for (const auto& each : elements)
      if (each.IsString()) table.rows.push_back({each.GetString()});
    return table;
  case model::element_kind::game:
    table.columns = {{"GAME ID"}, {"NAME", true}};
    for (const auto& each : elements)
      table.rows.push_back({shown_member(each, "game_id"), shown_member(each, "display_name")});
    return table;
  case model::element_kind::game_namespace:
    table.columns = {
        {"NAMESPACE ID"}, {"NAME", true}, {"GAME", true}, {"DOMAINS", true}, {"REGIONS", true}};
    for (const auto& each : elements) {
      const auto game_id = shown_member(each, "game_id");
      const auto* game = names.find_game(model::parse_uuid(game_id).value_or(model::uuid{}));
      table.rows.push_back({shown_member(each, "namespace_id"), shown_member(each, "name"),
                            game ? game->display_name : game_id, shown_member(each, "domains"),
                            shown_member(each, "regions", "all")});
    }
    return table;
  }
  return table;
}

std::string list_elements(const catalog_options& options, command_run& in) {
  const administrator by{options.place, store_use::reads, in};
  const auto kind = *parse_kind(options.kind);
  const std::string plural{plural_of(kind)};
  const auto all =
      by.perform(rows::list_elements, {plural}, element_request{element_verb::list, kind});
  if (options.format == "json") return all.json + "\n";
  const auto names = kind == model::element_kind::game_namespace ? by.names() : model::catalog{};
  return elements_table(model::member_elements(all.value, plural.c_str()), kind, names)
      .render(terminal_width());
}

model::element_key key_of(const catalog_options& options) {
  return value_of(model::element_key::parse(*parse_kind(options.kind), options.id));
}

std::vector<std::string> path_of(const model::element_key& key) {
  return {std::string{plural_of(key.kind())}, key.text()};
}

std::string put_element(const catalog_options& options, command_run& in) {
  if (options.json.empty() && parse_kind(options.kind) != model::element_kind::tier)
    throw CLI::RequiredError{"JSON"};
  const auto key = key_of(options);
  if (options.json == "-" && options.place.service.token_file == "-")
    refuse("both the element and the token cannot come from stdin");
  // One byte more than an element may have, which is then refused.
  auto text = options.json == "-" ? value_of(cli::read_bounded_stdin(model::element_limit_bytes))
                                  : options.json;
  value_of(parse_element(key, text));
  const administrator by{options.place, store_use::creates, in};
  const auto done =
      by.perform(rows::put_element, path_of(key),
                 element_request{element_verb::put, key.kind(), key.text(),
                                 std::make_shared<const std::string>(std::move(text))});
  const auto* what = done.status == 201 ? "added" : done.changed ? "replaced" : "nothing new";
  return key.describe() + ": " + what + "\n";
}

std::string remove_element(const catalog_options& options, command_run& in) {
  const auto key = key_of(options);
  const administrator by{options.place, store_use::changes, in};
  by.remove(rows::remove_element, path_of(key),
            element_request{element_verb::remove, key.kind(), key.text()});
  return key.describe() + ": removed\n";
}

void add_kind(CLI::App& command, catalog_options& options) {
  add_administration_options(command, options.place);
  command.add_option("KIND", options.kind, "games, namespaces, regions or tiers.")
      ->required()
      ->type_name("{games,namespaces,regions,tiers}")
      ->check(CLI::IsMember(kind_names()).description(""));
}

void add_element(CLI::App& command, catalog_options& options) {
  add_kind(command, options);
  command.add_option("ID", options.id, "Its id.")->required();
}

constexpr const char* catalog_help =
    "Works on the store; running servers on the same store see each change within "
    "a second. With --url, a running service does it; changes need a token of the kind admin.\n\n"
    "Example: matchcloud catalog list regions\n"
    "Example: matchcloud catalog list regions --url https://ops.example:8081 --token-file my.token";

constexpr const char* catalog_put_help =
    "The element has the format of a catalog document; its id may be left out. A "
    "namespace needs its game_id. An existing element is replaced whole: a "
    "namespace put without domains has none afterwards. A removed element is "
    "restored. Running servers see the change within a second."
    "\n\nExample: matchcloud catalog put region lon '{\"region_display_name\": "
    "\"London\", \"provider_display_name\": \"Demo Cloud\", \"datacenter_coord\": "
    "{\"latitude\": 51.5, \"longitude\": -0.13}}'"
    "\nExample: matchcloud catalog put tier basic-8d1";

constexpr const char* catalog_remove_help =
    "The element is hidden from now on; history keeps its name. A region that a namespace "
    "lists and a game that has namespaces cannot be removed; a removed namespace frees its "
    "domains. Running servers see the change within a second.\n\n"
    "Example: matchcloud catalog remove region lon --data-dir var";

} // namespace

cli::commands catalog_commands() {
  return {{"catalog", "Show and change games, namespaces, regions and tiers.", catalog_help},
          command_with<catalog_options>(
              "catalog list", "List the elements of a kind.",
              "On a terminal, long names and lists are shortened until a line fits.\n\n"
              "Example: matchcloud catalog list namespaces --data-dir var",
              [](CLI::App& command, catalog_options& options) {
                add_kind(command, options);
                cli::add_format_option(command, options.format,
                                       "table, or json as the ops plane returns it.");
              },
              list_elements),
          command_with<catalog_options>(
              "catalog put", "Add or replace one element.", catalog_put_help,
              [](CLI::App& command, catalog_options& options) {
                add_element(command, options);
                command.add_option("JSON", options.json,
                                   "The element; - reads stdin. A tier needs none.");
              },
              put_element),
          command_with<catalog_options>("catalog remove", "Remove one element.",
                                        catalog_remove_help, add_element, remove_element)};
}

} // namespace matchcloud::app
