#include "app/backup/backup_commands.hpp"
#include "app/backup/backup_options.hpp"
#include "app/backup/backup_watch.hpp"
#include "app/reports/backup_report.hpp"
#include "app/reports/text_table.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "store/backup/verify.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

base::expected<store::verification> verify(const backup_options& given) {
  backup_watch showing;
  if (!given.folder.empty()) return store::verify_backup(given.folder, showing.watch());
  const auto place = place_of(given);
  if (!place) return tl::unexpected(place.error());
  return store::verify_store(*place, showing.watch());
}

int run(const backup_options& given) {
  const auto done = verify(given);
  if (!done) {
    cli::say("matchcloud verify", done.error().detail);
    return done.error().code == base::errc::config_invalid ? usage : failed;
  }
  const auto text = given.format == "json" ? json_of(*done) : table_of(*done, terminal_width());
  if (!cli::print("matchcloud verify", text)) return failed;
  if (done->faults() == 0) return ok;
  cli::say("matchcloud verify",
           done->name + ": " + std::to_string(done->faults()) + " items are missing or damaged");
  return failed;
}

constexpr const char* verify_help =
    "Reads a whole store, or with DIR a whole backup, and reports what is missing, damaged or "
    "unreferenced. A service may be running.\n\n"
    "In a store it checks SQLite's pages and indexes, each image against the digest in its name, "
    "and each export. In one snapshot, it checks whether all rows refer to existing games, "
    "namespaces, regions and kinds of lobbies, and whether exports find each lobby.\n"
    "In a backup it also checks each file and table against the manifest. It changes nothing.\n\n"
    "Unreferenced images are harmless: `matchcloud objects check --remove` removes them from a "
    "store.\n\n"
    "Exits with 1 if anything is missing or damaged.\n\n"
    "Example: matchcloud verify --data-dir var\n"
    "Example: matchcloud verify /backup/2026-11-26";

} // namespace

void add_verify_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("verify", "Check a store or a backup for missing or damaged data.");
  cli::set_help(*command, verify_help);
  const auto given = std::make_shared<backup_options>();
  add_folder_argument(*command, *given, "The folder of a backup. Without it the store is checked.");
  add_backup_options(*command, *given);
  command->callback([given, &code] { code = run(*given); });
}

} // namespace matchcloud::app
