#include "app/commands/commands.hpp"
#include "app/commands/moment.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/kept_data/meant_game.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "model/text/timestamp.hpp"
#include "store/local_author.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

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

/// Calls `take` for these lobbies in batches, oldest first, until it fails.
base::expected<void>
for_each_batch(store::database& in, const wanted_lobbies& wanted,
               const std::function<base::expected<void>(const std::vector<model::lobby>&)>& take) {
  const cli::interrupt until;
  for (const auto& game_id : wanted.games) {
    store::lobby_place after;
    std::vector<model::lobby> batch;
    do {
      if (until.came())
        return base::fail(base::errc::cancelled,
                          "interrupted; what was closed is closed, and the same command goes on");
      auto found = in.retention().and_then([&](const auto& of) {
        return of->running_lobbies(game_id, wanted.started_ts, after, lobbies_at_once);
      });
      if (!found) return tl::unexpected(found.error());
      batch = *std::move(found);
      if (batch.empty()) break;
      after = {model::running_class, batch.back().times.start_ts, batch.back().lobby_id};
      if (auto done = take(batch); !done) return done;
    } while (batch.size() == lobbies_at_once);
  }
  return {};
}

/// Reports the stop of each lobby, as a game server would. Returns how many have it now.
base::expected<std::size_t>
report_stops(store::lobby_sink& to, const std::vector<model::lobby>& lobbies, std::int64_t at_ts) {
  model::lobby_attributes_table attributes;
  std::vector<model::lobby_record> records;
  for (const auto& each : lobbies)
    records.push_back(
        {each.lobby_id, {each.times.start_ts, at_ts}, attributes.number_of(each.attributes)});
  std::size_t closed = 0;
  for (std::span<const model::lobby_record> rest{records}; !rest.empty();) {
    const auto merged = to.merge(rest, attributes);
    if (!merged) return tl::unexpected(merged.error());
    closed += merged->accepted;
    rest = rest.subspan(merged->taken);
  }
  return closed;
}

model::audit_run_ptr run_of(std::size_t count, const wanted_lobbies& wanted) {
  auto done = R"({"lobbies":)" + std::to_string(count) + R"(,"stop_ts":)" +
              std::to_string(wanted.at_ts) + "}";
  return model::run_of(store::local_author(),
                       {model::audit_action::lobbies_close, {}, {}, std::move(done)});
}

base::expected<wanted_lobbies> wanted_by(const close_options& options, store::database& in) {
  wanted_lobbies wanted;
  const auto now_ms = in.replicas().and_then([](const auto& of) { return of->store_time(); });
  if (!now_ms) return tl::unexpected(now_ms.error());
  const auto started = parse_moment("--older-than", options.older_than, *now_ms, direction::back);
  if (!started) return tl::unexpected(started.error());
  wanted.at_ts = *now_ms;
  if (!options.at.empty()) {
    const auto at = parse_moment("--at", options.at, *now_ms, direction::back);
    if (!at) return tl::unexpected(at.error());
    if (*at > *now_ms || *at < *started)
      return base::fail(base::errc::query_invalid,
                        "--at " + options.at +
                            " must be between the time of --older-than and now, so that no lobby "
                            "stops before it has started");
    wanted.at_ts = *at;
  }
  wanted.started_ts = *started;
  if (!options.game.empty()) {
    const auto game = find_game(in, options.game);
    if (!game) return tl::unexpected(game.error());
    wanted.games = {game->game_id};
    return wanted;
  }
  const auto all = in.retention().and_then([](const auto& of) { return of->kept_histories(); });
  if (!all) return tl::unexpected(all.error());
  for (const auto& each : *all)
    wanted.games.push_back(each.game_id);
  return wanted;
}

base::expected<std::string> close(const close_options& options) {
  const auto in = options.is_trial ? store::open_to_read(options.store)
                                   : store::open_existing_store(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto wanted = wanted_by(options, **in);
  if (!wanted) return tl::unexpected(wanted.error());
  std::size_t found = 0;
  auto done = for_each_batch(**in, *wanted, [&](const auto& batch) -> base::expected<void> {
    found += batch.size();
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  const auto which =
      " lobbies that have run since " + model::format_timestamp(wanted->started_ts) + " or before";
  if (options.is_trial) return std::to_string(found) + which + " would be closed\n";
  std::size_t closed = 0;
  const auto run = run_of(found, *wanted);
  done = for_each_batch(**in, *wanted, [&](const auto& batch) {
    return (*in)
        ->sink(run)
        .and_then([&](const auto& to) { return report_stops(*to, batch, wanted->at_ts); })
        .map([&](std::size_t count) { closed += count; });
  });
  if (!done) return tl::unexpected(done.error());
  return std::to_string(closed) + which + " are closed: they stopped at " +
         model::format_timestamp(wanted->at_ts) + "\n";
}

} // namespace

void add_lobbies_command(CLI::App& program, int& code) {
  auto* lobbies = program.add_subcommand("lobbies", "Close lobbies whose server died.");
  lobbies->require_subcommand(1);
  set_help(*lobbies, "Example: matchcloud lobbies close --older-than 7d --dry-run");
  auto* command = lobbies->add_subcommand("close", "Give old lobbies that still run a stop.");
  set_help(*command,
           "A lobby whose server died before it reported the stop runs for ever, and every export "
           "has it. This reports a stop for all lobbies that started before a time you give, as a "
           "game server would: if the server reports a later stop after all, that one counts. "
           "Use it while a service runs or not.\n\n"
           "Example: matchcloud lobbies close --older-than 7d --dry-run --data-dir var");
  const auto options = std::make_shared<close_options>();
  add_store_options(*command, options->store);
  command
      ->add_option("--older-than", options->older_than,
                   "Lobbies that started this long ago or earlier: a duration (7d), a time or a "
                   "date.")
      ->required();
  command->add_option("--at", options->at,
                      "Their stop: a duration before now, a time or a date. Otherwise now.");
  command->add_option("--game", options->game,
                      "Only this game's lobbies: its id, or its name if no other game has it.");
  command->add_flag("--dry-run", options->is_trial, "Only count them.");
  command->callback([options, &code] {
    code =
        cli::print_outcome("matchcloud lobbies close", close(*options), base::errc::query_invalid);
  });
}

} // namespace matchcloud::app
