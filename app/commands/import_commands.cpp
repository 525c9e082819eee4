#include "app/commands/commands.hpp"
#include "app/imports/avatar_importer.hpp"
#include "app/imports/line_input.hpp"
#include "app/imports/lobby_importer.hpp"
#include "cli/bounded_input.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/text/counts.hpp"
#include "store/files/data_directory.hpp"

#include <spdlog/fmt/fmt.h>

#include <chrono>

namespace matchcloud::app {

namespace {

struct import_options {
  store::store_place store;
  /// The path of the input; `-` is stdin.
  std::string file;
  bool partial = false;
  /// Names of members that are skipped.
  std::vector<std::string> ignored_members;
};

/// What `work` returns; errors begin with the file's name.
template <class Work>
std::string importing(const import_options& options, Work work) {
  try {
    return work();
  } catch (const base::failure& thrown) {
    give_up(options.file + ": " + thrown.why().detail);
  }
}

std::string import_catalog(const import_options& options, command_run&) {
  return importing(options, [&] {
    // One byte more than a document may have, which is then refused.
    const auto text = value_of(
        options.file == "-"
            ? cli::read_bounded_stdin(model::catalog_document_limit_bytes)
            : cli::read_bounded_file(options.file, model::catalog_document_limit_bytes,
                                     std::chrono::milliseconds{-1})); // of a pipe, however slow
    const auto document = value_of(model::parse_catalog_document(text));
    const auto in = value_of(store::open_store(options.store));
    const auto done = value_of(value_of(in->catalog())->import_document(document));
    using model::counted;
    return fmt::format("{}, {}, {}, {}: {}\n", counted(done.regions, "region"),
                       counted(done.tiers, "tier"), counted(done.games, "game"),
                       counted(done.namespaces, "namespace"),
                       done.changed ? "imported" : "nothing new");
  });
}

// -- JSON Lines ---------------------------------------------------------------

/// Called between checking and writing: fails if a line is invalid and the import is not partial.
void require_valid(const line_findings& findings, const import_options& options) {
  if (!findings.empty() && !options.partial)
    give_up(std::to_string(findings.count()) + " lines cannot be imported, nothing was written:\n" +
            findings.text());
}

/// `summary` and the lines that were not imported.
std::string summed_up(const std::string& summary, const line_findings& left_out,
                      const import_options& options, command_run& in) {
  if (!left_out.empty()) {
    in.say(options.file + ": " + std::to_string(left_out.count()) + " lines were left out:\n" +
           left_out.text());
    // Without --partial, these are lines that passed the check and were refused when written.
    if (!options.partial) in.end_with(failed);
  }
  return summary + "; " + std::to_string(left_out.count()) + " lines left out\n";
}

/// The folder of `file` with its slash; empty for the current folder and for stdin.
std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return file == "-" || slash == std::string::npos ? std::string{} : file.substr(0, slash + 1);
}

std::string describe(const avatar_import_summary& done) {
  auto text = fmt::format("{} avatars added, {} changed, {} unchanged", done.added, done.changed,
                          done.unchanged);
  if (done.images_cut > 0)
    text += fmt::format("; {} files had data after the image, which was left out", done.images_cut);
  return text;
}

void check_ignored(const base::expected<void>& names) {
  if (!names) throw CLI::ValidationError{"--ignore-member", names.error().detail};
}

std::string import_avatars(const import_options& options, command_run& in) {
  check_ignored(model::avatar_line_reader::check_ignored(options.ignored_members));
  return importing(options, [&] {
    auto lines = line_input::open(options.file);
    const auto& until = in.until();
    const auto store = value_of(store::open_store(options.store));
    const auto into =
        value_of(store->avatars(audited_run(model::audit_action::avatars_import, options.file)));
    avatar_importer import{*into, folder_of(options.file), until, in.progress(),
                           options.ignored_members};
    import.check(lines);
    require_valid(import.findings(), options);
    const auto images = value_of(store::open_objects(options.store));
    const auto done = import.write(*images);
    return summed_up(describe(done), import.findings(), options, in);
  });
}

std::string import_lobbies(const import_options& options, command_run& in) {
  check_ignored(model::lobby_line_reader::check_ignored(options.ignored_members));
  return importing(options, [&] {
    auto lines = line_input::open(options.file);
    const auto& until = in.until();
    const auto store = value_of(store::open_store(options.store, {.use = store::workload::bulk}));
    const auto into =
        value_of(store->sink(audited_run(model::audit_action::lobbies_import, options.file)));
    value_of(store::take_owner(options.store));
    store::make_data_directory(options.store.data_dir);
    const auto folder = store::temporary_folder::make(options.store.data_dir);
    auto spool = lobby_spool::make(folder.path());
    lobby_importer import{*into, spool, until, in.progress(), options.ignored_members};
    import.check(lines);
    require_valid(import.findings(), options);
    const auto done = import.write();
    return summed_up(fmt::format("{} lines: {} lobbies accepted, {} unchanged", done.lines,
                                 done.accepted, done.unchanged),
                     import.findings(), options, in);
  });
}

void add_lines(CLI::App& command, import_options& options) {
  command.add_flag("--partial", options.partial,
                   "Import the valid lines, and leave out and list the others.");
  command
      .add_option("--ignore-member", options.ignored_members,
                  "Skip members of this name in all lines, whatever their values, such as date or "
                  "@timestamp, which log shippers add; repeatable.")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("FILE", options.file, "JSON Lines; - is stdin.")->required();
}

/// The help of an import of JSON Lines.
std::string line_help(const char* name, const char* what) {
  return std::string{what} +
         "\n\nWith --partial the exit code is 0 even if lines were left out; stderr lists and "
         "counts them.\n\nExample: matchcloud import " +
         name + " --data-dir var " + name + ".jsonl";
}

constexpr const char* avatars_help =
    "A line is a JSON object: game_id, upload_id, display_name, create_ts (RFC 3339 or "
    "milliseconds), content_length, complete and, if complete, file: a PNG or JPEG of at most "
    "2,000,000 bytes, relative to the import file. Data after the image in its file (the video "
    "of a motion photo, a gain map, zeros) is left out.\n\n"
    "The whole input is checked first; if it has any error, nothing is written. Then avatars "
    "are added or replaced by upload_id, and images are stored in the data directory or in the "
    "bucket of --objects, in batches. If an import is interrupted, run it again. Running "
    "servers see the change within a second.";

constexpr const char* lobbies_help =
    "A line is a JSON object: lobby_id, namespace_id, region_id, tier, version_id, "
    "version_name, game_mode, start_ts and stop_ts (RFC 3339 or milliseconds; stop_ts absent or "
    "null while the lobby runs).\n\n"
    "The whole input is checked first; if it has any error, nothing is written. Lines of one "
    "lobby, in the input or in the store, are merged: the earlier start and the later stop "
    "count, and any other difference is an error. Then lobbies are written in small "
    "transactions. If an import is interrupted, run it again.";

constexpr const char* import_catalog_help =
    "A catalog document is one JSON object with any of `regions`, `tiers` and `games` (each "
    "game with its `namespaces`).\n\nThe whole document is checked first; if it has any "
    "error, nothing is written. Its elements are added or replaced by id, in one "
    "transaction; all others stay. Running servers see the change within a second.\n\n"
    "Example: matchcloud import catalog --data-dir var catalog.json";

} // namespace

cli::commands import_commands() {
  return {{"import", "Import data into the store.", ""},
          command_with<import_options>(
              "import avatars", "Import custom avatars and their images.",
              line_help("avatars", avatars_help),
              [](CLI::App& command, import_options& options) {
                add_store_options(command, options.store);
                add_objects_options(command, options.store);
                add_lines(command, options);
              },
              import_avatars),
          command_with<import_options>(
              "import lobbies", "Import the history of lobbies.",
              line_help("lobbies", lobbies_help),
              [](CLI::App& command, import_options& options) {
                add_store_options(command, options.store);
                add_lines(command, options);
              },
              import_lobbies),
          command_with<import_options>(
              "import catalog", "Import regions, tiers, games and namespaces.", import_catalog_help,
              [](CLI::App& command, import_options& options) {
                add_store_options(command, options.store);
                command.add_option("FILE", options.file, "The document; - is stdin.")->required();
              },
              import_catalog)};
}

} // namespace matchcloud::app
