#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/kept_data/kept_data_commands.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "model/text/timestamp.hpp"
#include "store/housekeeping/expiry_check.hpp"
#include "store/housekeeping/kept_data_json.hpp"
#include "store/housekeeping/retention_report.hpp"
#include "store/local_author.hpp"

#include <chrono>
#include <cstdlib>
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
  bool confirms = false;
};

using all_games = std::vector<store::game_retention>;

/// Clocks that differ more than this decide differently whether a confirmation came after a run.
constexpr std::int64_t clock_tolerance_ms = 1'000;

base::expected<void> confirm(store::database& in) {
  const auto store_ms = in.replicas().and_then([](const auto& of) { return of->store_time(); });
  if (!store_ms) return tl::unexpected(store_ms.error());
  const auto ahead_ms = base::machine_clock().unix_ms() - *store_ms;
  if (std::abs(ahead_ms) > clock_tolerance_ms)
    return base::fail(base::errc::store_failed,
                      "nothing was confirmed: this machine's clock differs from the store's by " +
                          std::to_string(std::abs(ahead_ms)) +
                          " ms; synchronize it (NTP) and try again");
  return in.access(model::run_of(store::local_author())).and_then([](const auto& log) {
    return log->record({model::audit_action::retention_confirm, {}, {}, {}});
  });
}

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
  const auto in = store::open_to_read(options.store);
  if (!in) return tl::unexpected(in.error());
  const auto catalog = (*in)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto retention = (*in)->retention();
  if (!retention) return tl::unexpected(retention.error());
  const auto now_ms = (*in)->replicas().and_then([](const auto& of) { return of->store_time(); });
  if (!now_ms) return tl::unexpected(now_ms.error());
  const std::chrono::days overall{options.days};
  auto all = store::retentions_at(**retention, overall, *now_ms);
  if (!all) return tl::unexpected(all.error());
  if (auto counted = store::count_due(**retention, *all); !counted)
    return tl::unexpected(counted.error());
  if (options.confirms)
    if (auto noted = confirm(**in); !noted) return tl::unexpected(noted.error());
  return options.format == "json" ? store::json_of(*all, overall) + "\n" : table_of(*all, *catalog);
}

int run(const retention_options& options) {
  const auto done = report(options);
  if (done) return cli::print("matchcloud retention", *done) ? ok : failed;
  cli::say("matchcloud retention", done.error().detail);
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
      "The service removes nothing while its clock is far ahead of what is stored, and not more "
      "than expiry-percent of a game's lobbies at once. If that is what you want, "
      "--confirm lets its next run remove everything that is due; it begins within a minute.\n\n"
      "Example: matchcloud retention --retention-days 365 --data-dir var");
  const auto options = std::make_shared<retention_options>();
  add_store_options(*command, options->store);
  command
      ->add_option("--retention-days", options->days,
                   "Days for games without their own retention_days; 0: forever.")
      ->capture_default_str()
      ->envname("MATCHCLOUD_RETENTION_DAYS")
      ->check(CLI::Range(std::int64_t{0}, model::retention_limit_days).description("0 to 36500"));
  command->add_flag("--confirm", options->confirms,
                    "Let the service remove what is due, however much it is.");
  cli::add_format_option(*command, options->format);
  command->callback([options, &code] { code = run(*options); });
}

} // namespace matchcloud::app
