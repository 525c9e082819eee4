#include "app/backup/backup_commands.hpp"
#include "app/backup/backup_options.hpp"
#include "app/backup/backup_watch.hpp"
#include "app/reports/backup_report.hpp"
#include "base/build_info.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"
#include "store/backup/make_backup.hpp"

#include <iostream>
#include <memory>

namespace matchcloud::app {

namespace {

using enum cli::exit_code;

struct options : backup_options {
  bool with_secrets = false;
};

base::expected<store::backup_manifest> back_up(const options& given) {
  auto place = place_of(given);
  if (!place) return tl::unexpected(place.error());
  backup_watch showing;
  return store::make_backup(
      {*std::move(place), given.folder, given.with_secrets, std::string{base::built().version}},
      showing.watch());
}

int run(const options& given) {
  const auto made = back_up(given);
  if (!made) {
    std::cerr << "matchcloud backup: " << made.error().detail << "\n";
    return made.error().code == base::errc::config_invalid ? usage : failed;
  }
  const backup_report report{given.folder, *made};
  const auto text = given.format == "json" ? json_of(report) : text_of(report);
  return cli::print("matchcloud backup", text) ? ok : failed;
}

constexpr const char* help =
    "Makes a backup in DIR, which must be missing or empty. A service may be running. The backup "
    "has all rows as of one moment, the images of avatars and, if exports are files, the exports. "
    "Its database is a SQLite file, whatever the engine of the store. Images and exports are hard "
    "links on the same disk, and copies otherwise.\n\n"
    "The backup is complete once DIR has manifest.json, which is written last and has a digest of "
    "each file and table. A failed or interrupted run removes what it made. A killed run leaves a "
    "folder without manifest.json, which restore and verify refuse.\n\n"
    "Signing keys and ticket roots are included only with --with-secrets, in files that only their "
    "owner can read: protect that backup as you protect the keys. Every backup has the tokens, as "
    "digests. Exports in a bucket are not included; they are made again when requested.\n\n"
    "Example: matchcloud backup /backup/2026-11-26 --config /etc/matchcloud/matchcloud.toml\n"
    "Example: matchcloud backup --with-secrets /backup/today --data-dir var";

} // namespace

void add_backup_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("backup", "Make a backup of a store, even while a service runs.");
  cli::set_help(*command, help);
  const auto given = std::make_shared<options>();
  add_folder_argument(*command, *given, "The folder of the backup: missing or empty.")->required();
  command->add_flag("--with-secrets", given->with_secrets,
                    "Back up signing keys and ticket roots too.");
  add_backup_options(*command, *given);
  command->callback([given, &code] { code = run(*given); });
}

} // namespace matchcloud::app
