#include "model/validation/rule_keys.hpp"

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

namespace {

base::expected<void> set_aliases(validation_rules& of, const base::config_values& given) {
  validation_rules only;
  for (const auto& text : given) {
    const auto equals = std::min(text.find('='), text.size());
    const auto alias = equals == text.size() ? std::string{} : text.substr(equals + 1);
    only.further_aliases.push_back({text.substr(0, equals), alias});
  }
  if (auto sound = check_rules(only); !sound) return sound;
  of.further_aliases = std::move(only.further_aliases);
  return {};
}

/// The purpose of a row of the limit table as a sentence: what is limited, then how.
std::string sentence_about(const validation_limit& limit, const std::string& bounded) {
  const std::string_view unit = limit.unit;
  auto text = bounded;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  if (unit == "port")
    return text + (limit.name.ends_with("-lowest") ? ": the lowest." : ": the highest.");
  if (unit.ends_with(" value")) return text + ": the " + std::string{unit} + ".";
  return text + ": the maximum number of " + std::string{unit} + ".";
}

} // namespace

base::config_rows<validation_rules> rule_keys() {
  using unknown_word = std::pair<std::string_view, unknown_members>;
  using edition_word = std::pair<std::string_view, service_edition>;
  return {
      base::choice_row(
          "unknown-members", &validation_rules::unknown_members,
          std::array{unknown_word{"reject", unknown_members::reject},
                     unknown_word{"ignore", unknown_members::ignore}},
          "Whether a member that the specification does not define is a finding in a validation "
          "and an error in the body of an export."),
      base::choice_row(
          "edition", &validation_rules::edition,
          std::array{edition_word{"open-source", service_edition::open_source},
                     edition_word{"enterprise", service_edition::enterprise},
                     edition_word{"hosted", service_edition::hosted}},
          "The edition of the service. In `hosted`, no container can use the host's network."),
      base::flag_row("complete", &validation_rules::complete,
                     "Whether validation also requires all that a version needs to run, for "
                     "services that create what they validate."),
      {{"alias", base::config_text::kind::list, "",
        "NEUTRAL=ALIAS, as in container_runtime=oci; repeatable",
        "Words that payloads may use in place of the specification's neutral ones, in addition "
        "to the built-in aliases."},
       set_aliases},
  };
}

base::config_rows<validation_rules> validation_limit_keys() {
  constexpr std::string_view ditto = "the same";
  const validation_limits presets;
  base::config_rows<validation_rules> keys;
  std::string before;
  for (const auto& limit : validation_limit_table()) {
    std::string bounded{limit.purpose};
    if (bounded.starts_with(ditto)) bounded.replace(0, ditto.size(), before);
    keys.push_back(base::count_row<validation_rules>(
        std::string{validation_limit_prefix} + std::string{limit.name},
        std::to_string(presets.*limit.value), limit.lowest, limit.highest,
        sentence_about(limit, bounded),
        [value = limit.value](validation_rules& of, std::uint64_t number) {
          of.limits.*value = number;
        }));
    before = std::move(bounded);
  }
  return keys;
}

} // namespace matchcloud::model
