#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/reports/text_table.hpp"
#include "cli/print.hpp"
#include "model/catalog/parse_catalog.hpp"

#include "model/catalog/catalog_element.hpp"
#include "model/text/joined.hpp"

#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

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

std::string degrees(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

text_table table_of(const model::catalog& catalog, model::element_kind kind) {
  text_table table;
  switch (kind) {
  case model::element_kind::region:
    table.columns = {
        {"REGION ID"}, {"NAME", true}, {"PROVIDER", true}, {"LATITUDE"}, {"LONGITUDE"}};
    for (const auto& each : catalog.regions)
      table.rows.push_back({each.region_id, each.region_display_name, each.provider_display_name,
                            degrees(each.datacenter_coord.latitude),
                            degrees(each.datacenter_coord.longitude)});
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

using opened_catalog = base::expected<store::lease<store::catalog_store>>;

/// The catalog of an existing store: a new one has nothing to show or remove.
opened_catalog open_catalog(const catalog_options& options) {
  return store::open_existing_store(options.store).and_then([](const auto& database) {
    return database->catalog();
  });
}

opened_catalog open_or_make_catalog(const catalog_options& options) {
  return store::open_store(options.store).and_then([](const auto& database) {
    return database->catalog();
  });
}

base::expected<std::string> list(const catalog_options& options) {
  const auto catalog = store::open_to_read(options.store)
                           .and_then([](const auto& database) { return database->catalog(); })
                           .and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto kind = *parse_kind(options.kind);
  if (options.format == "json") return render_elements(*catalog, kind) + "\n";
  return table_of(*catalog, kind).render(terminal_width());
}

/// Reads stdin up to one byte more than the limit of an element, which is then refused.
base::expected<std::string> read_stdin() {
  std::string text(model::element_limit_bytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (std::cin.bad()) return base::fail(base::errc::io_failed, "stdin cannot be read");
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  return text;
}

base::expected<std::string> put(const catalog_options& options, const model::element_key& key) {
  const auto text = options.json == "-" ? read_stdin() : base::expected<std::string>{options.json};
  if (!text) return tl::unexpected(text.error());
  const auto element = parse_element(key, *text);
  if (!element) return tl::unexpected(element.error());
  const auto done = open_or_make_catalog(options).and_then(
      [&](const auto& into) { return into->import_document(document_of(*element)); });
  if (!done) return tl::unexpected(done.error());
  const auto* what = done->added > 0 ? "added" : done->changed ? "replaced" : "nothing new";
  return key.describe() + ": " + what + "\n";
}

base::expected<std::string> remove(const catalog_options& options, const model::element_key& key) {
  return open_catalog(options)
      .and_then([&](const auto& from) { return from->remove(key); })
      .map([&] { return key.describe() + ": removed\n"; });
}

/// Prints the result or the error; returns the exit code.
int finish(std::string_view command, const base::expected<std::string>& done) {
  if (done) {
    std::cout << *done << std::flush;
    return ok;
  }
  cli::say("matchcloud catalog " + std::string{command}, done.error().detail);
  return done.error().code == base::errc::id_malformed ? usage : failed;
}

template <class Change>
int change(std::string_view command, const catalog_options& options, Change what) {
  const auto key = model::element_key::parse(*parse_kind(options.kind), options.id);
  if (!key) return finish(command, tl::unexpected(key.error()));
  return finish(command, what(options, *key));
}

/// Adds a subcommand with the options that all of them share.
CLI::App* add(CLI::App& to, const std::string& name, const std::string& what,
              catalog_options& options) {
  auto* command = to.add_subcommand(name, what);
  add_store_options(*command, options.store);
  command->add_option("KIND", options.kind, "games, namespaces, regions or tiers.")
      ->required()
      ->type_name("{games,namespaces,regions,tiers}")
      ->check(CLI::IsMember(kind_names()).description(""));
  return command;
}

void add_list(CLI::App& to, int& code) {
  const auto options = std::make_shared<catalog_options>();
  auto* command = add(to, "list", "List the elements of a kind.", *options);
  cli::add_format_option(*command, options->format, "table, or json as the ops plane returns it.");
  set_help(*command, "On a terminal, long names and lists are shortened until a line fits.\n\n"
                     "Example: matchcloud catalog list namespaces --data-dir var");
  command->callback([options, &code] { code = finish("list", list(*options)); });
}

void add_put(CLI::App& to, int& code) {
  const auto options = std::make_shared<catalog_options>();
  auto* command = add(to, "put", "Add or replace one element.", *options);
  command->add_option("ID", options->id, "Its id.")->required();
  command->add_option("JSON", options->json, "The element; - reads stdin. A tier needs none.");
  set_help(*command, "The element has the format of a catalog document; its id may be left out. A "
                     "namespace needs its game_id. An existing element is replaced whole: a "
                     "namespace put without domains has none afterwards. A removed element is "
                     "restored. Running servers see the change within a second."
                     "\n\nExample: matchcloud catalog put region lon '{\"region_display_name\": "
                     "\"London\", \"provider_display_name\": \"Demo Cloud\", \"datacenter_coord\": "
                     "{\"latitude\": 51.5, \"longitude\": -0.13}}'"
                     "\nExample: matchcloud catalog put tier basic-8d1");
  command->callback([options, &code] {
    if (options->json.empty() && parse_kind(options->kind) != model::element_kind::tier)
      throw CLI::RequiredError{"JSON"};
    code = change("put", *options, put);
  });
}

void add_remove(CLI::App& to, int& code) {
  const auto options = std::make_shared<catalog_options>();
  auto* command = add(to, "remove", "Remove one element.", *options);
  command->add_option("ID", options->id, "Its id.")->required();
  set_help(*command,
           "The element is hidden from now on; history keeps its name. A region that a namespace "
           "lists and a game that has namespaces cannot be removed; a removed namespace frees its "
           "domains. Running servers see the change within a second.\n\n"
           "Example: matchcloud catalog remove region lon --data-dir var");
  command->callback([options, &code] { code = change("remove", *options, remove); });
}

} // namespace

void add_catalog_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("catalog", "Show and change games, namespaces, regions and tiers.");
  command->require_subcommand(1);
  set_help(*command, "Works on the store; running servers on the same store see each change within "
                     "a second.\n\nExample: matchcloud catalog list regions");
  add_list(*command, code);
  add_put(*command, code);
  add_remove(*command, code);
}

} // namespace matchcloud::app
