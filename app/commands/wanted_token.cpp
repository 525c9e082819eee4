#include "app/commands/wanted_token.hpp"

#include "app/commands/commands.hpp"
#include "app/commands/moment.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::app {

namespace {

tl::unexpected<base::error> refuse(std::string why) {
  return base::fail(base::errc::query_invalid, std::move(why));
}

base::expected<model::token_kind> read_kind(const std::string& text) {
  if (const auto kind = model::parse_token_kind(text)) return *kind;
  std::string all;
  for (const auto each : model::token_kind_names)
    all.append(all.empty() ? "" : ", ").append(each);
  const auto meant = model::closest_name(text, model::token_kind_names);
  return refuse("--kind " + model::quoted_excerpt(text) + " is not one of " + all +
                (meant.empty() ? "" : "; did you mean " + std::string{meant} + "?"));
}

/// The game or namespace of a token; zero if its kind has none.
base::expected<model::uuid> read_scope(const wanted_token& options, model::token_kind kind) {
  struct scope_option {
    model::token_scope scope;
    const char* name;
    const std::string& text;
  };
  const std::string kind_name{name_of(kind)};
  model::uuid scope;
  for (const auto& [of, option, text] :
       {scope_option{model::token_scope::game, "--game", options.game},
        {model::token_scope::game_namespace, "--namespace", options.game_namespace}}) {
    if (scope_of(kind) != of) {
      if (text.empty()) continue;
      return refuse(std::string{option} + " cannot be used with the kind " + kind_name +
                    ". Leave it out");
    }
    if (text.empty()) return refuse("the kind " + kind_name + " needs " + option + ". Add it");
    const auto id = model::parse_uuid(text);
    if (!id || *id == model::uuid{})
      return refuse(std::string{option} + " " + model::quoted_excerpt(text) +
                    " is not a UUID of 36 characters");
    scope = *id;
  }
  return scope;
}

base::expected<void> read_limit(const char* option, const std::string& text,
                                std::optional<base::rate_policy>& into) {
  if (text.empty()) return {};
  into = model::parse_rate_policy(text);
  if (into) return {};
  return refuse(std::string{option} + " " + model::quoted_excerpt(text) + " is not " +
                std::string{model::rate_policy_allowed});
}

} // namespace

void add_wanted_token_options(CLI::App& command, wanted_token& options) {
  command
      .add_option("--kind", options.kind,
                  "The token's kind: admin, viewer, metrics, game, studio or player.")
      ->type_name(
          cli::choices_text({model::token_kind_names.begin(), model::token_kind_names.end()}))
      ->required();
  command.add_option("--name", options.name, "A name that tells people who uses it.")->required();
  struct text_option {
    const char* name;
    std::string& into;
    const char* what;
  };
  for (const auto& [name, into, what] :
       {text_option{"--game", options.game,
                    "The game of a game token: its id, or its name if no other game has it."},
        {"--namespace", options.game_namespace, "The namespace, a UUID, of a player token."},
        {"--expires", options.expires,
         "A date (2027-01-31, its start in UTC), a time (2027-01-31T00:00:00Z) or how long from "
         "now (90d, 12h, 30m). Default: never."},
        {"--limit-cheap", options.limit_cheap,
         "QUOTA/SECONDS instead of the servers' limit on cheap requests, or off; for a player "
         "token, the limit applies to each client address."},
        {"--limit-expensive", options.limit_expensive,
         "Like --limit-cheap, for expensive requests."}})
    command.add_option(name, into, what)->check(not_empty());
}

base::expected<model::new_token> read_wanted_token(const wanted_token& options,
                                                   std::int64_t now_ms) {
  const auto kind = read_kind(options.kind);
  if (!kind) return tl::unexpected(kind.error());
  model::new_token wanted{*kind, options.name, {}, {}, {}};
  const auto scope = read_scope(options, *kind);
  if (!scope) return tl::unexpected(scope.error());
  wanted.scope = *scope;
  if (!options.expires.empty()) {
    const auto expires = parse_moment("--expires", options.expires, now_ms, direction::ahead);
    if (!expires) return tl::unexpected(expires.error());
    wanted.expires_ms = *expires;
  }
  for (auto [option, text, into] :
       {std::tuple{"--limit-cheap", &options.limit_cheap, &wanted.limits.cheap},
        {"--limit-expensive", &options.limit_expensive, &wanted.limits.expensive}})
    if (auto read = read_limit(option, *text, *into); !read) return tl::unexpected(read.error());
  if (auto fine = check_new_token(wanted, now_ms); !fine) return tl::unexpected(fine.error());
  return wanted;
}

} // namespace matchcloud::app
