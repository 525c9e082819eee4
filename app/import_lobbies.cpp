#include "app/commands.hpp"
#include "app/lobby_import.hpp"
#include "store/temporary_folder.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct lobby_options {
  std::string data_dir = "var";
  std::string file;
  bool partial = false;
};

void report(const std::string& file, const std::string& text) {
  std::cerr << "matchcloud import lobbies: " << file << ": " << text << "\n";
}

/// The summary, and what was left out.
base::expected<lobby_import_summary> run(const lobby_options& options, std::size_t& left_out) {
  // First, while signals still end the process: a named pipe is waited for.
  auto in = line_input::open(options.file);
  if (!in) return tl::unexpected(in.error());
  const interrupt until;
  auto store = store::open_sqlite(options.data_dir, {.use = store::workload::bulk});
  if (!store) return tl::unexpected(store.error());
  const auto folder = store::temporary_folder::make(options.data_dir);
  if (!folder) return tl::unexpected(folder.error());
  auto spool = lobby_spool::make(folder->path());
  if (!spool) return tl::unexpected(spool.error());
  import_progress progress{base::machine_clock()};
  lobby_import import{**store, *spool, until, progress};
  if (auto checked = import.check(*in); !checked) return tl::unexpected(checked.error());
  if (!import.problems().empty() && !options.partial)
    return tl::unexpected(nothing_written(import.problems()));
  auto summary = import.write();
  left_out = import.problems().count();
  if (summary && left_out > 0)
    report(options.file,
           std::to_string(left_out) + " lines were left out:\n" + import.problems().text());
  return summary;
}

} // namespace

void add_import_lobbies_command(CLI::App& import, int& code) {
  auto* command = import.add_subcommand("lobbies", "Import the history of lobbies.");
  set_help(*command,
           "A line is a JSON object: lobby_id, namespace_id, region_id, tier, version_id, "
           "version_name, game_mode, start_ts and stop_ts (RFC 3339 or milliseconds; stop_ts "
           "absent or null while the lobby runs).\n\n"
           "The input is checked whole first: any error and nothing is written. Lines of one "
           "lobby, in the input or in the store, are merged: the earlier start, the later stop; "
           "any other difference is an error. Then lobbies are written in small transactions: an "
           "import that was interrupted is simply repeated.\n\n"
           "With --partial the exit code is 0 also where lines were left out; stderr lists and "
           "counts them.\n\n"
           "Example: matchcloud import lobbies --data-dir var lobbies.jsonl");
  const auto options = std::make_shared<lobby_options>();
  command->add_option("--data-dir", options->data_dir, "Where the store lives.")
      ->capture_default_str();
  command->add_flag("--partial", options->partial,
                    "Take the good lines and leave out the others, which are listed.");
  command->add_option("FILE", options->file, "JSON Lines; - is stdin.")->required();
  command->callback([options, &code] {
    std::size_t left_out = 0;
    const auto done = run(*options, left_out);
    if (!done) {
      report(options->file, done.error().detail);
      code = failed;
      return;
    }
    std::cout << done->lines << " lines: " << done->accepted << " lobbies accepted, "
              << done->unchanged << " unchanged; " << left_out << " lines left out" << std::endl;
    // Lines that were good when they were checked, and are not any more.
    if (left_out > 0 && !options->partial) code = failed;
  });
}

} // namespace matchcloud::app
