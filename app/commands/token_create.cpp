#include "app/commands/token_subcommand.hpp"
#include "app/commands/wanted_token.hpp"

#include "base/clock.hpp"
#include "cli/duration.hpp"
#include "cli/print.hpp"
#include "cli/private_file.hpp"
#include "model/access/new_token.hpp"
#include "model/catalog/named_game.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"
#include "store/local_author.hpp"

#include <iostream>
#include <memory>
#include <utility>

namespace matchcloud::app {

namespace {

/// Options of the commands that make a token's text.
struct issue_options {
  token_options common;
  wanted_token wanted;
  std::string grace = "24h";
  /// Empty: stdout.
  std::string output;
};

/// A token with its new text, and what happened to it, for people.
struct issued {
  model::issued_token made;
  std::string what;
};

/// Warns about a game or namespace that is not in the catalog: it may be added later, or is
/// mistyped.
base::expected<void> look_up_scope(store::database& in, const model::new_token& wanted) {
  const auto scope = scope_of(wanted.kind);
  if (scope == model::token_scope::none) return {};
  const auto catalog = in.catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const bool is_game = scope == model::token_scope::game;
  if (is_game ? catalog->find_game(wanted.scope) != nullptr
              : catalog->find_namespace(wanted.scope) != nullptr)
    return {};
  const std::string element = is_game ? "game" : "namespace";
  std::cerr << "matchcloud token create: warning: there is no " << element << " "
            << to_string(wanted.scope) << "; "
            << (is_game ? list_games(*catalog) : list_namespaces(*catalog)) << "\n";
  return {};
}

base::expected<issued> create(store::database& in, const model::new_token& wanted,
                              std::int64_t now_ms) {
  if (auto known = look_up_scope(in, wanted); !known) return tl::unexpected(known.error());
  auto made = model::make_token(wanted, describe(store::local_author()), now_ms);
  return in.access()
      .and_then([&](const auto& into) { return into->create_token(made.token); })
      .map([&] {
        const auto expires = wanted.expires_ms ? "expires " + time_or_never(wanted.expires_ms)
                                               : std::string{"never expires"};
        return issued{made, described(made.token) + " created, " + expires};
      });
}

base::expected<std::int64_t> parse_grace(const std::string& text) {
  const auto grace = cli::parse_whole_duration(text);
  if (grace && grace->count() <= model::rotation_grace_limit_ms) return grace->count();
  return base::fail(base::errc::query_invalid,
                    "--grace " + model::quoted_excerpt(text) +
                        " is not a whole number of s, m, h or d, as in 12h, from 0 to 30d");
}

base::expected<issued> rotate(store::database& in, const model::uuid& id, std::int64_t grace_ms,
                              std::int64_t now_ms) {
  const auto tokens = in.access();
  if (!tokens) return tl::unexpected(tokens.error());
  const auto all = (*tokens)->load_tokens();
  if (!all) return tl::unexpected(all.error());
  const auto* known = (*all)->find(id);
  if (known == nullptr) return tl::unexpected(model::no_such_token(id));
  const auto text = model::make_token_text(known->what.kind);
  const auto until_ms = now_ms + grace_ms;
  return (*tokens)
      ->rotate_token(id, model::digest_of(text), until_ms, now_ms)
      .map([&](const model::access_token& token) {
        const auto former = grace_ms > 0 ? "works until " + model::format_timestamp(until_ms)
                                         : std::string{"no longer works"};
        return issued{{token, text}, described(token) + " rotated, its former text " + former};
      });
}

/// The file that the text goes to; nothing for stdout.
base::expected<std::optional<cli::private_file>> open_output(const std::string& file) {
  if (file.empty()) return std::nullopt;
  return cli::private_file::create(file).map(
      [](cli::private_file&& made) { return std::optional{std::move(made)}; });
}

/// Prints a token's text once: alone or in JSON, to stdout or a file. Messages on stderr never
/// contain it.
base::expected<void> give_out(const issue_options& options, const issued& news,
                              std::optional<cli::private_file>& file, std::int64_t now_ms) {
  const auto& [token, text] = news.made;
  const auto shown = options.common.format == "json" ? render_new_token(token, text, now_ms) : text;
  const auto done = file ? file->write(shown + "\n") : cli::print(shown + "\n");
  if (!done)
    return base::fail(done.error().code, news.what + "; the new text is lost: " +
                                             done.error().detail + ". Rotate or revoke it.");
  std::cerr << news.what << "; the new text is "
            << (file ? "in " + options.output + " and nowhere else" : "shown this once") << "\n";
  return {};
}

/// Makes a text with `make` and prints it. The file is opened first, so that no text is made if
/// that fails.
template <class Make>
int issue(std::string_view command, const issue_options& options, std::int64_t now_ms,
          const base::expected<std::shared_ptr<store::database>>& in, Make make) {
  if (!in) return report_failure(command, in.error());
  auto file = open_output(options.output);
  if (!file) return report_failure(command, file.error());
  const base::expected<issued> news = make(**in);
  if (!news) return report_failure(command, news.error());
  const auto done = give_out(options, *news, *file, now_ms);
  return done ? ok : report_failure(command, done.error());
}

/// The options, with a game's name replaced by its id.
base::expected<wanted_token> with_game_id(const issue_options& options) {
  auto wanted = options.wanted;
  const bool is_name = !wanted.game.empty() && !model::parse_uuid(wanted.game);
  if (!is_name || model::parse_token_kind(wanted.kind) != model::token_kind::game) return wanted;
  return store::open_existing_store(options.common.store)
      .and_then([](const auto& database) { return database->catalog(); })
      .and_then([](const auto& from) { return from->load(); })
      .and_then([&](const model::catalog& catalog) {
        return find_meant_game(catalog, model::redact_tokens(wanted.game));
      })
      .map([&](const model::uuid& id) {
        wanted.game = to_string(id);
        return wanted;
      });
}

int run_create(const issue_options& options) {
  const auto now_ms = base::machine_clock().unix_ms();
  const auto meant = with_game_id(options);
  if (!meant) return report_failure("create", meant.error());
  const auto wanted = read_wanted_token(*meant, now_ms);
  if (!wanted) return report_failure("create", wanted.error());
  return issue("create", options, now_ms, store::open_store(options.common.store),
               [&](store::database& in) { return create(in, *wanted, now_ms); });
}

int run_rotate(const issue_options& options) {
  const auto now_ms = base::machine_clock().unix_ms();
  const auto id = parse_token_id(options.common.id);
  if (!id) return report_failure("rotate", id.error());
  const auto grace_ms = parse_grace(options.grace);
  if (!grace_ms) return report_failure("rotate", grace_ms.error());
  return issue("rotate", options, now_ms, store::open_existing_store(options.common.store),
               [&](store::database& in) { return rotate(in, *id, *grace_ms, now_ms); });
}

void add_output(CLI::App& command, issue_options& options) {
  add_token_format(command, options.common, "text",
                   "text: the token alone; json: as the ops plane returns it.");
  command
      .add_option(
          "--output,-o", options.output,
          "Write to a new file, mode 0600, instead of stdout; an existing file is not replaced.")
      ->check(named_file());
}

} // namespace

void add_token_create(CLI::App& token, int& code) {
  const auto options = std::make_shared<issue_options>();
  auto* command =
      add_token_subcommand(token, "create", "Make a token and print it once.", options->common);
  add_wanted_token_options(*command, options->wanted);
  add_output(*command, *options);
  set_help(*command,
           "admin: everything on the ops plane. viewer: reads everything there except tokens and "
           "the audit log. metrics: only /metrics. game: a game's versions, avatars and exports. "
           "studio: validates games and groups. player: lists a namespace's regions.\n\n"
           "The store does not keep a token's text, so it cannot be shown again. Running servers "
           "accept the token within a second.\n\n"
           "Example: matchcloud token create --kind admin --name ops --expires 90d -o ops.token\n"
           "Example: matchcloud token create --kind game --name 'build server' --game "
           "00000000-0000-4000-8000-000000000001 --limit-expensive 10/60 -o build.token");
  command->callback([options, &code] { code = run_create(*options); });
}

void add_token_rotate(CLI::App& token, int& code) {
  const auto options = std::make_shared<issue_options>();
  auto* command = add_token_subcommand(token, "rotate", "Give a token a new text and print it.",
                                       options->common);
  add_token_id(*command, options->common);
  command
      ->add_option("--grace", options->grace,
                   "How long the former text keeps working: 0, or a time such as 12h, up to 30d.")
      ->capture_default_str()
      ->check(not_empty());
  add_output(*command, *options);
  set_help(*command, "The token keeps its kind, scope, limits and expiry. Texts from before the "
                     "last rotation stop working. Running servers follow within a second.\n\n"
                     "Example: matchcloud token rotate 2f1c8a30-5b7e-4d19-9c64-0a7f3e82d5b1 "
                     "--grace 1h -o new.token");
  command->callback([options, &code] { code = run_rotate(*options); });
}

} // namespace matchcloud::app
