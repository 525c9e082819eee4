#include "model/validation/value_checks.hpp"

#include "base/characters.hpp"
#include "model/net/host_name.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/text_checks.hpp"
#include "model/validation/validation_messages.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace matchcloud::model {

namespace {

std::string quoted(std::string_view text, const check_context& context) {
  return quoted_excerpt(text, context.rules.limits.echo);
}

violation empty(std::uint64_t most, length_unit unit) {
  return {"too-short", "is empty. Write " + counted_up_to(most, unit) + "."};
}

violation empty() {
  return {"too-short", "is empty. Write at least one character."};
}

std::optional<violation> check_length(const value_rule& rule, std::string_view text,
                                      const check_context& context) {
  const bool must_not_be_empty = rule.text == text_rule::not_empty;
  if (rule.most == nullptr)
    return must_not_be_empty && text.empty() ? std::optional{empty()} : std::nullopt;
  const auto most = context.rules.limits.*rule.most;
  if (must_not_be_empty && text.empty()) return empty(most, rule.unit);
  return check_longest(text, most, rule.unit);
}

/// The beginning of the part after the next dash; `npos` if there is none.
std::size_t behind_dash(std::string_view name, std::size_t from) noexcept {
  const auto dash = name.find('-', from);
  return dash == name.npos ? dash : dash + 1;
}

/// The first member of an object that has that name; null if there is none.
const json_node* find_member_of(const json_document& document, std::uint32_t object,
                                std::string_view name) {
  const json_node* found = nullptr;
  document.for_each_in(object, [&](const json_node& node) {
    if (found == nullptr && document.name(node) == name) found = &node;
  });
  return found;
}

/// Whether the current object has a member of that name.
bool is_taken(std::string_view name, const check_context& context) {
  return context.document != nullptr &&
         find_member_of(*context.document, context.object, name) != nullptr;
}

/// The longest of `ids` (sorted) that consists of dash-separated parts of `name`: catalogs have ids
/// with prefixes and suffixes, such as `lnd-fra` and `fra-1`. Empty if there is none.
std::string_view contained_id(std::string_view name, std::span<const std::string_view> ids) {
  std::string_view longest;
  for (std::size_t begin = 0; begin != name.npos; begin = behind_dash(name, begin)) {
    for (auto end = name.find('-', begin);; end = name.find('-', end + 1)) {
      const auto part = name.substr(begin, end - begin);
      const auto found = std::ranges::lower_bound(ids, part);
      if (found != ids.end() && *found == part && part.size() > longest.size()) longest = *found;
      if (end == name.npos) break;
    }
  }
  return longest;
}

/// The id that was probably meant by a name that is none of `ids`; empty if none is similar, or if
/// the object already has a member of that name.
std::string_view closest_id(std::string_view name, std::span<const std::string_view> ids,
                            const check_context& context) {
  if (name.size() > suggestion_name_limit_bytes) return {};
  auto close = closest_name(name, ids);
  if (close.empty()) close = contained_id(to_lower(name), ids);
  return close.empty() || is_taken(close, context) ? std::string_view{} : close;
}

/// How messages name a kind of catalog entry.
struct known_kind {
  finding_code code;
  /// With its article: `a tier`.
  std::string_view what;
  /// The beginning of a list of names.
  std::string_view intro;
  /// Whether the subject of the sentence is the name that was found.
  bool is_subject;
};

/// A violation with the known names if the catalog does not have the name `found`.
std::optional<violation> check_known(const known_kind& kind, std::string_view found,
                                     const std::vector<std::string>& known,
                                     const check_context& context) {
  const auto view = [](const std::string& each) { return std::string_view{each}; };
  if (std::ranges::binary_search(known, found, {}, view)) return std::nullopt;
  // Catalogs may be large: only a suggestion requires reading all names.
  const bool may_suggest = context.may_suggest(known.size());
  const auto looked_at = may_suggest ? known.size() : std::min(known.size(), listed_names_limit);
  std::vector<std::string_view> names(looked_at);
  std::transform(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(looked_at),
                 names.begin(), view);
  violation unknown{kind.code, "is "};
  if (!kind.is_subject) unknown.predicate.append(quoted(found, context)).append(", which is ");
  unknown.predicate.append("not ").append(kind.what).append(" of this service.");
  if (may_suggest) append_suggestion(unknown.predicate, closest_id(found, names, context));
  append_known_names(unknown.predicate, kind.intro, names, known.size());
  return unknown;
}

std::optional<violation> check_tier(std::string_view text, const check_context& context) {
  constexpr known_kind tier{"unknown-tier", "a tier", "Tiers: ", false};
  return check_known(tier, text, context.names.tiers, context.apart());
}

std::optional<violation> check_region(std::string_view name, const check_context& context) {
  if (!context.names.regions) return std::nullopt;
  constexpr known_kind region{"unknown-region", "a region", "Regions: ", true};
  return check_known(region, name, *context.names.regions, context);
}

std::optional<violation> check_word(const value_rule& rule, std::string_view text,
                                    const check_context& context) {
  if (known_word(text, rule.words, context.rules)) return std::nullopt;
  std::vector<std::string_view> candidates{rule.words.begin(), rule.words.end()};
  for (const auto& each : proxy_aliases())
    if (std::ranges::find(rule.words, each.neutral) != rule.words.end())
      candidates.push_back(each.alias);
  violation unknown{"unknown-value", "cannot be " + quoted(text, context) + "."};
  if (context.may_suggest(candidates.size()))
    append_suggestion(unknown.predicate, closest_name(text, candidates));
  append_known_names(unknown.predicate, "Allowed: ", rule.words, rule.words.size());
  return unknown;
}

/// Whether the current object has a port that the gateway does not proxy. Reads all ports, so this
/// is done only for findings that may have suggestions.
bool has_open_port(const check_context& context) {
  if (context.document == nullptr || context.suggestions == nullptr) return false;
  const auto& document = *context.document;
  bool is_open = false;
  document.for_each_in(context.object, [&](const json_node& member) {
    if (document.name(member) != "ports") return;
    document.for_each_in(member, [&](const json_node& port) {
      if (port.kind != json_kind::object) return;
      const auto* proxy = find_member_of(document, document.index_of(port), "proxy");
      is_open = is_open || (proxy != nullptr && document.text(*proxy) == "none");
    });
  });
  return is_open;
}

std::optional<violation> check_network_mode(const value_rule& rule, std::string_view text,
                                            const check_context& context) {
  if (auto unknown = check_word(rule, text, context)) return unknown;
  if (context.rules.edition != service_edition::hosted || text == default_network_mode)
    return std::nullopt;
  std::string predicate =
      "is `host`, which only the open-source and enterprise editions have. Use `bridge`";
  if (has_open_port(context))
    predicate += ", and neither `\"proxy\": \"none\"` nor `port_range` in `ports`";
  return violation{"not-available", predicate + "."};
}

constexpr base::character_set mode_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_' || c == '-'; }};
constexpr base::character_set label_characters{
    [](unsigned char c) { return base::is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; }};
constexpr base::character_set variable_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_'; }};

/// Whether `name` has 1 to `most` of the `allowed` characters, without a dash at either end.
bool is_label(std::string_view name, std::uint64_t most, const base::character_set& allowed) {
  return !name.empty() && name.size() <= most && name.front() != '-' && name.back() != '-' &&
         allowed.contains_all(name);
}

/// The beginning of the sentence about a malformed name.
std::string not_valid(std::string_view name) {
  return name.empty() ? "is empty." : "is not valid.";
}

std::optional<violation> check_game_mode(std::string_view name, std::uint64_t most) {
  if (is_label(name, most, mode_characters)) return std::nullopt;
  return violation{"invalid-name", not_valid(name) + " Use 1 to " + std::to_string(most) +
                                       " of A to Z, a to z, 0 to 9, `_` and `-`, without a `-` at "
                                       "either end."};
}

std::optional<violation> check_port_label(std::string_view name, std::uint64_t most) {
  if (is_port_label(name, most)) return std::nullopt;
  return violation{"invalid-name", not_valid(name) + " Use 1 to " + std::to_string(most) +
                                       " of a to z, 0 to 9 and `-`, without a `-` at either end "
                                       "or two in a row."};
}

std::optional<violation> check_name(std::string_view name, std::uint64_t most) {
  if (name.empty()) return empty(most, length_unit::characters);
  return check_longest(name, most, length_unit::characters);
}

std::optional<violation> check_env_name(std::string_view name, std::uint64_t most) {
  if (auto violation = check_name(name, most)) return violation;
  if (!base::is_digit(name.front()) && variable_characters.contains_all(name)) return std::nullopt;
  return violation{"invalid",
                   not_valid(name) +
                       " Use A to Z, a to z, 0 to 9 and `_`, without a digit at the start."};
}

std::optional<violation> check_header_key(std::string_view name, std::uint64_t most,
                                          const check_context& context) {
  if (auto violation = check_field_name(name, most)) return violation;
  if (!is_reserved_field(name)) return std::nullopt;
  return violation{"reserved", "is " + quoted(name, context) +
                                   ", a header that the service sets itself. Remove it."};
}

} // namespace

