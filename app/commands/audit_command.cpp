#include "app/commands/administration.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <functional>
#include <iostream>

namespace matchcloud::app {

namespace {

/// More entries than any log contains.
constexpr std::uint64_t entry_limit = 1'000'000'000;

struct audit_options {
  administered_place place;
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
void for_each_entry(const administrator& by, model::audit_query query, std::uint64_t limit,
                    const std::function<void(const rapidjson::Value&)>& take) {
  while (limit > 0 && std::cout) {
    query.limit = std::min<std::uint64_t>(limit, model::audit_page_limit);
    const auto page = by.perform(rows::list_audit, {}, query);
    const auto entries = model::member_elements(page.value, "entries");
    if (entries.size() > query.limit) throw unexpected_answer();
    for (const auto& each : entries)
      take(each);
    const auto next = static_cast<std::int64_t>(model::member_count(page.value, "next_before"));
    if (next == 0) break;
    if (entries.empty() || (query.before > 0 && next >= query.before)) throw unexpected_answer();
    query.before = next;
    limit -= entries.size();
  }
}

std::string author_of(const rapidjson::Value& entry) {
  const auto* who = model::member_object(entry, "who");
  if (who == nullptr) return "-";
  auto text = shown_member(*who, "kind");
  if (const auto name = shown_member(*who, "name"); !name.empty()) text += " " + name;
  if (const auto id = shown_member(*who, "id"); !id.empty()) text += " (" + id + ")";
  return text;
}

/// What a change is about: its subject, or else the number of lobbies.
std::string subject_of(const rapidjson::Value& entry) {
  const auto* after = model::member_of(entry, "after");
  const auto lobbies = after == nullptr ? 0 : model::member_count(*after, "lobbies");
  if (lobbies == 0) return shown_member(entry, "subject", "-");
  return shown_member(entry, "subject",
                      model::grouped(lobbies) + (lobbies == 1 ? " lobby" : " lobbies"));
}

std::string show_audit(const audit_options& options, command_run& in) {
  const auto query = query_of(options);
  const administrator by{options.place, store_use::reads, in};
  if (options.format == "json") {
    // Not kept until the end: there may be many.
    for_each_entry(by, query, options.limit,
                   [](const rapidjson::Value& each) { std::cout << model::as_json(each) << "\n"; });
    return {};
  }
  text_table table;
  table.columns = {{"WHEN"}, {"WHO", true}, {"ACTION"}, {"SUBJECT", true}, {"ADDRESS"}};
  for_each_entry(by, query, options.limit, [&](const rapidjson::Value& each) {
    table.rows.push_back({shown_member(each, "at"), author_of(each),
                          shown_member(each, "action", "-"), subject_of(each),
                          shown_member(each, "address", "-")});
  });
  return table.render(terminal_width());
}

void add_audit(CLI::App& command, audit_options& options) {
  add_administration_options(command, options.place);
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
    "ops plane returns it, with the values before and after. No entry contains a token's text. "
    "With "
    "--url, a running service is asked, with a token of the kind admin."
    "\n\nExample: matchcloud audit --since 7d --limit 1000 --data-dir var\n"
    "Example: matchcloud audit --action token --who operations --format json";

} // namespace

cli::commands audit_command() {
  return {command_with<audit_options>("audit", "Show who changed what, newest first.", audit_help,
                                      add_audit, show_audit)};
}

} // namespace matchcloud::app
