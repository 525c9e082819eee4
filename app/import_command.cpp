#include "app/commands.hpp"

#include "model/catalog_document.hpp"
#include "store/store.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct import_options {
  std::string data_dir = "var";
  std::string file;
};

base::expected<std::string> read_whole(const std::string& file) {
  if (file == "-")
    return std::string{std::istreambuf_iterator<char>{std::cin}, std::istreambuf_iterator<char>{}};
  std::ifstream in{file, std::ios::binary};
  if (!in) return base::fail(base::errc::io_failed, file + ": cannot be opened for reading");
  return std::string{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

base::expected<store::import_summary> import_catalog(const import_options& options) {
  const auto text = read_whole(options.file);
  if (!text) return tl::unexpected(text.error());
  const auto document = model::parse_catalog_document(*text);
  if (!document) return tl::unexpected(document.error());
  auto store = store::open_sqlite(options.data_dir);
  if (!store) return tl::unexpected(store.error());
  return (*store)->import_catalog(*document);
}

} // namespace

void add_import_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("import", "Bring data into the store.");
  command->require_subcommand(1);
  auto* catalog = command->add_subcommand("catalog", "Import regions, tiers, games, namespaces.");
  catalog->description(
      "Import a catalog document: one JSON object with any of `regions`, `tiers` and `games` (with "
      "their `namespaces`).\n\nThe document is checked whole first: any error and nothing is "
      "written. What it names is added or replaced by its id, in one transaction; what it does not "
      "name stays. A running server sees the change within a second.\n\n"
      "Example: matchcloud import catalog --data-dir var catalog.json");
  const auto options = std::make_shared<import_options>();
  catalog->add_option("--data-dir", options->data_dir, "Where the store lives.")
      ->capture_default_str();
  catalog->add_option("FILE", options->file, "The document; - is stdin.")->required();
  catalog->callback([options, &code] {
    const auto done = import_catalog(*options);
    if (!done) {
      std::cerr << "matchcloud import catalog: " << options->file << ": " << done.error().detail
                << "\n";
      code = failed;
      return;
    }
    std::cout << done->regions << " regions, " << done->tiers << " tiers, " << done->games
              << " games, " << done->namespaces
              << " namespaces: " << (done->changed ? "imported" : "nothing new") << std::endl;
  });
}

} // namespace matchcloud::app
