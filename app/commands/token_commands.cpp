#include "app/commands/administration.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/duration.hpp"
#include "cli/output_file.hpp"
#include "cli/print.hpp"
#include "model/access/shown_token.hpp"
#include "model/catalog/catalog.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <optional>
#include <utility>

namespace matchcloud::app {

namespace {

using actors::token_request;
using token_verb = token_request::verb;

struct token_options {
  administered_place place;
  std::string format = "table";
  std::string id;
  // Which token to create; empty: not given.
  std::string kind;
  std::string name;
  std::string game;
  std::string game_namespace;
  std::string expires;
  std::string limit_cheap;
  std::string limit_expensive;
  std::string grace = "24h";
  /// The file for a new text; empty: stdout.
  std::string output;
};

/// `token 2f.. (game "Build")`, of a token in JSON.
std::string described(const rapidjson::Value& one) {
  return fmt::format("token {} ({} \"{}\")", shown_member(one, "token_id"),
                     shown_member(one, "kind"), shown_member(one, "name"));
}

model::uuid token_id_of(const token_options& options) {
  if (const auto id = model::parse_uuid(options.id)) return *id;
  // If a token's text was given instead of its id, the message does not repeat it.
  refuse(model::quoted_excerpt(model::redact_tokens(options.id)) +
         " is not a token's id; give all 36 characters, as `matchcloud token list` shows them");
}

// -- list and revoke ----------------------------------------------------------

text_table tokens_table(const rapidjson::Value& all) {
  text_table table;
  table.columns = {{"TOKEN ID"}, {"KIND"},    {"NAME", true}, {"SCOPE"},
                   {"STATE"},    {"EXPIRES"}, {"LAST USE"}};
  for (const auto& each : model::member_elements(all, "tokens"))
    table.rows.push_back({shown_member(each, "token_id"), shown_member(each, "kind"),
                          shown_member(each, "name"),
                          shown_member(each, "game_id", shown_member(each, "namespace_id", "-")),
                          shown_member(each, "state"), shown_member(each, "expires", "never"),
                          shown_member(each, "last_use", "never")});
  return table;
}

std::string list_tokens(const token_options& options, command_run& in) {
  const administrator by{options.place, store_use::reads, in};
  const auto all = by.perform(rows::list_tokens, {}, token_request{token_verb::list});
  return options.format == "json" ? all.json + "\n"
                                  : tokens_table(all.value).render(terminal_width());
}

std::string revoke_token(const token_options& options, command_run& in) {
  const auto id = token_id_of(options);
  const std::vector path{to_string(id)};
  const administrator by{options.place, store_use::changes, in};
  const auto token = by.perform(rows::get_token, path, token_request{token_verb::get, id}).value;
  if (shown_member(token, "token_id") != path.front()) throw unexpected_answer();
  by.remove(rows::revoke_token, path, token_request{token_verb::revoke, id});
  const auto before = shown_member(token, "revoked");
  return described(token) + ": " +
         (before.empty() ? std::string{"revoked"} : "was already revoked at " + before) + "\n";
}

// -- create and rotate --------------------------------------------------------

model::token_kind kind_of(const token_options& options) {
  if (const auto kind = model::parse_token_kind(options.kind)) return *kind;
  const auto meant = model::closest_name(options.kind, model::token_kind_names);
  refuse("--kind " + model::quoted_excerpt(options.kind) + " is not one of " +
         CLI::detail::join(model::token_kind_names, ", ") +
         (meant.empty() ? "" : "; did you mean " + std::string{meant} + "?"));
}

/// The game of `--game`, which may be its name: then `by` is made to look it up.
model::uuid game_of(const token_options& options, std::optional<administrator>& by,
                    command_run& in) {
  const auto id = model::parse_uuid(options.game);
  if (id && *id != model::uuid{}) return *id;
  if (id)
    refuse("--game " + model::quoted_excerpt(options.game) + " is not a UUID of 36 characters");
  by.emplace(options.place, store_use::changes, in);
  return value_of(find_meant_game(by->names(), model::redact_tokens(options.game)));
}

/// The game or namespace of a token; zero if its kind has none.
model::uuid scope_of_token(const token_options& options, model::token_kind kind,
                           std::optional<administrator>& by, command_run& in) {
  using enum model::token_scope;
  const auto scope = scope_of(kind);
  const std::string kind_name{name_of(kind)};
  for (const auto& [of, option, text] :
       {std::tuple{game, "--game", &options.game},
        {game_namespace, "--namespace", &options.game_namespace}}) {
    if (scope != of && !text->empty())
      refuse(std::string{option} + " cannot be used with the kind " + kind_name + ". Leave it out");
    if (scope == of && text->empty())
      refuse("the kind " + kind_name + " needs " + option + ". Add it");
  }
  if (scope == none) return {};
  if (scope == game) return game_of(options, by, in);
  const auto id = model::parse_uuid(options.game_namespace);
  if (!id || *id == model::uuid{})
    refuse("--namespace " + model::quoted_excerpt(options.game_namespace) +
           " is not a UUID of 36 characters");
  return *id;
}

std::optional<base::rate_policy> limit_of(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto limit = model::parse_rate_policy(text)) return limit;
  refuse(std::string{option} + " " + model::quoted_excerpt(text) + " is not " +
         std::string{model::rate_policy_allowed});
}

model::new_token wanted_token(const token_options& options, std::int64_t now_ms,
                              std::optional<administrator>& by, command_run& in) {
  const auto kind = kind_of(options);
  model::new_token wanted{kind, options.name, scope_of_token(options, kind, by, in), {}, {}};
  if (!options.expires.empty())
    wanted.expires_ms = moment_of("--expires", options.expires, now_ms, direction::ahead);
  wanted.limits.cheap = limit_of("--limit-cheap", options.limit_cheap);
  wanted.limits.expensive = limit_of("--limit-expensive", options.limit_expensive);
  value_of(check_new_token(wanted, now_ms));
  return wanted;
}

/// Warns about a game or namespace that is not in the catalog: it may be added later, or is
/// mistyped.
void look_up_scope(const administrator& by, const model::new_token& wanted, const command_run& in) {
  const auto scope = scope_of(wanted.kind);
  if (scope == model::token_scope::none) return;
  const auto catalog = by.names();
  const bool is_game = scope == model::token_scope::game;
  if (is_game ? catalog.find_game(wanted.scope) != nullptr
              : catalog.find_namespace(wanted.scope) != nullptr)
    return;
  in.say(std::string{"warning: there is no "} + (is_game ? "game " : "namespace ") +
         to_string(wanted.scope) + "; " +
         (is_game ? list_games(catalog) : list_namespaces(catalog)));
}

/// A token's text goes to stdout or to a file, once: alone or in JSON. Messages never contain it.
class token_outlet {
public:
  /// Opens the file first, so that no text is made if that fails.
  explicit token_outlet(const token_options& options) : options_{options} {
    if (!options.output.empty()) file_.emplace(value_of(cli::private_file::create(options.output)));
  }

