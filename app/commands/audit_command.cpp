#include "app/commands/commands.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "model/json/members.hpp"
#include "model/text/counts.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <functional>
#include <iostream>

namespace matchcloud::app {

namespace {

/// More entries than any log contains.
constexpr std::uint64_t entry_limit = 1'000'000'000;

struct audit_options {
  store::store_place store;
  std::string since;
  std::string action;
  std::string subject;
  std::string who;
  std::uint64_t limit = model::audit_query{}.limit;
  std::string format = "table";
};

model::audit_query query_of(const audit_options& options) {
  auto query = value_of(
      model::parse_audit_query({{}, {}, {}, options.action, options.subject, options.who}));
  if (!options.since.empty())
    query.since_ms =
        moment_of("--since", options.since, base::machine_clock().unix_ms(), direction::back);
  return query;
}

/// Calls `take` for at most `limit` entries, newest first, until writing to stdout fails.
void for_each_entry(store::audit_store& in, model::audit_query query, std::uint64_t limit,
                    const std::function<void(const model::audit_entry&)>& take) {
  while (limit > 0 && std::cout) {
    query.limit = std::min<std::uint64_t>(limit, model::audit_page_limit);
    const auto page = value_of(in.read_audit(query));
    for (const auto& each : page.entries)
      take(each);
    if (page.next_before == 0) break;
    limit -= page.entries.size();
    query.before = page.next_before;
  }
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

/// What a change is about: its subject, or else the number of lobbies.
std::string subject_of(const model::audit_change& what) {
  if (!what.subject.empty()) return what.subject;
  rapidjson::Document after;
  after.Parse(what.after.data(), what.after.size());
  const auto lobbies = model::member_count(after, "lobbies");
  if (lobbies == 0) return "-";
  return model::grouped(lobbies) + (lobbies == 1 ? " lobby" : " lobbies");
}

std::string show_audit(const audit_options& options, command_run&) {
  const auto query = query_of(options);
  const auto database = value_of(store::open_to_read(options.store));
  const auto in = value_of(database->audit());
  if (options.format == "json") {
    // Not kept until the end: there may be many.
    for_each_entry(*in, query, options.limit,
                   [](const model::audit_entry& each) { std::cout << render_entry(each) << "\n"; });
    return {};
  }
  text_table table;
  table.columns = {{"WHEN"}, {"WHO", true}, {"ACTION"}, {"SUBJECT", true}, {"ADDRESS"}};
  for_each_entry(*in, query, options.limit, [&](const model::audit_entry& each) {
    table.rows.push_back({model::format_timestamp(each.at_ms), or_dash(describe(each.who)),
                          or_dash(each.what.action), subject_of(each.what),
                          or_dash(each.who.address)});
  });
  return table.render(terminal_width());
}

void add_audit(CLI::App& command, audit_options& options) {
  add_store_options(command, options.store);
  const auto add_text = [&](const char* name, std::string& to, const char* what) {
    command.add_option(name, to, what)->check(not_empty());
  };
  add_text("--since", options.since,
           "Only entries since this moment: a date (2027-01-31, its start in UTC), a time "
           "(2027-01-31T00:00:00Z) or how long ago (7d, 12h).");
  add_text("--action", options.action,
           "Only this action (token.create), or all actions that begin with it (token).");
  add_text("--subject", options.subject,
           "Only this subject (games/ID, a file), or all subjects below it (games).");
  add_text("--who", options.who,
           "Only changes by this name or id, or by this kind of caller (token, certificate, local, "
           "service).");
  command.add_option("--limit", options.limit, "Show at most this many entries.")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, entry_limit).description(""));
  cli::add_format_option(command, options.format);
}

constexpr const char* audit_help =
    "Every change of the catalog, tokens, avatars, lobbies and signing keys has an entry, "
    "whether a token, a user of this machine or the service made it. A request is one entry, and "
    "so is a run of an import; ingests are summed by hour. JSON has one line per entry, as the "
    "ops plane returns it, with the values before and after. No entry contains a token's text."
    "\n\nExample: matchcloud audit --since 7d --limit 1000 --data-dir var\n"
    "Example: matchcloud audit --action token --who operations --format json";

} // namespace

cli::commands audit_command() {
  return {command_with<audit_options>("audit", "Show who changed what, newest first.", audit_help,
                                      add_audit, show_audit)};
}

} // namespace matchcloud::app
