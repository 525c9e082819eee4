#include "app/client/csv_download.hpp"
#include "app/client/ops_plane_options.hpp"
#include "app/commands/commands.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "cli/bearer_tokens.hpp"
#include "cli/output_file.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/http_url.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"
#include "store/lobby_history.hpp"

#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <optional>
#include <utility>

namespace matchcloud::app {

namespace {

struct export_options {
  std::string game;
  std::string start;
  std::string end;
  std::string url;
  std::string token_file;
  std::string ca_file;
  store::store_place store{.data_dir = {}};
  std::string output;
  std::string dialect{model::csv_dialect_names.front()};
};

/// Parses digits as milliseconds since 1970 (the whole 64-bit range), and any other text as a time
/// or date.
std::optional<std::uint64_t> parse_time(const std::string& text) {
  if (const auto ms = base::parse_decimal<std::uint64_t>(text)) return ms;
  const auto time = parse_time_or_date(text);
  return time ? std::optional{static_cast<std::uint64_t>(*time)} : std::nullopt;
}

std::string check_time(const std::string& text) {
  if (parse_time(text)) return {};
  if (model::has_misplaced_leap_second(text))
    return "\"" + text +
           "\" has second 60, a leap second, which exists only at 23:59 UTC on the last day of a "
           "month";
  return "\"" + text +
         "\" is neither a date like 2026-01-31, nor a time like 2026-01-31T00:00:00Z, nor "
         "milliseconds since 1970 (0 to 18446744073709551615)";
}

std::string check_service_url(const std::string& text) {
  const auto url = model::parse_http_url(text);
  if (!url) return "\"" + text + "\" is not a service's URL: " + url.error().detail;
  if (url->target.find('?') != std::string::npos)
    return "\"" + text + "\" is not a service's URL: it has a query. Remove it.";
  return {};
}

/// The query that the options describe, without a game that is given by name. Throws a
/// CLI::ValidationError if the options do not fit together.
model::export_query query_of(const export_options& options) {
  if (options.url.empty() && options.store.data_dir.empty() && options.store.url.empty())
    throw CLI::ValidationError{"Give either --url or --data-dir"};
  const auto game = model::parse_uuid(options.game);
  if (!game && !options.url.empty())
    throw CLI::ValidationError{"--game " + model::quoted_excerpt(options.game) +
                               " is not a game's id (a UUID). Names work only with a store "
                               "(--data-dir, --store). With --url, give the id"};
  const model::export_query query{game.value_or(model::uuid{}),
                                  {*parse_time(options.start), *parse_time(options.end)},
                                  *model::parse_csv_dialect(options.dialect)};
  if (query.span.begin > query.span.end)
    throw CLI::ValidationError{
        "--start " + options.start + " is later than --end " + options.end +
        ". The span begins at --start and ends before --end. Give the earlier time as --start."};
  return query;
}

/// The service that the options name; empty if the store is read directly. Throws a
/// CLI::ValidationError if there is more than one token.
std::optional<export_service> service_of(const export_options& options, const command_run& in) {
  if (options.url.empty()) return std::nullopt;
  auto token = cli::one_bearer_token(options.token_file, in.name());
  return export_service{*model::parse_http_url(options.url), std::move(token),
                        authorities_of(options.ca_file)};
}

/// The store's game with this id or name. An id is also found if the game was removed and only its
/// lobbies are left.
model::uuid find_exported_game(store::database& in, store::lobby_history& history,
                               const std::string& text) {
  const auto catalog = catalog_of(in);
  const auto game_id = value_of(find_meant_game(catalog, model::redact_tokens(text)));
  if (catalog.find_game(game_id) || value_of(history.revisions(game_id)).lobbies > 0)
    return game_id;
  give_up("there is no game " + to_string(game_id) + "; " + list_games(catalog));
}

download_summary export_from_store(const export_options& options, model::export_query query,
                                   cli::output_file& to, command_run& in) {
  const auto& until = in.until();
  auto& progress = in.progress();
  const auto database = value_of(store::open_to_read(options.store));
  const auto history = value_of(database->history());
  query.game_id = find_exported_game(*database, *history, options.game);
  value_of(to.begin(until));
  progress.begin("lobbies", std::nullopt, cli::progress_rate::megabytes);
  const store::history_output output{{},
                                     [&](std::string_view bytes, std::uint64_t rows) {
                                       auto written = to.write(bytes);
                                       progress.show(rows, to.bytes());
                                       return written;
                                     },
                                     [&] { return until.came(); }};
  const auto done =
      value_of(store::write_lobby_history(*history, query, base::machine_clock(), output));
  download_summary summary{done.rows, done.bytes};
  const auto complete_from = done.snapshot.complete_from_ts;
  if (complete_from > 0 && query.span.begin < static_cast<std::uint64_t>(complete_from))
    summary.complete_from = model::format_timestamp(complete_from);
  return summary;
}

download_summary export_from_service(const export_service& service,
                                     const model::export_query& query, cli::output_file& to,
                                     command_run& in) {
  const auto& until = in.until();
  value_of(to.begin(until));
  return download_export(
      service, query, to,
      {until, in.progress(), [&](std::chrono::milliseconds pause) { return until.wait(pause); }});
}

std::string export_lobbies(const export_options& options, command_run& in) {
  const auto query = query_of(options);
  const auto service = service_of(options, in);
  const auto begun = base::machine_clock().now();
  // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
  auto to = value_of(cli::output_file::open(options.output));
  try {
    const auto done = service ? export_from_service(*service, query, to, in)
                              : export_from_store(options, query, to, in);
    value_of(to.complete());
    const std::chrono::duration<double> took = base::machine_clock().now() - begun;
    auto line =
        fmt::format("{} lobbies, {} bytes in {:.1f} s", done.lobbies, done.bytes, took.count());
    if (!done.complete_from.empty())
      line += fmt::format("\n{}: older history is not kept. The file is complete from {} on",
                          in.name(), done.complete_from);
    in.end_with(ok, std::move(line));
  } catch (const base::failure& thrown) {
    // Where an interruption happened means nothing to the user who caused it.
    if (thrown.why().code != base::errc::cancelled || thrown.why().detail.empty()) throw;
    give_up("interrupted");
  }
  return {};
}

constexpr const char* export_help =
    "Writes a CSV (RFC 4180) with a row for each lobby that was alive at any instant from --start "
    "up to but not including --end, ordered by start, then by id. Both are a date (2026-01-31: its "
    "first instant in UTC, so the day of --end is left out), a time (RFC 3339) or milliseconds "
    "since 1970.\n\n"
    "With --url a running service makes the file and the command downloads it. It waits for a busy "
    "service, and an interrupted download resumes where it stopped. The token is sent with the "
    "request for the file, not with the download, whose URL is signed. With https the server must "
    "show a certificate for its name or address from an authority that the system, or --ca-file, "
    "trusts. With --data-dir the command reads the store directly and needs no service. A running "
    "service is not disturbed, but its log of changes grows until the export ends: if stdout is "
    "read slowly, write to FILE.\n\n"
    "FILE is replaced only once the export is complete: it is whole, or as it was before. The last "
    "line on stderr counts lobbies and bytes.\n\n"
    "Example: matchcloud export --game 00000000-0000-4000-8000-000000000001 --start 2026-01-01 "
    "--end 2026-02-01 --url http://127.0.0.1:8080 -o january.csv\n"
    "Example: matchcloud export --game 'Demo Game' --start 0 --end 1893456000000 --data-dir var -o "
    "- | gzip > all.csv.gz";
void add_export(CLI::App& command, export_options& options) {
  command
      .add_option("--game", options.game,
                  "The game's id. With --data-dir or --store also its name (upper or lower case), "
                  "if no other game has it.")
      ->required()
      ->check(not_empty());
  command
      .add_option("--start", options.start,
                  "The first instant of the span: a date, a time or milliseconds.")
      ->required()
      ->check(CLI::Validator{check_time, ""});
  command
      .add_option("--end", options.end, "The first instant after the span, in the same formats.")
      ->required()
      ->check(CLI::Validator{check_time, ""});
  auto* url = command.add_option("--url", options.url, "The service, with its base path.")
                  ->check(CLI::Validator{check_service_url, ""});
  auto* token_file = add_token_file_option(command, options.token_file);
  auto* ca_file = add_ca_file_option(command, options.ca_file);
  add_store_options(command, options.store)
      ->check(not_empty())
      ->excludes(url)
      ->excludes(token_file)
      ->excludes(ca_file);
  auto* dialect = command.add_option(
      "--csv", options.dialect,
      "How cells are written: exact (as they are), or excel (for spreadsheets: an apostrophe "
      "before text that looks like a formula, and a byte order mark).");
  cli::set_choices(*dialect, {model::csv_dialect_names.begin(), model::csv_dialect_names.end()})
      ->capture_default_str();
  command.add_option("-o,--output", options.output, "The output file; - is stdout.")
      ->required()
      ->check(not_empty());
}

} // namespace

cli::commands export_command() {
  return {command_with<export_options>("export", "Export a game's lobby history as CSV.",
                                       export_help, add_export, export_lobbies)};
}

} // namespace matchcloud::app
