#include "app/commands/administration.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "model/access/token_text.hpp"
#include "model/catalog/catalog.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"
#include "store/local_author.hpp"
#include "store/retention_store.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <span>
#include <utility>

namespace matchcloud::app {

namespace {

using actors::kept_data_request;
using kept_data_verb = kept_data_request::verb;

/// A game that a user named by id or name.
struct meant_game {
  model::uuid game_id;
  /// Empty: it is not in the catalog.
  std::string name;
  /// The games that the catalog has instead, for messages; empty if it has this one.
  std::string others;

  /// `game 00000000-.. "Demo Game"`
  std::string describe() const {
    auto text = "game " + to_string(game_id);
    if (!name.empty()) text += " " + model::quoted_excerpt(name);
    return text;
  }
};

/// Finds a game in a catalog. Fails like `model::find_meant_game`; an id need not exist.
meant_game find_game(const model::catalog& catalog, const std::string& text) {
  const auto id = value_of(find_meant_game(catalog, model::redact_tokens(text)));
  const auto* known = catalog.find_game(id);
  return known != nullptr ? meant_game{id, known->display_name, {}}
                          : meant_game{id, {}, list_games(catalog)};
}

/// The outcome of a change to a game; a failure lists the known games if the catalog does not have
/// it.
template <class Change>
auto changed(const meant_game& game, Change change) {
  auto done = base::attempt(change);
  const bool is_absent = !done && (done.error().code == base::errc::game_not_found ||
                                   done.error().code == base::errc::avatar_not_found);
  if (is_absent && !game.others.empty())
    done.error().detail = "there is no game " + to_string(game.game_id) + "; " + game.others;
  return value_of(std::move(done));
}

// -- avatar remove ------------------------------------------------------------

struct avatar_options {
  administered_place place;
  std::string game;
  std::string upload;
};

std::string remove_avatar(const avatar_options& options, command_run& in) {
  const auto upload = model::parse_uuid(options.upload);
  if (!upload) refuse("the upload id of an avatar must be a UUID of 36 characters");
  const administrator by{options.place, store_use::changes_images, in};
  const auto game = find_game(by.names(), options.game);
  changed(game, [&] {
    by.remove(rows::remove_avatar, {to_string(game.game_id), to_string(*upload)},
              kept_data_request{kept_data_verb::remove_avatar, game.game_id, *upload});
  });
  return "avatar " + to_string(*upload) + " of " + game.describe() + ": removed\n";
}

void add_avatar(CLI::App& command, avatar_options& options) {
  add_administration_options(command, options.place);
  add_objects_options(command, options.place.store);
  command.add_option("GAME", options.game, "The game's id, or its name if no other game has it.")
      ->required()
      ->check(not_empty());
  command.add_option("UPLOAD_ID", options.upload, "The avatar's id.")->required();
}

constexpr const char* avatar_remove_help =
    "The avatar is removed from its game's list, and its image is deleted. "
    "Running servers notice within a second and stop serving the image. Copies in "
    "browsers and caches are not affected. With --url, a running service does it, for a token of "
    "the kind admin.\n\n"
    "Example: matchcloud avatar remove 'Demo Game' "
    "00000000-0000-4000-8000-000000000105 --data-dir var";

// -- game remove --------------------------------------------------------------

struct remove_options {
  administered_place place;
  std::string game;
  bool everything = false;
  bool is_sure = false;
  std::string format = "table";
};

/// `now` is the erasure in JSON.
std::string told(const meant_game& game, const rapidjson::Value& now) {
  const auto counts =
      fmt::format("{} lobbies, {} avatars, {} exports, {} tokens",
                  model::member_count(now, "lobbies"), model::member_count(now, "avatars"),
                  model::member_count(now, "exports"), model::member_count(now, "tokens"));
  if (!shown_member(now, "finished").empty())
    return game.describe() + ": erased with " + counts + "\n";
  return game.describe() +
         ": it is removed from the catalog, and its data can no longer be downloaded; " +
         "erased so far: " + counts +
         ". A service on this store erases the rest, now or once it starts.\n";
}

/// Makes the user confirm what is erased.
void confirm(const meant_game& game) {
  if (::isatty(STDIN_FILENO) == 0) refuse("this cannot be undone; confirm with --yes");
  std::cerr << "This erases " << game.describe()
            << " with its namespaces, tokens, avatars, exports and its whole history. This cannot "
               "be undone.\nType the game's name"
            << (game.name.empty() ? " or its id" : "") << " to continue: " << std::flush;
  std::string line;
  std::getline(std::cin, line);
  if (line != (game.name.empty() ? to_string(game.game_id) : game.name))
    give_up("that is not its name; nothing was done");
}

std::string erase_game(const remove_options& options, command_run& in) {
  if (!options.everything)
    refuse("--everything is required, because the game is erased with all "
           "its data. To hide a game and keep its history, use `matchcloud catalog remove game`.");
  const administrator by{options.place, store_use::changes, in};
  const auto game = find_game(by.names(), options.game);
  if (!options.is_sure) confirm(game);
  const auto now = changed(game, [&] {
    return by.perform(rows::erase_game, {to_string(game.game_id)},
                      kept_data_request{kept_data_verb::erase_game, game.game_id});
  });
  if (shown_member(now.value, "game_id") != to_string(game.game_id)) throw unexpected_answer();
  return options.format == "json" ? now.json + "\n" : told(game, now.value);
}

void add_erasure(CLI::App& command, remove_options& options) {
  add_administration_options(command, options.place);
  command.add_option("GAME", options.game, "Its id, or its name if no other game has it.")
      ->required()
      ->check(not_empty());
  command.add_flag("--everything", options.everything, "Confirm that everything is erased.");
  command.add_flag("--yes", options.is_sure, "Do not ask for confirmation.");
  cli::add_format_option(command, options.format);
}

constexpr const char* game_remove_help =
    "Erases the game, its namespaces, their tokens, its avatars with their images, its exports and "
    "its whole lobby history. The game disappears from the catalog at once, and none of its data "
    "can be downloaded. A service on the store erases the rest in small steps, which slow it by at "
    "most a tenth: now if it runs, or else after its next start. Run the same command again to see "
    "what is erased so far.\n\n"
    "This cannot be undone, and the ids of the game and its namespaces are never reused. The audit "
    "log keeps its entries, without names but for the game's in game.erase. Backups are not "
    "changed. With --url, a running service does it, for a token of the kind admin. With "
    "PostgreSQL and no bucket, other replicas' files of exports stay for a day, "
    "though nobody can download them. After kill -9, the count of exports may be too "
    "low.\n\n"
    "Example: matchcloud game remove 'Demo Game' --everything --data-dir var\n"
    "Example: matchcloud game remove 00000000-0000-4000-8000-000000000001 --everything --yes";

// -- lobbies close ------------------------------------------------------------

constexpr std::size_t lobbies_at_once = 1'000;

struct close_options {
  store::store_place store;
  std::string older_than;
  std::string at;
  std::string game;
  bool is_trial = false;
};

/// Which lobbies to close: those of `games` that run and started at or before `started_ts`.
struct wanted_lobbies {
  std::vector<model::uuid> games;
  std::int64_t started_ts = 0;
  /// Their stop.
  std::int64_t at_ts = 0;
};

/// Calls `take` for these lobbies in batches, oldest first.
void for_each_batch(store::database& in, const wanted_lobbies& wanted, const cli::interrupt& until,
                    const std::function<void(const std::vector<model::lobby>&)>& take) {
  for (const auto& game_id : wanted.games) {
    store::lobby_place after;
    std::vector<model::lobby> batch;
    do {
      if (until.came())
        give_up("interrupted; what was closed is closed, and the same command goes on");
      batch = value_of(value_of(in.retention())
                           ->running_lobbies(game_id, wanted.started_ts, after, lobbies_at_once));
      if (batch.empty()) break;
      after = {model::running_class, batch.back().times.start_ts, batch.back().lobby_id};
      take(batch);
    } while (batch.size() == lobbies_at_once);
  }
}

/// Reports the stop of each lobby, as a game server would. Returns how many have it now.
std::size_t report_stops(store::lobby_sink& to, const std::vector<model::lobby>& lobbies,
                         std::int64_t at_ts) {
  model::lobby_attributes_table attributes;
  std::vector<model::lobby_record> records;
  records.reserve(lobbies.size());
  for (const auto& each : lobbies)
    records.push_back(
        {each.lobby_id, {each.times.start_ts, at_ts}, attributes.number_of(each.attributes)});
  std::size_t closed = 0;
  for (std::span<const model::lobby_record> rest{records}; !rest.empty();) {
    const auto merged = value_of(to.merge(rest, attributes));
    closed += merged.accepted;
    rest = rest.subspan(merged.taken);
  }
  return closed;
}

model::audit_run_ptr run_of(std::size_t count, const wanted_lobbies& wanted) {
  auto done = fmt::format(R"({{"lobbies":{},"stop_ts":{}}})", count, wanted.at_ts);
  return model::run_of(store::local_author(),
                       {model::audit_action::lobbies_close, {}, {}, std::move(done)});
}

wanted_lobbies wanted_by(const close_options& options, store::database& in) {
  wanted_lobbies wanted;
  const auto now_ms = time_of(in);
  wanted.started_ts = moment_of("--older-than", options.older_than, now_ms, direction::back);
  wanted.at_ts = now_ms;
  if (!options.at.empty()) {
    wanted.at_ts = moment_of("--at", options.at, now_ms, direction::back);
    if (wanted.at_ts > now_ms || wanted.at_ts < wanted.started_ts)
      refuse("--at " + options.at +
             " must be between the time of --older-than and now, so that no lobby "
             "stops before it has started");
  }
  if (!options.game.empty()) {
    wanted.games = {find_game(catalog_of(in), options.game).game_id};
    return wanted;
  }
  for (const auto& each : value_of(value_of(in.retention())->kept_histories()))
    wanted.games.push_back(each.game_id);
  return wanted;
}

std::string close_lobbies(const close_options& options, command_run& run) {
  const auto in = value_of(options.is_trial ? store::open_to_read(options.store)
                                            : store::open_existing_store(options.store));
  const auto wanted = wanted_by(options, *in);
  const auto& until = run.until();
  std::size_t found = 0;
  for_each_batch(*in, wanted, until, [&](const auto& batch) { found += batch.size(); });
  const auto which =
      " lobbies that have run since " + model::format_timestamp(wanted.started_ts) + " or before";
  if (options.is_trial) return std::to_string(found) + which + " would be closed\n";
  std::size_t closed = 0;
  const auto audited = run_of(found, wanted);
  for_each_batch(*in, wanted, until, [&](const auto& batch) {
    closed += report_stops(*value_of(in->sink(audited)), batch, wanted.at_ts);
  });
  return std::to_string(closed) + which + " are closed: they stopped at " +
         model::format_timestamp(wanted.at_ts) + "\n";
}

void add_close(CLI::App& command, close_options& options) {
  add_store_options(command, options.store);
  command
      .add_option("--older-than", options.older_than,
                  "Lobbies that started this long ago or earlier: a duration (7d), a time or a "
                  "date.")
      ->required();
  command.add_option("--at", options.at,
                     "Their stop: a duration before now, a time or a date. Otherwise now.");
  command.add_option("--game", options.game,
                     "Only this game's lobbies: its id, or its name if no other game has it.");
  command.add_flag("--dry-run", options.is_trial, "Only count them.");
}

constexpr const char* lobbies_close_help =
    "A lobby whose server died before it reported the stop runs for ever, and every export "
    "has it. This reports a stop for all lobbies that started before a time you give, as a "
    "game server would: if the server reports a later stop after all, that one counts. "
    "Use it while a service runs or not.\n\n"
    "Example: matchcloud lobbies close --older-than 7d --dry-run --data-dir var";

// -- retention ----------------------------------------------------------------

struct retention_options {
  administered_place place;
  std::int64_t days = 0;
  std::string format = "table";
  bool confirms = false;
};

/// Clocks that differ more than this decide differently whether a confirmation came after a run.
constexpr std::int64_t clock_tolerance_ms = 1'000;

void confirm(store::database& in) {
  const auto ahead_ms = base::machine_clock().unix_ms() - time_of(in);
  if (std::abs(ahead_ms) > clock_tolerance_ms)
    give_up("nothing was confirmed: this machine's clock differs from the store's by " +
            std::to_string(std::abs(ahead_ms)) + " ms; synchronize it (NTP) and try again");
  value_of(value_of(in.access(model::run_of(store::local_author())))
               ->record({model::audit_action::retention_confirm, {}, {}, {}}));
}

std::string retention_table(const rapidjson::Value& kept, const model::catalog& names) {
  text_table table;
  table.columns = {{"GAME ID"}, {"NAME", true}, {"KEPT"}, {"COMPLETE FROM"}, {"DUE"}};
  std::uint64_t due = 0;
  for (const auto& each : model::member_elements(kept, "games")) {
    const auto game_id = shown_member(each, "game_id");
    const auto* game = names.find_game(model::parse_uuid(game_id).value_or(model::uuid{}));
    const auto days = model::member_count(each, "retention_days");
    const auto due_here = model::member_count(each, "due");
    table.rows.push_back({game_id, game ? game->display_name : "(removed)",
                          days == 0 ? "forever" : std::to_string(days) + " days",
                          shown_member(each, "complete_from", "the first"),
                          std::to_string(due_here)});
    due += due_here;
  }
  return table.render(terminal_width()) + std::to_string(due) + " lobbies are due\n";
}

std::string show_retention(const retention_options& options, command_run& in) {
  const administrator by{options.place, store_use::reads, in, std::chrono::days{options.days}};
  const auto kept =
      by.perform(rows::list_retention, {}, kept_data_request{kept_data_verb::list_retention});
  auto shown =
      options.format == "json" ? kept.json + "\n" : retention_table(kept.value, by.names());
  if (options.confirms) confirm(*value_of(store::open_to_read(options.place.store)));
  return shown;
}

void add_retention(CLI::App& command, retention_options& options) {
  add_administration_options(command, options.place);
  command
      .add_option("--retention-days", options.days,
                  "Days for games without their own retention_days; 0: forever.")
      ->capture_default_str()
      ->envname("MATCHCLOUD_RETENTION_DAYS")
      ->check(CLI::Range(std::int64_t{0}, model::retention_limit_days).description("0 to 36500"));
  command
      .add_flag("--confirm", options.confirms,
                "Let the service remove what is due, however much it is.")
      ->excludes(command.get_option("--url"));
  cli::add_format_option(command, options.format);
}

constexpr const char* retention_help =
    "For each game, shows how long lobbies are kept after their stop (its own retention_days, "
    "else --retention-days), since when the history is complete, and how many lobbies are due "
    "for removal. It removes nothing; a running service does that once an hour, with its own "
    "retention-days. Use it to see what a setting would remove before you apply it.\n\n"
    "The service removes nothing while its clock is far ahead of what is stored, and not more "
    "than expiry-percent of a game's lobbies at once. If that is what you want, "
    "--confirm lets its next run remove everything that is due; it begins within a minute.\n\n"
    "With --url, a running service shows what is due with its own retention-days.\n\n"
    "Example: matchcloud retention --retention-days 365 --data-dir var";

} // namespace

cli::commands avatar_commands() {
  return {{"avatar", "Remove a custom avatar.",
           "Example: matchcloud avatar remove 'Demo Game' 00000000-0000-4000-8000-000000000105"},
          command_with<avatar_options>("avatar remove", "Remove a custom avatar and its image.",
                                       avatar_remove_help, add_avatar, remove_avatar)};
}

cli::commands game_commands() {
  return {{"game", "Erase a game and all its data.",
           "Example: matchcloud game remove 'Demo Game' --everything"},
          command_with<remove_options>("game remove", "Erase a game and all its data.",
                                       game_remove_help, add_erasure, erase_game)};
}

cli::commands lobbies_commands() {
  return {{"lobbies", "Close lobbies whose server died.",
           "Example: matchcloud lobbies close --older-than 7d --dry-run"},
          command_with<close_options>("lobbies close", "Give old lobbies that still run a stop.",
                                      lobbies_close_help, add_close, close_lobbies)};
}

cli::commands retention_command() {
  return {command_with<retention_options>("retention",
                                          "Show how long history is kept and what would expire.",
                                          retention_help, add_retention, show_retention)};
}

} // namespace matchcloud::app
