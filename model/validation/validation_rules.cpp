#include "model/validation/validation_rules.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::model {

namespace {

using limits = validation_limits;

constexpr std::uint64_t most_in_32_bits = 4'294'967'295;
constexpr std::uint64_t day_ms = 86'400'000;
/// More entries than a body of any configurable size could hold.
constexpr std::uint64_t most_entries = 10'000'000;
constexpr std::uint64_t longest_text = 67'108'864;
/// Limited because each port is compared with all earlier ones.
constexpr std::uint64_t most_ports = 256;

constexpr std::array table{
    validation_limit{"version-display-name", &limits::version_display_name, 1, 1'024, "characters",
                     "a version's display name"},
    validation_limit{"game-display-name", &limits::game_display_name, 1, 1'024, "characters",
                     "a game's display name"},
    validation_limit{"group-display-name", &limits::group_display_name, 1, 1'024, "characters",
                     "a group's display name"},
    validation_limit{"scripts", &limits::scripts, 0, most_entries, "entries", "`scripts`"},
    validation_limit{"script-name", &limits::script_name, 1, longest_text, "characters",
                     "the name of a script"},
    validation_limit{"routes", &limits::routes, 0, most_entries, "elements", "`routes`"},
    validation_limit{"route-priority", &limits::route_priority, 0, most_in_32_bits, "highest value",
                     "`priority` of a route"},
    validation_limit{"middlewares", &limits::middlewares, 0, most_entries, "elements",
                     "`middlewares` of a route"},
    validation_limit{"custom-headers", &limits::custom_headers, 0, most_entries, "elements",
                     "`headers` of `custom_headers`"},
    validation_limit{"header-name-bytes", &limits::header_name_bytes, 1, longest_text, "bytes",
                     "the name of a header"},
    validation_limit{"header-value-bytes", &limits::header_value_bytes, 0, longest_text, "bytes",
                     "the value of a header"},
    validation_limit{"max-players-lowest", &limits::max_players_lowest, 0, most_in_32_bits,
                     "lowest value", "`max_players`, `max_players_direct`, `max_players_party`"},
    validation_limit{"max-players-highest", &limits::max_players_highest, 0, most_in_32_bits,
                     "highest value", "the same"},
    validation_limit{"idle-lobbies-min-highest", &limits::idle_lobbies_min_highest, 0,
                     most_in_32_bits, "highest value", "`min` of `idle_lobbies`"},
    validation_limit{"idle-lobbies-max-highest", &limits::idle_lobbies_max_highest, 0,
                     most_in_32_bits, "highest value", "`max` of `idle_lobbies`"},
    validation_limit{"regions", &limits::regions, 0, most_entries, "entries", "`regions`"},
    validation_limit{"captcha-requests-highest", &limits::captcha_requests_highest, 0,
                     most_in_32_bits, "highest value", "`requests_before_reverify`"},
    validation_limit{"captcha-ttl-highest-ms", &limits::captcha_ttl_highest_ms, 0, 365 * day_ms,
                     "milliseconds", "`verification_ttl`"},
    validation_limit{"captcha-key", &limits::captcha_key, 1, longest_text, "characters",
                     "a captcha provider's keys"},
    validation_limit{"game-modes", &limits::game_modes, 0, most_entries, "entries", "`game_modes`"},
    validation_limit{"game-mode-name", &limits::game_mode_name, 1, longest_text, "characters",
                     "the name of a game mode"},
    validation_limit{"verification-url-bytes", &limits::verification_url_bytes, 1, longest_text,
                     "bytes", "`url` of a `verification`"},
    validation_limit{"verification-headers", &limits::verification_headers, 0, most_entries,
                     "entries", "`headers` of a `verification`"},
    validation_limit{"args", &limits::args, 0, most_entries, "elements", "`args`"},
    validation_limit{"arg-bytes", &limits::arg_bytes, 0, longest_text, "bytes",
                     "an element of `args`"},
    validation_limit{"env", &limits::env, 0, most_entries, "entries",
                     "`env`, alone and merged with the matchmaker's"},
    validation_limit{"env-name", &limits::env_name, 1, longest_text, "characters",
                     "a name in `env`"},
    validation_limit{"env-value-bytes", &limits::env_value_bytes, 0, longest_text, "bytes",
                     "a value in `env`"},
    validation_limit{"ports", &limits::ports, 0, most_ports, "entries", "`ports`"},
    validation_limit{"port-label", &limits::port_label, 1, longest_text, "characters",
                     "the name of a port"},
    validation_limit{"host-port-lowest", &limits::host_port_lowest, 1, 65'535, "port",
                     "ports that containers on the host's network may open"},
    validation_limit{"host-port-highest", &limits::host_port_highest, 1, 65'535, "port",
                     "the same"},
    validation_limit{"findings", &limits::findings, 1, 100'000, "entries",
                     "`errors` of a response, before `too-many-errors`"},
    validation_limit{"findings-bytes", &limits::findings_bytes, 1'024, longest_text, "bytes",
                     "the same, as JSON"},
    validation_limit{"suggestions", &limits::suggestions, 0, 100'000, "entries",
                     "findings that may say \"did you mean\""},
    validation_limit{"echo", &limits::echo, 1, 1'024, "characters",
                     "the client's text in a message"},
    validation_limit{"depth", &limits::depth, 16, 1'024, "levels", "nested objects and arrays"},
};

static_assert(table.size() * sizeof(std::uint64_t) == sizeof(validation_limits),
              "every limit has its row");

} // namespace

std::span<const validation_limit> validation_limit_table() noexcept {
  return table;
}

reference_names reference_names_of(const catalog& from) {
  std::vector<std::string> regions;
  regions.reserve(from.regions.size());
  for (const auto& region : from.regions)
    regions.push_back(region.region_id);
  return {from.tiers, std::move(regions)};
}

reference_names default_reference_names() {
  auto tiers = default_tiers();
  std::ranges::sort(tiers);
  return {std::move(tiers), std::nullopt};
}

} // namespace matchcloud::model
