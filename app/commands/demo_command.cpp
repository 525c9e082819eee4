#include "app/commands/commands.hpp"
#include "app/demo/demo_data.hpp"
#include "base/clock.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/text/timestamp.hpp"

namespace matchcloud::app {

namespace {

struct demo_options {
  store::store_place store;
  /// Empty: now.
  std::string until;
};

/// The moment that new demo data leads up to, in milliseconds since 1970.
std::int64_t wanted_moment(const std::string& until) {
  const auto now_ms = base::machine_clock().unix_ms();
  if (until.empty()) return now_ms;
  const auto moment = moment_of("--until", until, now_ms, direction::back);
  if (moment < demo_span_ms)
    refuse("--until " + model::format_timestamp(moment) +
           " is too early: the data begins 31 days before it. Use 1970-02-01 or "
           "later.");
  return moment;
}

std::string seed_demo(const demo_options& options, command_run&) {
  const auto wanted_ms = wanted_moment(options.until);
  const auto in = value_of(store::open_store(options.store));
  const auto run = audited_run(model::audit_action::demo_seed);
  const auto catalog = value_of(value_of(in->catalog(run))->import_document(model::demo_catalog()));
  const auto until_ms = moment_of_demo(*value_of(in->history()), wanted_ms);
  const auto images = value_of(store::open_objects(options.store));
  const bool avatars = seed_demo_avatars(*value_of(in->avatars(run)), *images, until_ms);
  const bool lobbies = seed_demo_lobbies(*value_of(in->sink(run)), until_ms);
  const bool is_new = catalog.changed || avatars || lobbies;
  return std::string{"demo data "} + (is_new ? "seeded" : "already there") + ": game " +
         to_string(model::demo_catalog().games.front().game_id) + "\n";
}

void add_demo(CLI::App& command, demo_options& options) {
  add_store_options(command, options.store);
  add_objects_options(command, options.store);
  command
      .add_option("--until", options.until,
                  "When the 31 days end: a date (2026-02-01, its start in UTC), a time "
                  "(2026-02-01T00:00:00Z) or how long ago (2d). With a date or a time, all dates "
                  "are the same every time. The default is now.")
      ->check(not_empty());
}

constexpr const char* demo_help =
    "The demo data is a game with two namespaces, twelve regions on six continents, the "
    "default tiers, five avatars (three with an image) and 10,000 lobbies of the last 31 "
    "days, some of which are still running. It is the same every time, except for its "
    "dates. Seeding again changes nothing, not even the dates.\n\n"
    "Example: matchcloud demo --data-dir var\n"
    "Example: matchcloud demo --data-dir var --until 2026-02-01";

} // namespace

cli::commands demo_command() {
  return {command_with<demo_options>("demo", "Seed the store with demo data.", demo_help, add_demo,
                                     seed_demo)};
}

} // namespace matchcloud::app
