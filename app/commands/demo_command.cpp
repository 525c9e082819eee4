#include "app/commands/command_run.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/moment.hpp"
#include "app/commands/store_options.hpp"
#include "app/demo/demo_avatars.hpp"
#include "app/demo/demo_lobbies.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/text/timestamp.hpp"

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct demo_options {
  store::store_place store;
  /// Empty: now.
  std::string until;
};

/// The moment that new demo data leads up to, in milliseconds since 1970.
base::expected<std::int64_t> wanted_moment(const std::string& until) {
  const auto now_ms = base::machine_clock().unix_ms();
  if (until.empty()) return now_ms;
  const auto moment = parse_moment("--until", until, now_ms, direction::back);
  if (moment && *moment < demo_span_ms)
    return base::fail(base::errc::query_invalid,
                      "--until " + model::format_timestamp(*moment) +
                          " is too early: the data begins 31 days before it. Use 1970-02-01 or "
                          "later.");
  return moment;
}

/// Seeds the store; true if anything changed.
base::expected<bool> seed(const store::store_place& place, std::int64_t wanted_ms) {
  const auto database = store::open_store(place);
  if (!database) return tl::unexpected(database.error());
  const auto run = command_run(model::audit_action::demo_seed);
  const auto catalog = (*database)->catalog(run).and_then(
      [](const auto& into) { return into->import_document(model::demo_catalog()); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto until_ms = (*database)->history().and_then(
      [&](const auto& from) { return moment_of_demo(*from, wanted_ms); });
  if (!until_ms) return tl::unexpected(until_ms.error());
  const auto images = store::open_objects(place);
  if (!images) return tl::unexpected(images.error());
  const auto avatars = (*database)->avatars(run).and_then(
      [&](const auto& into) { return seed_demo_avatars(*into, **images, *until_ms); });
  if (!avatars) return tl::unexpected(avatars.error());
  const auto lobbies = (*database)->sink(run).and_then(
      [&](const auto& into) { return seed_demo_lobbies(*into, *until_ms); });
  if (!lobbies) return tl::unexpected(lobbies.error());
  return catalog->changed || *avatars || *lobbies;
}

int run(const demo_options& options) {
  const auto news = wanted_moment(options.until).and_then([&](std::int64_t wanted_ms) {
    return seed(options.store, wanted_ms);
  });
  if (!news) {
    cli::say("matchcloud demo", news.error().detail);
    return news.error().code == base::errc::query_invalid ? usage : failed;
  }
  std::cout << "demo data " << (*news ? "seeded" : "already there") << ": game "
            << model::to_string(model::demo_catalog().games.front().game_id) << std::endl;
  return ok;
}

} // namespace

void add_demo_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand("demo", "Seed the store with demo data.");
  set_help(*command,
           "The demo data is a game with two namespaces, twelve regions on six continents, the "
           "default tiers, five avatars (three with an image) and 10,000 lobbies of the last 31 "
           "days, some of which are still running. It is the same every time, except for its "
           "dates. Seeding again changes nothing, not even the dates.\n\n"
           "Example: matchcloud demo --data-dir var\n"
           "Example: matchcloud demo --data-dir var --until 2026-02-01");
  const auto options = std::make_shared<demo_options>();
  add_store_options(*command, options->store);
  add_objects_options(*command, options->store);
  command
      ->add_option("--until", options->until,
                   "When the 31 days end: a date (2026-02-01, its start in UTC), a time "
                   "(2026-02-01T00:00:00Z) or how long ago (2d). With a date or a time, all dates "
                   "are the same every time. The default is now.")
      ->check(not_empty());
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
