#include "app/commands/token_subcommand.hpp"
#include "app/reports/text_table.hpp"

#include "base/clock.hpp"
#include "cli/print.hpp"

#include <memory>
#include <utility>

namespace matchcloud::app {

namespace {

text_table table_of(const model::token_list& all, std::int64_t now_ms) {
  text_table table;
  table.columns = {{"TOKEN ID"}, {"KIND"},    {"NAME", true}, {"SCOPE"},
                   {"STATE"},    {"EXPIRES"}, {"LAST USE"}};
  for (const auto& each : all.tokens()) {
    const bool is_scoped = scope_of(each.what.kind) != model::token_scope::none;
    table.rows.push_back({to_string(each.token_id), std::string{name_of(each.what.kind)},
                          each.what.name, is_scoped ? to_string(each.what.scope) : "-",
                          std::string{name_of(each.state(now_ms))},
                          time_or_never(each.what.expires_ms), time_or_never(each.last_use_ms)});
  }
  return table;
}

int list_tokens(const token_options& options) {
  const auto all = store::open_to_read(options.store)
                       .and_then([](const auto& database) { return database->access(); })
                       .and_then([](const auto& from) { return from->load_tokens(); });
  if (!all) return report_failure("list", all.error());
  const auto now_ms = base::machine_clock().unix_ms();
  const auto done =
      cli::print(options.format == "json" ? render_tokens(**all, now_ms) + "\n"
                                          : table_of(**all, now_ms).render(terminal_width()));
  return done ? ok : report_failure("list", done.error());
}

int revoke(const token_options& options) {
  const auto id = parse_token_id(options.id);
  if (!id) return report_failure("revoke", id.error());
  const auto now_ms = base::machine_clock().unix_ms();
  const auto token = store::open_existing_store(options.store)
                         .and_then([](const auto& database) { return database->access(); })
                         .and_then([&](const auto& in) { return in->revoke_token(*id, now_ms); });
  if (!token) return report_failure("revoke", token.error());
  const auto done = token->revoked_ms == now_ms
                        ? std::string{"revoked"}
                        : "was already revoked at " + time_or_never(token->revoked_ms);
  const auto printed = cli::print(described(*token) + ": " + done + "\n");
  return printed ? ok : report_failure("revoke", printed.error());
}

void add_token_list(CLI::App& to, int& code) {
  const auto options = std::make_shared<token_options>();
  auto* command =
      add_token_subcommand(to, "list", "Show all tokens, without their texts.", *options);
  add_token_format(*command, *options, "table", "table, or json as the ops plane returns it.");
  set_help(*command,
           "Servers note the last use about once a minute. On a terminal, long names are "
           "shortened until a line fits.\n\nExample: matchcloud token list --data-dir var");
  command->callback([options, &code] { code = list_tokens(*options); });
}

void add_token_revoke(CLI::App& to, int& code) {
  const auto options = std::make_shared<token_options>();
  auto* command = add_token_subcommand(to, "revoke", "Revoke a token.", *options);
  add_token_id(*command, *options);
  set_help(*command, "The token is refused from now on. This cannot be undone. Running servers "
                     "follow within a second.\n\nExample: matchcloud token revoke "
                     "2f1c8a30-5b7e-4d19-9c64-0a7f3e82d5b1 --data-dir var");
  command->callback([options, &code] { code = revoke(*options); });
}

} // namespace

void add_token_command(CLI::App& program, int& code) {
  auto* command =
      program.add_subcommand("token", "Manage the tokens that give access to the interface.");
  command->require_subcommand(1);
  set_help(*command, "Works on the store; running servers on the same store see each change within "
                     "a second.\n\nExample: matchcloud token list --data-dir var");
  add_token_create(*command, code);
  add_token_list(*command, code);
  add_token_rotate(*command, code);
  add_token_revoke(*command, code);
}

} // namespace matchcloud::app
