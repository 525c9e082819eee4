#include "app/backup/backup_commands.hpp"
#include "app/backup/backup_options.hpp"
#include "app/backup/backup_watch.hpp"
#include "app/reports/backup_report.hpp"
#include "base/build_info.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "store/backup/make_backup.hpp"

#include <memory>

namespace matchcloud::app {

namespace {

struct options : backup_options {
  bool with_secrets = false;
};

base::expected<std::string> back_up(const options& given) {
  auto place = place_of(given);
  if (!place) return tl::unexpected(place.error());
  backup_watch showing;
  const auto made = store::make_backup(
      {*std::move(place), given.folder, given.with_secrets, std::string{base::built().version}},
      showing.watch());
  if (!made) return tl::unexpected(made.error());
  const backup_report report{given.folder, *made};
  return given.format == "json" ? json_of(report) : text_of(report);
}

constexpr const char* backup_help =
    "Makes a backup in DIR, which must be missing or empty. A service may be running. The backup "
    "has all rows as of one moment, the images of avatars and, if exports are files, the exports. "
    "Its database is a SQLite file, whatever the engine of the store. Images and exports are hard "
    "links on the same disk, and copies otherwise.\n\n"
    "The backup is complete once DIR has manifest.json, which is written last and has a digest of "
    "each file and table. A failed or interrupted run removes what it made. A killed run leaves a "
    "folder without manifest.json, which restore and verify refuse.\n\n"
    "Signing keys are included only with --with-secrets, in a file that only its owner can read: "
    "protect that backup as you protect the keys. Every backup has the tokens, as "
    "digests. Exports in a bucket are not included; they are made again when requested.\n\n"
    "Example: matchcloud backup /backup/2026-11-26 --config /etc/matchcloud/matchcloud.toml\n"
    "Example: matchcloud backup --with-secrets /backup/today --data-dir var";

} // namespace

void add_backup_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("backup", "Make a backup of a store, even while a service runs.");
  cli::set_help(*command, backup_help);
  const auto given = std::make_shared<options>();
  add_folder_argument(*command, *given, "The folder of the backup: missing or empty.")->required();
  command->add_flag("--with-secrets", given->with_secrets, "Back up signing keys too.");
  add_backup_options(*command, *given);
  command->callback(
      [given, &code] { code = cli::print_outcome("matchcloud backup", back_up(*given)); });
}

} // namespace matchcloud::app
