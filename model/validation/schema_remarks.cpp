#include "model/validation/schema_remarks.hpp"

#include <algorithm>
#include <iterator>

namespace matchcloud::model {

namespace {

void append_new(std::vector<std::string>& to, std::string_view spelling) {
  if (std::ranges::find(to, spelling) == to.end()) to.emplace_back(spelling);
}

} // namespace

std::vector<std::string> spellings_of(const object_shape& shape, const member_rule& member,
                                      const validation_rules& rules) {
  std::vector<std::string> all{std::string{member.name}};
  if (!member.alias.empty()) all.emplace_back(member.alias);
  for (const auto& each : rules.further_aliases)
    if (find_member(shape, each.alias, rules) == &member) append_new(all, each.alias);
  return all;
}

std::vector<std::string> spellings_of(std::string_view neutral, const validation_rules& rules) {
  std::vector<std::string> all{std::string{neutral}};
  for (const auto& each : proxy_aliases())
    if (neutral_word(each.alias, rules) == neutral) append_new(all, each.alias);
  for (const auto& each : rules.further_aliases)
    if (neutral_word(each.alias, rules) == neutral) append_new(all, each.alias);
  return all;
}

std::vector<std::string> accepted_words(const value_rule& rule, const validation_rules& rules) {
  std::vector<std::string> accepted;
  for (const auto word : rule.words) {
    const bool is_lacking = rule.text == text_rule::network_mode && word == "host" &&
                            rules.edition == service_edition::hosted;
    if (!is_lacking) std::ranges::move(spellings_of(word, rules), std::back_inserter(accepted));
  }
  return accepted;
}

namespace {

// Patterns match code points (ECMA-262 with the flag `u`) and cannot use `(?i)`, so letters are
// written out in both cases.

/// A token (RFC 9110 section 5.6.2).
constexpr std::string_view token = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/// A token other than the headers that the service sets itself.
constexpr std::string_view free_token =
    "^(?!(?:[Hh][Oo][Ss][Tt]"
    "|[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Ll][Ee][Nn][Gg][Tt][Hh]"
    "|[Tt][Rr][Aa][Nn][Ss][Ff][Ee][Rr]-[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg]"
    "|[Cc][Oo][Nn][Nn][Ee][Cc][Tt][Ii][Oo][Nn])$)"
    "[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/// Words without white space and hidden characters, separated by single spaces. U+200B is allowed
/// between Khmer letters, U+180E between Mongolian ones. Joiners and characters beyond the Basic
/// Multilingual Plane are not checked.
constexpr std::string_view display_name =
    R"(^(?:[\u1780-\u17d3]\u200b(?=[\u1780-\u17d3]))"
    R"(|[\u1820-\u18aa][\u180b-\u180d\u180f\ufe00-\ufe0f]?\u180e(?=[\u1820-\u18aa]))"
    R"(|[^\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200b)"
    R"(\u200e\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufdd0-\ufdef\ufeff\uffa0)"
    R"(\ufff0-\ufffb\ufffe\uffff])+)"
    R"(( (?:[\u1780-\u17d3]\u200b(?=[\u1780-\u17d3]))"
    R"(|[\u1820-\u18aa][\u180b-\u180d\u180f\ufe00-\ufe0f]?\u180e(?=[\u1820-\u18aa]))"
    R"(|[^\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200b)"
    R"(\u200e\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufdd0-\ufdef\ufeff\uffa0)"
    R"(\ufff0-\ufffb\ufffe\uffff])+)*$)";

/// A URL whose host is a name with a dot, an IPv4 address in any spelling, or an address in
/// brackets. Excludes the names and the usual spellings of addresses that are not public.
constexpr std::string_view public_url =
    "^[Hh][Tt][Tt][Pp][Ss]?://"
    // Names that are not public.
    R"((?!(?:[A-Za-z0-9_-]+\.)*)"
    R"((?:[Ll][Oo][Cc][Aa][Ll](?:[Hh][Oo][Ss][Tt]|[Dd][Oo][Mm][Aa][Ii][Nn])?)"
    R"(|[Ii][Nn][Tt][Ee][Rr][Nn][Aa][Ll]|[Ll][Aa][Nn]|[Hh][Oo][Mm][Ee]\.[Aa][Rr][Pp][Aa])"
    R"(|[Ss][Vv][Cc])\.?(?:[:/?#]|$)))"
    // IPv4 addresses that are not public.
    R"((?!(?:(?:0|10|127)(?:\.[0-9]+){0,3}|(?:169\.254|192\.168|172\.(?:1[6-9]|2[0-9]|3[01]))"
    R"(|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])|(?:22[4-9]|2[34][0-9]|25[0-5])\.[0-9]+))"
    R"((?:\.[0-9]+){2})\.?(?:[:/?#]|$)))"
    // IPv6 addresses that are not public.
    R"((?!\[(?:::1?\]|[14-9A-Fa-f][0-9A-Fa-f]{3}:)))"
    R"((?:\[[0-9A-Fa-f:.]+\])"
    R"(|(?:0[Xx][0-9A-Fa-f]*|[0-9]+)(?:\.(?:0[Xx][0-9A-Fa-f]*|[0-9]+)){0,3}\.?)"
    R"(|(?!(?:[A-Za-z0-9_-]+\.)+(?:0[Xx][0-9A-Fa-f]*|[0-9]+)\.?(?:[:/?#]|$)))"
    R"([A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)"
    R"((?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)+\.?))"
    // The port.
    "(?::(?:0*(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]"
    "|6553[0-5]))?)?"
    // What follows the authority.
    R"((?:[/?#](?:[!#$&-;=?-\[\]_a-z~]|%[0-9A-Fa-f]{2})*)?$)";

} // namespace

std::string_view pattern_of(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::display_name: return display_name;
  case text_rule::glob: return R"(^(\*\*|[^/*]*(\*[^/*]+)*\*?)(/(\*\*|[^/*]*(\*[^/*]+)*\*?))*$)";
  case text_rule::header_name: return token;
  case text_rule::header_value: return R"(^[^\x00-\x08\x0a-\x1f\x7f]*$)";
  case text_rule::public_url: return public_url;
  case text_rule::any:
  case text_rule::not_empty:
  case text_rule::tier:
  case text_rule::word:
  case text_rule::network_mode: return {};
  }
  return {};
}

