#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/kept_data/meant_game.hpp"
#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "base/randomness.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/progress_display.hpp"
#include "model/text/timestamp.hpp"
#include "store/exports/export_files.hpp"
#include "store/exports/export_objects.hpp"
#include "store/housekeeping/housekeeper.hpp"
#include "store/housekeeping/kept_data_json.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

/// How often the progress of an erasure is checked.
constexpr milliseconds look_interval{250};
/// A command opens nothing for readers.
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

struct remove_options {
  store::store_place store;
  std::string game;
  bool everything = false;
  bool is_sure = false;
  bool no_wait = false;
  std::string format = "table";
};

model::uuid new_id() {
  std::array<std::uint8_t, 16> random{};
  base::fill_random(random);
  return model::random_uuid(random);
}

/// The parts that this command's housekeeper depends on.
struct own_housekeeper {
  base::byte_budget budget{64UL * 1024 * 1024};
  std::unique_ptr<store::export_store> exports;
  std::unique_ptr<store::housekeeper> keeper;
};

base::expected<std::unique_ptr<store::export_store>>
open_exports(const remove_options& options, const std::shared_ptr<store::database>& in,
             const std::shared_ptr<store::object_store>& objects, const model::uuid& owner,
             base::byte_budget& budget) {
  if (!options.store.has_bucket()) {
    auto files = store::export_files::open(options.store.data_dir, no_limit);
    if (!files) return tl::unexpected(files.error());
    return *std::move(files);
  }
  store::export_objects_settings settings;
  settings.objects = objects;
  settings.records = in;
  settings.owner = owner;
  settings.budget = &budget;
  settings.clock = &base::machine_clock();
  settings.limit_bytes = no_limit;
  return std::make_unique<store::export_objects>(std::move(settings));
}

base::expected<std::unique_ptr<own_housekeeper>>
open_housekeeper(const remove_options& options, const std::shared_ptr<store::database>& in) {
  auto objects = store::open_objects(options.store);
  if (!objects) return tl::unexpected(objects.error());
  auto made = std::make_unique<own_housekeeper>();
  store::housekeeper_settings settings;
  settings.in = in;
  settings.objects = *std::move(objects);
  settings.owner = new_id();
  settings.expires = false;
  auto exports = open_exports(options, in, settings.objects, settings.owner, made->budget);
  if (!exports) return tl::unexpected(exports.error());
  made->exports = *std::move(exports);
  settings.exports = made->exports.get();
  made->keeper = std::make_unique<store::housekeeper>(std::move(settings));
  return made;
}

/// How many avatars are checked for an image.
constexpr std::size_t looked_at = 100;

/// Fails if none of the game's images is where this command would remove them: they must be
/// elsewhere, and would stay there unnoticed.
base::expected<void> require_images(const remove_options& options, store::database& in,
                                    const model::uuid& game_id) {
  const auto objects = store::open_objects(options.store);
  if (!objects) return tl::unexpected(objects.error());
  const auto avatars = in.erasures().and_then(
      [&](const auto& of) { return of->avatars_after(game_id, {}, looked_at); });
  if (!avatars) return tl::unexpected(avatars.error());
  std::string missing;
  for (const auto& each : *avatars) {
    if (!each.image) continue;
    const auto name = object_of(store::image_key{each.upload_id, *each.image});
    const auto there = (*objects)->stat(name);
    if (!there) return tl::unexpected(there.error());
    if (*there) return {};
    missing = name.text();
  }
  if (missing.empty()) return {};
  return base::fail(base::errc::config_invalid,
                    "the images of the game's avatars are not in the " +
                        std::string{options.store.has_bucket() ? "bucket" : "data directory"} +
                        " (for example " + missing +
                        "). Nothing was done. Use the --objects and --data-dir of serve, or "
                        "--no-wait to leave the work to a running service");
}

base::expected<store::erasure> look(store::database& in, const model::uuid& game_id) {
  const auto all = in.erasures().and_then([](const auto& of) { return of->erasures(); });
  if (!all) return tl::unexpected(all.error());
  for (const auto& each : *all)
    if (each.game_id == game_id) return each;
  return tl::unexpected(model::no_such_game(game_id));
}

/// Erases until nothing is left, or watches a service that does it.
base::expected<store::erasure> finish(const remove_options& options,
                                      const std::shared_ptr<store::database>& in,
                                      const model::uuid& game_id, const cli::interrupt& until) {
  auto own = open_housekeeper(options, in);
  if (!own) return tl::unexpected(own.error());
  auto& keeper = *(*own)->keeper;
  base::expected<void> outcome;
  std::atomic<bool> has_ended{false};
  std::thread worker{[&] {
    // While a service has the lease, this does nothing.
    while (outcome && !has_ended) {
      outcome = keeper.run();
      if (outcome && !until.wait(look_interval)) break;
    }
    has_ended = true;
  }};
  cli::progress_display progress{base::machine_clock()};
  progress.begin("lobbies erased", std::nullopt);
  auto now = look(*in, game_id);
  while (now && !now->finished_ms && !has_ended && until.wait(look_interval)) {
    progress.show(now->lobbies, now->lobbies);
    now = look(*in, game_id);
  }
  has_ended = true;
  keeper.stop();
  worker.join();
  if (!outcome) return tl::unexpected(outcome.error());
  return now;
}

