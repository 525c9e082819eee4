#pragma once

#include "model/json/name_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace matchcloud::model {

/// The names of all members in the specification, neutral where there are two, in ascending order.
inline constexpr std::array<std::string_view, 71> specified_names{
    "actions",
    "allow_dynamic_max_players",
    "args",
    "build_args",
    "build_command",
    "build_env",
    "build_output",
    "captcha",
    "captcha_provider_a",
    "captcha_provider_b",
    "cdn",
    "config",
    "container_runtime",
    "create",
    "custom",
    "custom_headers",
    "dev_hostname",
    "dev_port",
    "dev_port_range",
    "dev_protocol",
    "display_name",
    "dockerfile",
    "enable_private",
    "enable_public",
    "enabled",
    "engine",
    "engine_a",
    "engine_b",
    "engine_c",
    "engine_d",
    "env",
    "find",
    "game_modes",
    "game_module",
    "glob",
    "headers",
    "idle_lobbies",
    "image",
    "image_id",
    "join",
    "kind",
    "kv",
    "listable",
    "matchmaker",
    "max",
    "max_players",
    "max_players_direct",
    "max_players_party",
    "middlewares",
    "min",
    "name",
    "network_mode",
    "port",
    "port_range",
    "ports",
    "priority",
    "protocol",
    "proxy",
    "regions",
    "requests_before_reverify",
    "routes",
    "scripts",
    "secret_key",
    "site_id",
    "site_key",
    "taggable",
    "tier",
    "url",
    "value",
    "verification",
    "verification_ttl",
};

/// The symbol of a member's neutral name.
constexpr name_symbol symbol_of_member(std::string_view neutral) noexcept {
  const auto at = std::ranges::lower_bound(specified_names, neutral);
  if (at == specified_names.end() || *at != neutral) return no_symbol;
  return static_cast<name_symbol>(at - specified_names.begin() + 1);
}

/// A member by its neutral name, known when the program is compiled.
struct member_name {
  name_symbol symbol;

  consteval member_name(const char* neutral) : symbol{symbol_of_member(neutral)} {
    if (symbol == no_symbol) throw "the specification has no such member";
  }
};

} // namespace matchcloud::model
