#pragma once

#include "base/hexadecimal.hpp"
#include "model/access/access_token.hpp"
#include "model/json/record.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace matchcloud::model {

constexpr auto describe(const token_limits*) {
  using of = token_limits;
  using namespace types;
  constexpr schema_type limit{R"("type":"string","pattern":"^([0-9]+/[0-9]+|off)$")"};
  const auto policy = [](std::optional<base::rate_policy> of::*member) {
    return [member](const of& one) {
      return one.*member ? std::optional{to_string(*(one.*member))} : std::nullopt;
    };
  };
  return record{
      "TokenLimits",
      field{"cheap", maybe(limit), "For cheap operations, such as `100/10`.", policy(&of::cheap)},
      field{"expensive", maybe(limit), "For expensive operations, such as exports.",
            policy(&of::expensive)}}
      .about("Limits instead of the service's: `QUOTA/SECONDS` or `off`.");
}

/// Where the id of a token's game or namespace is, if its kind has that scope.
constexpr auto id_in(token_scope scope) {
  return [scope](const new_token& of) {
    return scope_of(of.kind) == scope ? std::optional{of.scope} : std::nullopt;
  };
}

/// Where a token's own limits are, if it has any.
inline std::optional<token_limits> own_limits(const new_token& of) {
  return of.limits.cheap || of.limits.expensive ? std::optional{of.limits} : std::nullopt;
}

/// The body that `parse_new_token` reads.
constexpr auto describe(const new_token*) {
  using of = new_token;
  using namespace types;
  return record{
      "NewToken",
      field{"kind", a("TokenKind"), "What it is for.", &of::kind},
      field{"name",
            {R"("type":"string","minLength":1,"maxLength":64)"},
            "Who will use it.",
            &of::name},
      field{"game_id", maybe(types::uuid), "The game of a game token.", id_in(token_scope::game)},
      field{"namespace_id", maybe(types::uuid), "The namespace of a player token.",
            id_in(token_scope::game_namespace)},
      field{"expires", maybe(moment), "When it expires; absent: never.",
            moment_from(&of::expires_ms)},
      field{"expires_in_s", maybe(positive), "Seconds from now, instead of `expires`.",
            [](const of&) { return std::optional<std::int64_t>{}; }},
      field{"limits", maybe(a("TokenLimits")), "Its own rate limits.", own_limits}};
}

/// A token as operators see it at `now_ms`.
struct shown_token {
  const access_token& token;
  std::int64_t now_ms;

  std::string sha256() const {
    std::string digits;
    base::append_hexadecimal(digits, token.digest);
    return digits;
  }
  std::optional<std::string> former_works_until() const {
    if (!token.former_digest || token.former_until_ms <= now_ms) return std::nullopt;
    return format_timestamp(token.former_until_ms);
  }
};

constexpr auto describe(const shown_token*) {
  using of = shown_token;
  using namespace types;
  const auto time = [](std::optional<std::int64_t> access_token::*member) {
    return moment_from([member](const of& one) { return one.token.*member; });
  };
  return record{
      "Token",
      field{"token_id", types::uuid, "The token's id.",
            [](const of& one) { return one.token.token_id; }},
      field{"kind", a("TokenKind"), "What it is for.",
            [](const of& one) { return one.token.what.kind; }},
      field{"name", text, "Who uses it.",
            [](const of& one) -> const std::string& { return one.token.what.name; }},
      field{"state", a("TokenState"), "Whether it works, or why not.",
            [](const of& one) { return one.token.state(one.now_ms); }},
      field{"game_id", maybe(types::uuid), "The game of a game token.",
            [](const of& one) { return id_in(token_scope::game)(one.token.what); }},
      field{"namespace_id", maybe(types::uuid), "The namespace of a player token.",
            [](const of& one) { return id_in(token_scope::game_namespace)(one.token.what); }},
      field{"sha256",
            {R"("type":"string","pattern":"^[0-9a-f]{64}$")"},
            "The SHA-256 of its text.",
            &of::sha256},
      field{"created", moment, "When it was created.",
            moment_from([](const of& one) { return one.token.created_ms; })},
      field{"created_by", text, "Who created it.",
            [](const of& one) -> const std::string& { return one.token.created_by; }},
      field{"expires", moment_or_null, "When it expires; null: never.",
            moment_from([](const of& one) { return one.token.what.expires_ms; })},
      field{"revoked", moment_or_null, "When it was revoked; null: never.",
            time(&access_token::revoked_ms)},
      field{"last_use", moment_or_null, "When it was last used; null: never.",
            time(&access_token::last_use_ms)},
      field{"former_works_until", maybe(moment),
            "When its previous text stops working after a rotation.", &of::former_works_until},
      field{"limits", maybe(a("TokenLimits")), "Its own rate limits; absent: the service's.",
            [](const of& one) { return own_limits(one.token.what); }}}
      .open();
}

} // namespace matchcloud::model
