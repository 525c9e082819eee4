#include "model/validation/check_rules.hpp"

#include "model/validation/schema.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::model {

namespace {

/// Whether `alias` already has a meaning in a position where `neutral` is allowed.
bool is_taken(std::string_view alias, std::string_view neutral) {
  return alias_of(neutral).empty() ? known_word(alias, proxy_words, {}).has_value()
                                   : is_member_name(alias);
}

bool is_neutral_word(std::string_view word) {
  const auto is_it = [word](const name_alias& each) { return each.neutral == word; };
  return std::ranges::any_of(key_aliases(), is_it) || std::ranges::any_of(proxy_aliases(), is_it);
}

tl::unexpected<base::error> refuse(std::string detail) {
  return base::fail(base::errc::config_invalid, std::move(detail));
}

base::expected<void> check_aliases(std::span<const configured_alias> aliases) {
  for (const auto& each : aliases) {
    if (is_taken(each.alias, each.neutral))
      return refuse("\"" + each.neutral + "=" + each.alias + "\": " + each.alias +
                    " already has a meaning; choose another word");
    const auto other = std::ranges::find_if(aliases, [&](const configured_alias& candidate) {
      return candidate.alias == each.alias && candidate.neutral != each.neutral;
    });
    if (other != aliases.end())
      return refuse("\"" + each.alias + "\" cannot stand for both " + each.neutral + " and " +
                    other->neutral + "; choose another word for one of them");
  }
  return {};
}

} // namespace

base::expected<void> check_rules(const validation_rules& rules) {
  const auto& set = rules.limits;
  if (set.max_players_lowest > set.max_players_highest)
    return refuse(
        "max-players-lowest is greater than max-players-highest; lower it, or raise the other");
  if (set.host_port_lowest > set.host_port_highest)
    return refuse(
        "host-port-lowest is greater than host-port-highest; lower it, or raise the other");
  for (const auto& each : rules.further_aliases)
    if (!is_neutral_word(each.neutral) || each.alias.empty())
      return refuse("\"" + each.neutral + "=" + each.alias +
                    "\" is not an alias; use NEUTRAL=ALIAS, where NEUTRAL is a neutral word of "
                    "the specification, such as container_runtime");
  return check_aliases(rules.further_aliases);
}

} // namespace matchcloud::model
