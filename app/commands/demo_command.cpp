#include "app/commands/command_run.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/demo/demo_avatars.hpp"
#include "app/demo/demo_lobbies.hpp"

#include "model/catalog/catalog_document.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

/// Seeds the store; true if anything changed.
base::expected<bool> seed(const store::store_place& place) {
  const auto database = store::open_store(place);
  if (!database) return tl::unexpected(database.error());
  const auto run = command_run("demo.seed");
  const auto catalog = (*database)->catalog(run).and_then(
      [](const auto& into) { return into->import_document(model::demo_catalog()); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto images = store::open_objects(place);
  if (!images) return tl::unexpected(images.error());
  const auto avatars = (*database)->avatars(run).and_then(
      [&](const auto& into) { return seed_demo_avatars(*into, **images); });
  if (!avatars) return tl::unexpected(avatars.error());
  const auto lobbies =
      (*database)->sink(run).and_then([](const auto& into) { return seed_demo_lobbies(*into); });
  if (!lobbies) return tl::unexpected(lobbies.error());
  return catalog->changed || *avatars || *lobbies;
}

} // namespace

void add_demo_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("demo", "Seed the store with demo data.");
  set_help(*command,
           "The demo data is the same every time: a game with two namespaces, twelve "
           "regions on six continents, the default tiers, five avatars (three with an image) and "
           "10,000 lobbies of January 2026. Seeding again changes nothing.\n\n"
           "Example: matchcloud demo --data-dir var");
  const auto place = std::make_shared<store::store_place>();
  add_store_options(*command, *place);
  add_objects_options(*command, *place);
  command->callback([place, &code] {
    const auto news = seed(*place);
    if (!news) {
      std::cerr << "matchcloud demo: " << news.error().detail << "\n";
      code = failed;
      return;
    }
    std::cout << "demo data " << (*news ? "seeded" : "already there") << ": game "
              << model::to_string(model::demo_catalog().games.front().game_id) << std::endl;
  });
}

} // namespace matchcloud::app
