#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/kept_data/meant_game.hpp"
#include "cli/print.hpp"
#include "store/housekeeping/housekeeper.hpp"

#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

struct avatar_options {
  store::store_place store;
  std::string game;
  std::string upload;
};

base::expected<std::string> remove_avatar(const avatar_options& options) {
  const auto upload = model::parse_uuid(options.upload);
  if (!upload)
    return base::fail(base::errc::id_malformed,
                      "the upload id of an avatar must be a UUID of 36 characters");
  const auto in = store::open_existing_store(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto objects = store::open_objects(options.store);
  if (!objects) return tl::unexpected(objects.error());
  const auto game = find_game(**in, options.game);
  if (!game) return tl::unexpected(game.error());
  return (*in)
      ->erasures()
      .and_then([&](const auto& of) { return of->remove_avatar(game->game_id, *upload); })
      .and_then([&] { return store::remove_images_of(**in, **objects, *upload); })
      .map([&] {
        return "avatar " + to_string(*upload) + " of " + game->describe() + ": removed\n";
      })
      .map_error([&](const base::error& failure) { return game->explain(failure); });
}

} // namespace

void add_avatar_command(CLI::App& program, int& code) {
  auto* avatar = program.add_subcommand("avatar", "Remove a custom avatar.");
  avatar->require_subcommand(1);
  set_help(*avatar, "Example: matchcloud avatar remove 'Demo Game' "
                    "00000000-0000-4000-8000-000000000105");
  auto* command = avatar->add_subcommand("remove", "Remove a custom avatar and its image.");
  set_help(*command, "The avatar is removed from its game's list, and its image is deleted. "
                     "Running servers notice within a second and stop serving the image. Copies in "
                     "browsers and caches are not affected.\n\n"
                     "Example: matchcloud avatar remove 'Demo Game' "
                     "00000000-0000-4000-8000-000000000105 --data-dir var");
  const auto options = std::make_shared<avatar_options>();
  add_store_options(*command, options->store);
  add_objects_options(*command, options->store);
  command->add_option("GAME", options->game, "The game's id, or its name if no other game has it.")
      ->required()
      ->check(not_empty());
  command->add_option("UPLOAD_ID", options->upload, "The avatar's id.")->required();
  command->callback([options, &code] {
    code = cli::print_outcome("matchcloud avatar remove", remove_avatar(*options),
                              base::errc::id_malformed);
  });
}

} // namespace matchcloud::app
