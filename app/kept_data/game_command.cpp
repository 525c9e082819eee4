#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/kept_data/meant_game.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "store/housekeeping/kept_data_json.hpp"

#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct remove_options {
  store::store_place store;
  std::string game;
  bool everything = false;
  bool is_sure = false;
  std::string format = "table";
};

std::string told(const meant_game& game, const store::erasure& now) {
  const auto counts = std::to_string(now.lobbies) + " lobbies, " + std::to_string(now.avatars) +
                      " avatars, " + std::to_string(now.exports) + " exports, " +
                      std::to_string(now.tokens) + " tokens";
  if (now.finished_ms) return game.describe() + ": erased with " + counts + "\n";
  return game.describe() +
         ": it is removed from the catalog, and its data can no longer be downloaded; " +
         "erased so far: " + counts +
         ". A service on this store erases the rest, now or once it starts.\n";
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

base::expected<std::string> erase_game(const remove_options& options) {
  const auto in = store::open_existing_store(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto game = find_game(**in, options.game);
  if (!game) return tl::unexpected(game.error());
  if (!options.is_sure) {
    const auto sure = confirm(*game);
    if (!sure) return tl::unexpected(sure.error());
    if (!*sure) return base::fail(base::errc::cancelled, "that is not its name; nothing was done");
  }
  const auto now = (*in)->erasures().and_then([&](const auto& of) {
    return of->begin_erasure(game->game_id, base::machine_clock().unix_ms());
  });
  if (!now) return tl::unexpected(game->explain(now.error()));
  return options.format == "json" ? store::json_of(*now) + "\n" : told(*game, *now);
}

int run(const remove_options& options) {
  if (!options.everything) {
    std::cerr
        << "matchcloud game remove: --everything is required, because the game is erased with all "
           "its data. To hide a game and keep its history, use `matchcloud catalog remove game`.\n";
    return usage;
  }
  return cli::print_outcome("matchcloud game remove", erase_game(options));
}

constexpr const char* help =
    "Erases the game, its namespaces, their tokens, its avatars with their images, its exports and "
    "its whole lobby history. The game disappears from the catalog at once, and none of its data "
    "can be downloaded. A service on the store erases the rest in small steps, which slow it by at "
    "most a tenth: now if it runs, or else after its next start. Run the same command again to see "
    "what is erased so far.\n\n"
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
  command->add_option("GAME", options->game, "Its id, or its name if no other game has it.")
      ->required()
      ->check(not_empty());
  command->add_flag("--everything", options->everything, "Confirm that everything is erased.");
  command->add_flag("--yes", options->is_sure, "Do not ask for confirmation.");
  cli::add_format_option(*command, options->format);
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
