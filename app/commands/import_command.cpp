#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"

#include "cli/print.hpp"
#include "model/catalog/parse_catalog.hpp"
#include "model/text/counts.hpp"

#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct import_options {
  store::store_place store;
  std::string file;
};

/// The file's bytes, at most one more than a document may have, so that a larger document is
/// refused.
base::expected<std::string> read_whole(const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  std::istream& in = file == "-" ? std::cin : opened;
  if (!in) return base::fail(base::errc::io_failed, "cannot be opened for reading");
  std::string text;
  std::array<char, 64 * 1024> block;
  while (in && text.size() <= model::catalog_document_limit_bytes) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return base::fail(base::errc::io_failed, "cannot be read");
  return text;
}

base::expected<store::import_summary> import_catalog(const import_options& options) {
  const auto text = read_whole(options.file);
  if (!text) return tl::unexpected(text.error());
  const auto document = model::parse_catalog_document(*text);
  if (!document) return tl::unexpected(document.error());
  return store::open_store(options.store)
      .and_then([](const auto& database) { return database->catalog(); })
      .and_then([&](const auto& into) { return into->import_document(*document); });
}

} // namespace

void add_import_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("import", "Import data into the store.");
  command->require_subcommand(1);
  add_import_avatars_command(*command, code);
  add_import_lobbies_command(*command, code);
  auto* catalog =
      command->add_subcommand("catalog", "Import regions, tiers, games and namespaces.");
  set_help(*catalog,
           "A catalog document is one JSON object with any of `regions`, `tiers` and `games` (each "
           "game with its `namespaces`).\n\nThe whole document is checked first; if it has any "
           "error, nothing is written. Its elements are added or replaced by id, in one "
           "transaction; all others stay. Running servers see the change within a second.\n\n"
           "Example: matchcloud import catalog --data-dir var catalog.json");
  const auto options = std::make_shared<import_options>();
  add_store_options(*catalog, options->store);
  catalog->add_option("FILE", options->file, "The document; - is stdin.")->required();
  catalog->callback([options, &code] {
    const auto done = import_catalog(*options);
    if (!done) {
      cli::say("matchcloud import catalog", options->file + ": " + done.error().detail);
      code = failed;
      return;
    }
    using model::counted;
    std::cout << counted(done->regions, "region") << ", " << counted(done->tiers, "tier") << ", "
              << counted(done->games, "game") << ", " << counted(done->namespaces, "namespace")
              << ": " << (done->changed ? "imported" : "nothing new") << std::endl;
  });
}

} // namespace matchcloud::app
