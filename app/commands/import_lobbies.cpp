#include "app/commands/command_run.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/line_import.hpp"
#include "app/imports/lobby_importer.hpp"
#include "store/files/temporary_folder.hpp"

#include <string>

namespace matchcloud::app {

namespace {

base::expected<line_import_result> import_lobbies(const line_import_options& options) {
  // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
  auto in = line_input::open(options.file);
  if (!in) return tl::unexpected(in.error());
  const cli::interrupt until;
  const auto into =
      store::open_store(options.store, {.use = store::workload::bulk})
          .and_then([&](const auto& database) {
            return database->sink(command_run(model::audit_action::lobbies_import, options.file));
          });
  if (!into) return tl::unexpected(into.error());
  const auto folder = store::take_owner(options.store).and_then([&] {
    return store::temporary_folder::make(options.store.data_dir);
  });
  if (!folder) return tl::unexpected(folder.error());
  auto spool = lobby_spool::make(folder->path());
  if (!spool) return tl::unexpected(spool.error());
  cli::progress_display progress{base::machine_clock()};
  lobby_importer import{**into, *spool, until, progress, options.ignored_members};
  if (auto checked = import.check(*in); !checked) return tl::unexpected(checked.error());
  if (auto may = may_write(import.findings(), options); !may) return tl::unexpected(may.error());
  const auto done = import.write();
  if (!done) return tl::unexpected(done.error());
  return line_import_result{
      std::to_string(done->lines) + " lines: " + std::to_string(done->accepted) +
          " lobbies accepted, " + std::to_string(done->unchanged) + " unchanged",
      import.findings()};
}

} // namespace

void add_import_lobbies_command(CLI::App& import, int& code) {
  add_line_import(
      import,
      {"lobbies", "Import the history of lobbies.",
       "A line is a JSON object: lobby_id, namespace_id, region_id, tier, version_id, "
       "version_name, game_mode, start_ts and stop_ts (RFC 3339 or milliseconds; stop_ts absent or "
       "null while the lobby runs).\n\n"
       "The whole input is checked first; if it has any error, nothing is written. Lines of one "
       "lobby, in the input or in the store, are merged: the earlier start and the later stop "
       "count, and any other difference is an error. Then lobbies are written in small "
       "transactions. If an import is interrupted, run it again.",
       import_lobbies, model::lobby_line_reader::check_ignored},
      code);
}

} // namespace matchcloud::app
