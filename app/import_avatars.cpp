#include "app/avatar_import.hpp"
#include "app/commands.hpp"

#include <fstream>
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

base::expected<void> check(avatar_import& import, const std::string& file) {
  if (file == "-") return import.check(std::cin);
  std::ifstream in{file, std::ios::binary};
  if (!in) return base::fail(base::errc::io_failed, "cannot be opened for reading");
  return import.check(in);
}

base::expected<avatar_import_summary> run(const avatar_options& options) {
  auto store = store::open_sqlite(options.data_dir);
  if (!store) return tl::unexpected(store.error());
  avatar_import import{**store, folder_of(options.file)};
  if (auto checked = check(import, options.file); !checked) return tl::unexpected(checked.error());
  if (!import.problems().empty() && !options.partial)
    return tl::unexpected(import.problems().failure());
  auto media = store::media_writer::open(options.data_dir);
  if (!media) return tl::unexpected(media.error());
  auto summary = import.write(*media);
  if (!import.problems().empty())
    std::cerr << "matchcloud import avatars: " << options.file << ": left out:\n"
              << import.problems().failure().value().detail << "\n";
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
           "Example: matchcloud import avatars --data-dir var avatars.jsonl");
  const auto options = std::make_shared<avatar_options>();
  command->add_option("--data-dir", options->data_dir, "Where the store lives.")
      ->capture_default_str();
  command->add_flag("--partial", options->partial,
                    "Take the good lines and leave out the others, which are listed.");
  command->add_option("FILE", options->file, "JSON Lines; - is stdin.")->required();
  command->callback([options, &code] {
    const auto done = run(*options);
    if (!done) {
      std::cerr << "matchcloud import avatars: " << options->file << ": " << done.error().detail
                << "\n";
      code = failed;
      return;
    }
    std::cout << done->added << " added, " << done->changed << " changed, " << done->unchanged
              << " unchanged, " << done->left_out << " left out" << std::endl;
  });
}

} // namespace matchcloud::app