  /// `what` happened to the token of the answer.
  std::string give_out(const administered_answer& made, const std::string& what, command_run& in) {
    const auto text = shown_member(made.value, "token");
    if (text.empty()) throw unexpected_answer();
    const auto& shown = options_.format == "json" ? made.json : text;
    const auto done = file_ ? file_->write(shown + "\n") : cli::print(shown + "\n");
    if (!done)
      give_up(what + "; the new text is lost: " + done.error().detail + ". Rotate or revoke it.");
    in.end_with(ok,
                what + "; the new text is " +
                    (file_ ? "in " + options_.output + " and nowhere else" : "shown this once"));
    return {};
  }

private:
  const token_options& options_;
  std::optional<cli::private_file> file_;
};

std::shared_ptr<const std::string> body_of(std::string json) {
  return std::make_shared<const std::string>(std::move(json));
}

std::string create_token(const token_options& options, command_run& in) {
  std::optional<administrator> by;
  const auto wanted = wanted_token(options, base::machine_clock().unix_ms(), by, in);
  if (!by) by.emplace(options.place, store_use::creates, in);
  token_outlet outlet{options};
  look_up_scope(*by, wanted, in);
  const auto made = by->perform(rows::create_token, {},
                                token_request{token_verb::create, {}, body_of(to_json(wanted))});
  const auto expires = model::format_timestamp(wanted.expires_ms);
  return outlet.give_out(made,
                         described(made.value) + " created, " +
                             (expires ? "expires " + *expires : std::string{"never expires"}),
                         in);
}

std::string rotate_token(const token_options& options, command_run& in) {
  const auto id = token_id_of(options);
  const auto grace = cli::parse_whole_duration(options.grace);
  if (!grace || grace->count() > model::rotation_grace_limit_ms)
    refuse("--grace " + model::quoted_excerpt(options.grace) +
           " is not a whole number of s, m, h or d, as in 12h, from 0 to 30d");
  const administrator by{options.place, store_use::changes, in};
  token_outlet outlet{options};
  const auto made =
      by.perform(rows::rotate_token, {to_string(id)},
                 token_request{token_verb::rotate, id,
                               body_of(model::to_json("grace_s", grace->count() / 1'000))});
  const auto until = shown_member(made.value, "former_works_until");
  return outlet.give_out(
      made,
      described(made.value) + " rotated, its former text " +
          (until.empty() ? std::string{"no longer works"} : "works until " + until),
      in);
}

// -- options ------------------------------------------------------------------

void add_token_id(CLI::App& command, token_options& options) {
  add_administration_options(command, options.place);
  command.add_option("ID", options.id, "The token's full id, as shown by list.")->required();
}

void add_wanted(CLI::App& command, token_options& options) {
  add_administration_options(command, options.place);
  command
      .add_option("--kind", options.kind,
                  "The token's kind: admin, viewer, metrics, game, studio or player.")
      ->type_name(
          cli::choices_text({model::token_kind_names.begin(), model::token_kind_names.end()}))
      ->required();
  command.add_option("--name", options.name, "A name that tells people who uses it.")->required();
  const auto add = [&](const char* name, std::string& into, const char* what) {
    command.add_option(name, into, what)->check(not_empty());
  };
  add("--game", options.game,
      "The game of a game token: its id, or its name if no other game has it.");
  add("--namespace", options.game_namespace, "The namespace, a UUID, of a player token.");
  add("--expires", options.expires,
      "A date (2027-01-31, its start in UTC), a time (2027-01-31T00:00:00Z) or how long from "
      "now (90d, 12h, 30m). Default: never.");
  add("--limit-cheap", options.limit_cheap,
      "QUOTA/SECONDS instead of the servers' limit on cheap requests, or off; for a player "
      "token, the limit applies to each client address.");
  add("--limit-expensive", options.limit_expensive, "Like --limit-cheap, for expensive requests.");
}

void add_output(CLI::App& command, token_options& options) {
  options.format = "text";
  auto* format = command.add_option("--format", options.format,
                                    "text: the token alone; json: as the ops plane returns it.");
  cli::set_choices(*format->capture_default_str(), {"text", "json"});
  command
      .add_option(
          "--output,-o", options.output,
          "Write to a new file, mode 0600, instead of stdout; an existing file is not replaced.")
      ->check(named_file());
}

constexpr const char* token_help =
    "Works on the store; running servers on the same store see each change within a second. With "
    "--url, a running service does it, for a token of the kind admin.\n\n"
    "Example: matchcloud token list --data-dir var\n"
    "Example: matchcloud token list --url https://ops.example:8081 --token-file admin.token";

constexpr const char* token_create_help =
    "admin: everything on the ops plane. viewer: reads everything there except tokens and "
    "the audit log. metrics: only /metrics. game: a game's versions, avatars and exports. "
    "studio: validates games and groups. player: lists a namespace's regions.\n\n"
    "The store does not keep a token's text, so it cannot be shown again. Running servers "
    "accept the token within a second.\n\n"
    "Example: matchcloud token create --kind admin --name ops --expires 90d -o ops.token\n"
    "Example: matchcloud token create --kind game --name 'build server' --game "
    "00000000-0000-4000-8000-000000000001 --limit-expensive 10/60 -o build.token";

constexpr const char* token_list_help =
    "Servers note the last use about once a minute. On a terminal, long names are shortened until "
    "a line fits.\n\nExample: matchcloud token list --data-dir var";

constexpr const char* token_rotate_help =
    "The token keeps its kind, scope, limits and expiry. Texts from before the last rotation stop "
    "working. Running servers follow within a second.\n\n"
    "Example: matchcloud token rotate 2f1c8a30-5b7e-4d19-9c64-0a7f3e82d5b1 --grace 1h -o new.token";

constexpr const char* token_revoke_help =
    "The token is refused from now on. This cannot be undone. Running servers follow within a "
    "second.\n\nExample: matchcloud token revoke 2f1c8a30-5b7e-4d19-9c64-0a7f3e82d5b1 --data-dir "
    "var";

} // namespace

cli::commands token_commands() {
  return {{"token", "Manage the tokens that give access to the interface.", token_help},
          command_with<token_options>(
              "token create", "Make a token and print it once.", token_create_help,
              [](CLI::App& command, token_options& options) {
                add_wanted(command, options);
                add_output(command, options);
              },
              create_token),
          command_with<token_options>(
              "token list", "Show all tokens, without their texts.", token_list_help,
              [](CLI::App& command, token_options& options) {
                add_administration_options(command, options.place);
                cli::add_format_option(command, options.format,
                                       "table, or json as the ops plane returns it.");
              },
              list_tokens),
          command_with<token_options>(
              "token rotate", "Give a token a new text and print it.", token_rotate_help,
              [](CLI::App& command, token_options& options) {
                add_token_id(command, options);
                command
                    .add_option("--grace", options.grace,
                                "How long the former text keeps working: 0, or a time such as 12h, "
                                "up to 30d.")
                    ->capture_default_str()
                    ->check(not_empty());
                add_output(command, options);
              },
              rotate_token),
          command_with<token_options>("token revoke", "Revoke a token.", token_revoke_help,
                                      add_token_id, revoke_token)};
}

} // namespace matchcloud::app