std::string_view pattern_of(key_rule rule) noexcept {
  switch (rule) {
  case key_rule::game_mode: return "^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$";
  case key_rule::env_name: return "^[A-Za-z_][A-Za-z0-9_]*$";
  case key_rule::header_name: return free_token;
  case key_rule::port_label: return "^[a-z0-9]+(-[a-z0-9]+)*$";
  case key_rule::any:
  case key_rule::not_empty:
  case key_rule::region: return {};
  }
  return {};
}

bool may_be_empty(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::not_empty:
  case text_rule::display_name:
  case text_rule::glob:
  case text_rule::header_name:
  case text_rule::public_url: return false;
  case text_rule::any:
  case text_rule::header_value:
  case text_rule::tier:
  case text_rule::word:
  case text_rule::network_mode: return true;
  }
  return true;
}

std::string_view unexpressed() noexcept {
  return "Validation also finds mistakes that JSON Schema cannot express: a repeated member; too "
         "many bytes of text beyond ASCII; a `min` greater than `max`; a route's glob, a kind of "
         "middleware, a port's number and protocol or a part of a port range that an earlier one "
         "already has; a `network_mode` that a port does not work with; names in `env` that the "
         "service sets for ports; an `env` that is too large together with the matchmaker's; a "
         "game mode without an `image_id`. The patterns do not check everything either. For "
         "display names, they omit the positions of joiners, variation selectors and combining "
         "marks, and hidden characters beyond U+FFFF. For URLs, they omit malformed IPv4 and IPv6 "
         "addresses, hosts of more than 253 characters, and addresses that are not public, except "
         "loopback, private, shared, link-local and multicast ones in the usual notation.";
}

std::string_view remark_of(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::display_name:
    return "Words with single spaces between them, without invisible or formatting characters.";
  case text_rule::glob:
    return "`*` matches within a segment, and the segment `**` matches any number of segments. No "
           "two routes can have the same glob.";
  case text_rule::tier: return "A tier of the catalog.";
  case text_rule::public_url:
    return "An absolute http or https URL of a public host, without a user name or password.";
  case text_rule::network_mode: return "`host` is not available in the hosted edition.";
  case text_rule::any:
  case text_rule::not_empty:
  case text_rule::header_name:
  case text_rule::header_value:
  case text_rule::word: return {};
  }
  return {};
}

std::string_view remark_of(key_rule rule) noexcept {
  switch (rule) {
  case key_rule::region: return "The names are regions of the catalog.";
  case key_rule::env_name:
    return "Names that the service sets itself are reserved: `PORT_` with the label of a port, and "
           "`PORT_RANGE_` with the label and `_MIN` or `_MAX`. The limit applies to the "
           "matchmaker's and the game mode's together.";
  case key_rule::header_name:
    return "Reserved: `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`.";
  case key_rule::any:
  case key_rule::not_empty:
  case key_rule::game_mode:
  case key_rule::port_label: return {};
  }
  return {};
}

std::string_view remark_of(object_rule rule, bool complete) noexcept {
  switch (rule) {
  case object_rule::ordered_range: return "`min` must not be greater than `max`.";
  case object_rule::exactly_one:
    return "Needs exactly one of its members. A route cannot have the same one twice.";
  case object_rule::at_least_one: return "Needs at least one of its optional members.";
  case object_rule::port:
    return "Either `port`, proxied by the gateway; or `port_range` with `proxy` `none`, a protocol "
           "`tcp` or `udp` and the runtime's `network_mode` `host`. Ports with the same number "
           "must have different protocols, and ranges of the same protocol must not overlap.";
  case object_rule::game_mode:
    if (!complete) return {};
    return "Needs a runtime that has an `image_id`: its own or, if it has none, the "
           "matchmaker's.";
  case object_rule::none:
  case object_rule::config:
  case object_rule::cdn:
  case object_rule::matchmaker: return {};
  }
  return {};
}

void append_sentence(std::string& text, std::string_view sentence) {
  if (sentence.empty()) return;
  text.append(text.empty() ? "" : " ").append(sentence);
}

} // namespace matchcloud::model
