#include "app/commands/command_run.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/line_import.hpp"
#include "app/imports/avatar_importer.hpp"

#include <string>

namespace matchcloud::app {

namespace {

/// The folder of `file` with its slash; empty for the current folder and for stdin.
std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return file == "-" || slash == std::string::npos ? std::string{} : file.substr(0, slash + 1);
}

std::string describe(const avatar_import_summary& done) {
  auto text = std::to_string(done.added) + " avatars added, " + std::to_string(done.changed) +
              " changed, " + std::to_string(done.unchanged) + " unchanged";
  if (done.images_cut > 0)
    text += "; " + std::to_string(done.images_cut) +
            " files had data after the image, which was left out";
  return text;
}

base::expected<line_import_result> import_avatars(const line_import_options& options) {
  // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
  auto in = line_input::open(options.file);
  if (!in) return tl::unexpected(in.error());
  const cli::interrupt until;
  const auto into = store::open_store(options.store).and_then([&](const auto& database) {
    return database->avatars(command_run(model::audit_action::avatars_import, options.file));
  });
  if (!into) return tl::unexpected(into.error());
  cli::progress_display progress{base::machine_clock()};
  avatar_importer import{**into, folder_of(options.file), until, progress, options.ignored_members};
  if (auto checked = import.check(*in); !checked) return tl::unexpected(checked.error());
  if (auto may = may_write(import.findings(), options); !may) return tl::unexpected(may.error());
  const auto images = store::open_objects(options.store);
  if (!images) return tl::unexpected(images.error());
  const auto done = import.write(**images);
  if (!done) return tl::unexpected(done.error());
  return line_import_result{describe(*done), import.findings()};
}

} // namespace

void add_import_avatars_command(CLI::App& import, int& code) {
  add_line_import(
      import,
      {"avatars", "Import custom avatars and their images.",
       "A line is a JSON object: game_id, upload_id, display_name, create_ts (RFC 3339 or "
       "milliseconds), content_length, complete and, if complete, file: a PNG or JPEG of at most "
       "2,000,000 bytes, relative to the import file. Data after the image in its file (the video "
       "of a motion photo, a gain map, zeros) is left out.\n\n"
       "The whole input is checked first; if it has any error, nothing is written. Then avatars "
       "are added or replaced by upload_id, and images are stored in the data directory or in the "
       "bucket of --objects, in batches. If an import is interrupted, run it again. Running "
       "servers see the change within a second.",
       import_avatars, model::avatar_line_reader::check_ignored, true},
      code);
}

} // namespace matchcloud::app
