#include "app/backup/backup_commands.hpp"
#include "app/backup/backup_options.hpp"
#include "app/backup/backup_watch.hpp"
#include "app/reports/backup_report.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "store/backup/restore.hpp"

#include <iostream>
#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

base::expected<restore_report> restore(const backup_options& given) {
  const auto place = place_of(given);
  if (!place) return tl::unexpected(place.error());
  backup_watch showing;
  auto done = store::restore_backup(given.folder, *place, showing.watch());
  if (!done) return tl::unexpected(done.error());
  return restore_report{given.folder, place->name(), place->has_bucket(), *std::move(done)};
}

int run(const backup_options& given) {
  const auto done = restore(given);
  if (!done) {
    std::cerr << "matchcloud restore: " << done.error().detail << "\n";
    return done.error().code == base::errc::config_invalid ? usage : failed;
  }
  const auto text = given.format == "json" ? json_of(*done) : text_of(*done);
  return cli::print("matchcloud restore", text) ? ok : failed;
}

constexpr const char* help =
    "Restores the backup in DIR into an empty place: a data directory that is missing or empty, or "
    "a PostgreSQL database without a store, with images in the data directory or a bucket. Start "
    "the service after it. The engine need not be the one of the store that was backed up.\n\n"
    "The backup is compared with its manifest first: nothing of a damaged one is restored. Until "
    "the end no service starts on the place. After ctrl-c, a kill or a lost connection the same "
    "command completes it.\n\n"
    "Signing keys and ticket roots are restored if the backup has them. Without them the service "
    "makes new ones: URLs of exports that were given out and TLS session tickets end, and clients "
    "ask again. Tokens stay valid. What was revoked or removed after the backup is back; do that "
    "again.\n\n"
    "Example: matchcloud restore /backup/2026-11-26 --data-dir var\n"
    "Example: matchcloud restore /backup/2026-11-26 --store postgresql:///matchcloud --objects "
    "s3://bucket";

} // namespace

void add_restore_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("restore", "Restore a backup into an empty place.");
  cli::set_help(*command, help);
  const auto given = std::make_shared<backup_options>();
  add_folder_argument(*command, *given, "The folder of the backup.")->required();
  add_backup_options(*command, *given);
  command->callback([given, &code] { code = run(*given); });
}

} // namespace matchcloud::app
