#include "app/commands.hpp"

#include "model/catalog_document.hpp"
#include "store/store.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

void add_demo_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("demo", "Seed the store with demo data.");
  set_help(*command,
           "The demo data is the same every time: a game with two namespaces, twelve "
           "regions on six continents, the default tiers. Seeding again changes nothing.\n\n"
           "Example: matchcloud demo --data-dir var");
  const auto data_dir = std::make_shared<std::string>("var");
  command->add_option("--data-dir", *data_dir, "Where the store lives.")->capture_default_str();
  command->callback([data_dir, &code] {
    auto store = store::open_sqlite(*data_dir);
    const auto done = store ? (*store)->import_catalog(model::demo_catalog())
                            : base::expected<store::import_summary>{tl::unexpected(store.error())};
    if (!done) {
      std::cerr << "matchcloud demo: " << done.error().detail << "\n";
      code = failed;
      return;
    }
    std::cout << "demo data " << (done->changed ? "seeded" : "already there") << ": game "
              << model::to_string(model::demo_catalog().games.front().game_id) << std::endl;
  });
}

} // namespace matchcloud::app
