#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/reports/object_report.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "store/objects/object_audit.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

namespace {

struct check_options {
  store::store_place store;
  std::uint64_t age_h = 24;
  bool removes = false;
  std::string format = "table";
};

base::expected<object_report> check(const check_options& options) {
  const cli::interrupt until;
  const auto database = options.removes ? store::open_existing_store(options.store)
                                        : store::open_to_read(options.store);
  if (!database) return tl::unexpected(database.error());
  const auto objects = store::open_objects(options.store);
  if (!objects) return tl::unexpected(objects.error());
  store::object_audit_settings settings;
  settings.has_exports = options.store.has_bucket();
  settings.age = std::chrono::hours{options.age_h};
  const auto now_ts =
      (*database)->replicas().and_then([](const auto& in) { return in->store_time(); });
  if (!now_ts) return tl::unexpected(now_ts.error());
  settings.now_ts = *now_ts;
  settings.stop = [&] { return until.came(); };
  auto found = store::audit_objects(**database, **objects, settings);
  if (!found) return tl::unexpected(found.error());
  object_report report{*std::move(found), options.age_h, {}};
  if (!options.removes) return report;
  const auto removed = store::remove_unreferred(**database, **objects, report.found, settings);
  if (!removed) return tl::unexpected(removed.error());
  report.removed = *removed;
  return report;
}

int run(const check_options& options) {
  const auto done = check(options);
  if (!done) {
    cli::say("matchcloud objects check", done.error().detail);
    return done.error().code == base::errc::config_invalid ? usage : failed;
  }
  const auto text = options.format == "json" ? json_of(*done) : table_of(*done, terminal_width());
  if (!cli::print("matchcloud objects check", text)) return failed;
  if (done->found.missing.empty()) return ok;
  std::cerr << "matchcloud objects check: " << done->found.missing.size()
            << (done->found.missing.size() == 1 ? " referenced object is"
                                                : " referenced objects are")
            << " missing; import the avatars again, with their images\n";
  return failed;
}

constexpr const char* objects_check_help =
    "Compares the objects that avatars and exports reference with the stored objects: those in the "
    "bucket, or the images in the data directory. Lists referenced objects that are missing, and "
    "stored objects that nothing references: images of replaced avatars, and leftovers of killed "
    "processes.\n\n"
    "With --remove the latter are removed if they are older than --age-hours. A service may be "
    "running; an import of avatars should not, because it may be about to reference an old image "
    "again.\n\n"
    "Exits with 1 if anything is missing.\n\n"
    "Example: matchcloud objects check --data-dir var\n"
    "Example: matchcloud objects check --store postgresql:///matchcloud --objects s3://bucket "
    "--remove";

} // namespace

void add_objects_command(CLI::App& program, int& code) {
  auto* objects = program.add_subcommand("objects", "Check stored images and exports.");
  objects->require_subcommand(1);
  set_help(*objects, "Example: matchcloud objects check --data-dir var");
  auto* command = objects->add_subcommand(
      "check", "Find objects that are missing, or that nothing references.");
  set_help(*command, objects_check_help);
  const auto options = std::make_shared<check_options>();
  add_store_options(*command, options->store);
  add_objects_options(*command, options->store);
  command
      ->add_option("--age-hours", options->age_h,
                   "Ignore objects younger than this many hours, because objects that are being "
                   "written are not referenced yet.")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{87'600}).description("1 to 87600"));
  command->add_flag("--remove", options->removes, "Remove objects that nothing references.");
  cli::add_format_option(*command, options->format);
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
