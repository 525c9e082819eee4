#include "app/backup/backup_commands.hpp"
#include "app/backup/backup_options.hpp"
#include "app/backup/backup_watch.hpp"
#include "app/reports/backup_report.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "store/backup/restore.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

base::expected<std::string> restore(const backup_options& given) {
  const auto place = place_of(given);
  if (!place) return tl::unexpected(place.error());
  backup_watch showing;
  auto done = store::restore_backup(given.folder, *place, showing.watch());
  if (!done) return tl::unexpected(done.error());
  const restore_report report{given.folder, place->name(), place->has_bucket(), *std::move(done)};
  return given.format == "json" ? json_of(report) : text_of(report);
}

constexpr const char* restore_help =
    "Restores the backup in DIR into an empty place: a missing or empty data directory, or a "
    "PostgreSQL database without a store, with images in the data directory or a bucket. Start the "
    "service afterwards. The engine may differ from the engine of the original store.\n\n"
    "The backup is compared with its manifest first, and a damaged one is not restored. No service "
    "can start on the restored data until the restore is complete. After ctrl-c, a kill or a lost "
    "connection, run the same command again to complete it.\n\n"
    "Signing keys are restored if the backup has them. Otherwise the service makes new ones: "
    "earlier export URLs stop working, and clients request new ones. Tokens stay valid. Anything "
    "revoked or removed after the backup is back; revoke or "
    "remove it again.\n\n"
    "Example: matchcloud restore /backup/2026-11-26 --data-dir var\n"
    "Example: matchcloud restore /backup/2026-11-26 --store postgresql:///matchcloud --objects "
    "s3://bucket";

} // namespace

void add_restore_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("restore", "Restore a backup into an empty place.");
  cli::set_help(*command, restore_help);
  const auto given = std::make_shared<backup_options>();
  add_folder_argument(*command, *given, "The folder of the backup.")->required();
  add_backup_options(*command, *given);
  command->callback(
      [given, &code] { code = cli::print_outcome("matchcloud restore", restore(*given)); });
}

} // namespace matchcloud::app