std::string told(const meant_game& game, const store::erasure& now) {
  const auto counts = std::to_string(now.lobbies) + " lobbies, " + std::to_string(now.avatars) +
                      " avatars, " + std::to_string(now.exports) + " exports, " +
                      std::to_string(now.tokens) + " tokens";
  if (now.finished_ms) return game.describe() + ": erased with " + counts + "\n";
  return game.describe() +
         ": it is removed from the catalog, and its data can no longer be downloaded; " +
         "erased so far: " + counts +
         ". A service on this store continues with the rest; so does this command if you run it "
         "again.\n";
}

/// Makes the user confirm what is erased. False if they enter something else.
base::expected<bool> confirm(const meant_game& game) {
  if (::isatty(STDIN_FILENO) == 0)
    return base::fail(base::errc::config_invalid, "this cannot be undone; confirm with --yes");
  std::cerr << "This erases " << game.describe()
            << " with its namespaces, tokens, avatars, exports and its whole history. This cannot "
               "be undone.\nType the game's name"
            << (game.name.empty() ? " or its id" : "") << " to continue: " << std::flush;
  std::string line;
  std::getline(std::cin, line);
  return line == (game.name.empty() ? to_string(game.game_id) : game.name);
}

/// The output of a command, and its exit code.
struct answer {
  std::string text;
  int code = ok;
};

base::expected<answer> erase_game(const remove_options& options) {
  const auto in = store::open_existing_store(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto game = find_game(**in, options.game);
  if (!game) return tl::unexpected(game.error());
  if (!options.no_wait)
    if (auto here = require_images(options, **in, game->game_id); !here)
      return tl::unexpected(here.error());
  if (!options.is_sure) {
    const auto sure = confirm(*game);
    if (!sure) return tl::unexpected(sure.error());
    if (!*sure) return base::fail(base::errc::cancelled, "that is not its name; nothing was done");
  }
  const cli::interrupt until;
  auto now = (*in)->erasures().and_then([&](const auto& of) {
    return of->begin_erasure(game->game_id, base::machine_clock().unix_ms());
  });
  if (!now) return tl::unexpected(game->explain(now.error()));
  if (!options.no_wait && !now->finished_ms) now = finish(options, *in, game->game_id, until);
  if (!now) return tl::unexpected(now.error());
  return answer{options.format == "json" ? store::json_of(*now) + "\n" : told(*game, *now),
                !options.no_wait && !now->finished_ms ? failed : ok};
}

int run(const remove_options& options) {
  if (!options.everything) {
    std::cerr
        << "matchcloud game remove: --everything is required, because the game is erased with all "
           "its data. To hide a game and keep its history, use `matchcloud catalog remove game`.\n";
    return usage;
  }
  const auto done = erase_game(options);
  if (done) return cli::print("matchcloud game remove", done->text) ? done->code : failed;
  cli::say("matchcloud game remove", done.error().detail);
  return done.error().code == base::errc::config_invalid ? usage : failed;
}

constexpr const char* help =
    "Erases the game, its namespaces, their tokens, its avatars with their images, its exports and "
    "its whole lobby history. The game disappears from the catalog at once, and none of its data "
    "can be downloaded; the rest is erased in small steps, which slow a running service by at most "
    "a tenth. A running service does the work while this command watches; without one, this "
    "command does it. If it is interrupted, a service or the same command continues.\n\n"
    "This cannot be undone, and the ids of the game and its namespaces are never reused. The audit "
    "log keeps its entries, without names but for the game's in game.erase. Backups are not "
    "changed. With PostgreSQL and no bucket, other replicas' files of exports stay until they "
    "expire, though nobody can download them. After kill -9, the count of exports may be too "
    "low.\n\n"
    "Example: matchcloud game remove 'Demo Game' --everything --data-dir var\n"
    "Example: matchcloud game remove 00000000-0000-4000-8000-000000000001 --everything --yes";

} // namespace

void add_game_command(CLI::App& program, int& code) {
  auto* game = program.add_subcommand("game", "Erase a game and all its data.");
  game->require_subcommand(1);
  set_help(*game, "Example: matchcloud game remove 'Demo Game' --everything");
  auto* command = game->add_subcommand("remove", "Erase a game and all its data.");
  set_help(*command, help);
  const auto options = std::make_shared<remove_options>();
  add_store_options(*command, options->store);
  add_objects_options(*command, options->store);
  command->add_option("GAME", options->game, "Its id, or its name if no other game has it.")
      ->required()
      ->check(not_empty());
  command->add_flag("--everything", options->everything, "Confirm that everything is erased.");
  command->add_flag("--yes", options->is_sure, "Do not ask for confirmation.");
  command->add_flag("--no-wait", options->no_wait,
                    "Only start the erasure, and leave the rest to a running service.");
  cli::add_format_option(*command, options->format);
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
