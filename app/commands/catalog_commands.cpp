#include "app/commands/commands.hpp"
#include "app/reports/text_table.hpp"
#include "cli/bounded_input.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/text/joined.hpp"

#include <spdlog/fmt/fmt.h>

#include <optional>

namespace matchcloud::app {

namespace {

struct catalog_options {
  store::store_place store;
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

text_table elements_table(const model::catalog& catalog, model::element_kind kind) {
  text_table table;
  switch (kind) {
  case model::element_kind::region:
    table.columns = {
        {"REGION ID"}, {"NAME", true}, {"PROVIDER", true}, {"LATITUDE"}, {"LONGITUDE"}};
    for (const auto& each : catalog.regions)
      table.rows.push_back({each.region_id, each.region_display_name, each.provider_display_name,
                            fmt::format("{}", each.datacenter_coord.latitude),
                            fmt::format("{}", each.datacenter_coord.longitude)});
    return table;
  case model::element_kind::tier:
    table.columns = {{"TIER"}};
    for (const auto& each : catalog.tiers)
      table.rows.push_back({each});
    return table;
  case model::element_kind::game:
    table.columns = {{"GAME ID"}, {"NAME", true}};
    for (const auto& each : catalog.games)
      table.rows.push_back({to_string(each.game_id), each.display_name});
    return table;
  case model::element_kind::game_namespace:
    table.columns = {
        {"NAMESPACE ID"}, {"NAME", true}, {"GAME", true}, {"DOMAINS", true}, {"REGIONS", true}};
    for (const auto& each : catalog.namespaces) {
      const auto* game = catalog.find_game(each.game_id);
      table.rows.push_back({to_string(each.namespace_id), each.name,
                            game ? game->display_name : to_string(each.game_id),
                            model::joined(each.domains),
                            each.regions ? model::joined(*each.regions) : "all"});
    }
    return table;
  }
  return table;
}

std::string list_elements(const catalog_options& options, command_run&) {
  const auto catalog = catalog_of(*value_of(store::open_to_read(options.store)));
  const auto kind = *parse_kind(options.kind);
  if (options.format == "json") return render_elements(catalog, kind) + "\n";
  return elements_table(catalog, kind).render(terminal_width());
}

model::element_key key_of(const catalog_options& options) {
  return value_of(model::element_key::parse(*parse_kind(options.kind), options.id));
}

std::string put_element(const catalog_options& options, command_run&) {
  if (options.json.empty() && parse_kind(options.kind) != model::element_kind::tier)
    throw CLI::RequiredError{"JSON"};
  const auto key = key_of(options);
  // One byte more than an element may have, which is then refused.
  const auto text = options.json == "-"
                        ? value_of(cli::read_bounded_stdin(model::element_limit_bytes))
                        : options.json;
  const auto document = document_of(value_of(parse_element(key, text)));
  const auto in = value_of(store::open_store(options.store));
  const auto done = value_of(value_of(in->catalog())->import_document(document));
  const auto* what = done.added > 0 ? "added" : done.changed ? "replaced" : "nothing new";
  return key.describe() + ": " + what + "\n";
}

std::string remove_element(const catalog_options& options, command_run&) {
  const auto key = key_of(options);
  const auto in = value_of(store::open_existing_store(options.store));
  value_of(value_of(in->catalog())->remove(key));
  return key.describe() + ": removed\n";
}

void add_kind(CLI::App& command, catalog_options& options) {
  add_store_options(command, options.store);
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
    "a second.\n\nExample: matchcloud catalog list regions";

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
