#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "model/text/timestamp.hpp"
#include "store/housekeeping/kept_data_json.hpp"
#include "store/housekeeping/retention_report.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

struct retention_options {
  store::store_place store;
  std::int64_t days = 0;
  std::string format = "table";
};

using all_games = std::vector<store::game_retention>;

std::string table_of(const all_games& all, const model::catalog& catalog) {
  text_table table;
  table.columns = {{"GAME ID"}, {"NAME", true}, {"KEPT"}, {"COMPLETE FROM"}, {"DUE"}};
  std::uint64_t due = 0;
  for (const auto& each : all) {
    const auto* game = catalog.find_game(each.game_id);
    const auto days = std::to_string(each.retention_days);
    table.rows.push_back(
        {to_string(each.game_id), game ? game->display_name : "(removed)",
         each.retention_days == 0 ? "forever" : days + " days",
         each.complete_from_ts == 0 ? "the first" : model::format_timestamp(each.complete_from_ts),
         std::to_string(each.due)});
    due += each.due;
  }
  return table.render(terminal_width()) + std::to_string(due) + " lobbies are due\n";
}

base::expected<std::string> report(const retention_options& options) {
  const auto in = store::open_existing_store(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto catalog = (*in)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto retention = (*in)->retention();
  if (!retention) return tl::unexpected(retention.error());
  const std::chrono::days overall{options.days};
  auto all = store::retentions_at(**retention, overall, base::machine_clock().unix_ms());
  if (!all) return tl::unexpected(all.error());
  if (auto counted = store::count_due(**retention, *all); !counted)
    return tl::unexpected(counted.error());
  return options.format == "json" ? store::json_of(*all, overall) + "\n" : table_of(*all, *catalog);
}

int run(const retention_options& options) {
  const auto done = report(options);
  if (done) return cli::print("matchcloud retention", *done) ? ok : failed;
  std::cerr << "matchcloud retention: " << done.error().detail << "\n";
  return failed;
}

} // namespace

void add_retention_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("retention", "Show how long history is kept and what would expire.");
  set_help(
      *command,
      "For each game, shows how long lobbies are kept after their stop (its own retention_days, "
      "else --retention-days), since when the history is complete, and how many lobbies are due "
      "for removal. It removes nothing; a running service does that once an hour, with its own "
      "retention-days. Use it to see what a setting would remove before you apply it.\n\n"
      "Example: matchcloud retention --retention-days 365 --data-dir var");
  const auto options = std::make_shared<retention_options>();
  add_store_options(*command, options->store);
  command
      ->add_option("--retention-days", options->days,
                   "Days for games without their own retention_days; 0: forever.")
      ->capture_default_str()
      ->envname("MATCHCLOUD_RETENTION_DAYS")
      ->check(CLI::Range(std::int64_t{0}, model::retention_limit_days).description("0 to 36500"));
  cli::add_format_option(*command, options->format);
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
