#include "app/avatar_import.hpp"
#include "app/commands.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct avatar_options {
  std::string data_dir = "var";
  std::string file;
  bool partial = false;
};

/// With the slash; empty for the current folder, which is also that of stdin.
std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return file == "-" || slash == std::string::npos ? std::string{} : file.substr(0, slash + 1);
}

void report(const std::string& file, const std::string& text) {
  std::cerr << "matchcloud import avatars: " << file << ": " << text << "\n";
}

/// The summary, and how many lines were left out.
base::expected<avatar_import_summary> run(const avatar_options& options, std::size_t& left_out) {
  // First, while signals still end the process: a named pipe is waited for.
  auto in = line_input::open(options.file);
  if (!in) return tl::unexpected(in.error());
  const interrupt until;
  auto store = store::open_sqlite(options.data_dir);
  if (!store) return tl::unexpected(store.error());
  import_progress progress{base::machine_clock()};
  avatar_import import{**store, folder_of(options.file), until, progress};
  if (auto checked = import.check(*in); !checked) return tl::unexpected(checked.error());
  if (!import.problems().empty() && !options.partial)
    return tl::unexpected(nothing_written(import.problems()));
  auto media = store::media_writer::open(options.data_dir);
  if (!media) return tl::unexpected(media.error());
  auto summary = import.write(*media);
  left_out = import.problems().count();
  if (summary && left_out > 0)
    report(options.file,
           std::to_string(left_out) + " lines were left out:\n" + import.problems().text());
  return summary;
}

} // namespace

void add_import_avatars_command(CLI::App& import, int& code) {
  auto* command = import.add_subcommand("avatars", "Import custom avatars and their images.");
  set_help(*command,
           "A line is a JSON object: game_id, upload_id, display_name, create_ts (RFC 3339 or "
           "milliseconds), content_length, complete and, if complete, file: a PNG or JPEG of at "
           "most 2,000,000 bytes, relative to the import file.\n\n"
           "The input is checked whole first: any error and nothing is written. Then avatars are "
           "added or replaced by upload_id and images are copied into the data directory, in "
           "batches: an import that was interrupted is simply repeated. A running server sees the "
           "change within a second.\n\n"
           "With --partial the exit code is 0 also where lines were left out; stderr lists and "
           "counts them.\n\n"
           "Example: matchcloud import avatars --data-dir var avatars.jsonl");
  const auto options = std::make_shared<avatar_options>();
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
    std::cout << done->added << " avatars added, " << done->changed << " changed, "
              << done->unchanged << " unchanged; " << left_out << " lines left out" << std::endl;
    // Lines that were good when they were checked, and are not any more.
    if (left_out > 0 && !options->partial) code = failed;
  });
}

} // namespace matchcloud::app