std::optional<violation> check_text(const value_rule& rule, std::string_view text,
                                    const check_context& context) {
  const auto& limits = context.rules.limits;
  switch (rule.text) {
  case text_rule::any:
  case text_rule::not_empty: return check_length(rule, text, context);
  case text_rule::display_name: return check_display_name(text, limits.*rule.most);
  case text_rule::glob: return check_glob(text, limits.echo);
  case text_rule::header_name: return check_field_name(text, limits.*rule.most);
  case text_rule::header_value: return check_field_value(text, limits.*rule.most);
  case text_rule::tier: return check_tier(text, context);
  case text_rule::public_url: return check_public_url(text, limits.*rule.most, limits.echo);
  case text_rule::word: return check_word(rule, text, context);
  case text_rule::network_mode: return check_network_mode(rule, text, context);
  }
  return std::nullopt;
}

std::optional<violation> check_key(const value_rule& map, std::string_view name,
                                   const check_context& context) {
  const auto most = map.longest_key ? context.rules.limits.*map.longest_key : 0;
  switch (map.key) {
  case key_rule::any: return std::nullopt;
  case key_rule::not_empty: return check_name(name, most);
  case key_rule::region: return check_region(name, context);
  case key_rule::game_mode: return check_game_mode(name, most);
  case key_rule::env_name: return check_env_name(name, most);
  case key_rule::header_name: return check_header_key(name, most, context);
  case key_rule::port_label: return check_port_label(name, most);
  }
  return std::nullopt;
}

bool may_show_names(key_rule rule) noexcept {
  return rule != key_rule::header_name;
}

bool is_port_label(std::string_view name, std::uint64_t most) noexcept {
  return is_label(name, most, label_characters) && name.find("--") == name.npos;
}

bool is_about_size(std::string_view code) noexcept {
  return code.starts_with("too-");
}

} // namespace matchcloud::model
