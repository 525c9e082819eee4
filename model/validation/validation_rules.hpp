#pragma once

#include "model/catalog/catalog.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

enum class unknown_members : std::uint8_t { reject, ignore };

/// The edition of the service: determines whether containers may share the host's network.
enum class service_edition : std::uint8_t { open_source, enterprise, hosted };

/// A word that the configuration accepts for a neutral key of the specification, in addition to the
/// built-in aliases.
struct configured_alias {
  std::string neutral;
  std::string alias;
};

/// All limits of docs/validation.md. `validation_limit_table` names each, with its unit.
struct validation_limits {
  std::uint64_t version_display_name = 128;
  std::uint64_t game_display_name = 24;
  std::uint64_t group_display_name = 24;
  std::uint64_t scripts = 128;
  std::uint64_t script_name = 128;
  std::uint64_t routes = 32;
  std::uint64_t route_priority = 100;
  std::uint64_t middlewares = 32;
  std::uint64_t custom_headers = 32;
  std::uint64_t header_name_bytes = 512;
  std::uint64_t header_value_bytes = 1'024;
  std::uint64_t max_players_lowest = 1;
  std::uint64_t max_players_highest = 256;
  std::uint64_t idle_lobbies_min_highest = 16;
  std::uint64_t idle_lobbies_max_highest = 32;
  std::uint64_t regions = 64;
  std::uint64_t captcha_requests_highest = 600;
  std::uint64_t captcha_ttl_highest_ms = 43'200'000;
  std::uint64_t captcha_key = 128;
  std::uint64_t game_modes = 32;
  std::uint64_t game_mode_name = 64;
  std::uint64_t verification_url_bytes = 2'048;
  std::uint64_t verification_headers = 32;
  std::uint64_t args = 64;
  std::uint64_t arg_bytes = 512;
  std::uint64_t env = 64;
  std::uint64_t env_name = 64;
  std::uint64_t env_value_bytes = 512;
  std::uint64_t ports = 16;
  std::uint64_t port_label = 16;
  std::uint64_t host_port_lowest = 26'000;
  std::uint64_t host_port_highest = 31'999;
  /// Findings beyond this number are replaced by one `too-many-errors`.
  std::uint64_t findings = 1'000;
  /// The limit in bytes on the findings as `render_findings` writes them; further ones are replaced
  /// by one `too-many-errors`.
  std::uint64_t findings_bytes = 1024 * 1024;
  /// The number of findings, from the first, that may suggest a name: suggestions cost more than
  /// checks.
  std::uint64_t suggestions = 32;
  /// Code points of the client's text that a message shows.
  std::uint64_t echo = 64;
  /// Nesting depth of objects and arrays.
  std::uint64_t depth = 64;
};

/// A limit: its name in the configuration and its allowed values.
struct validation_limit {
  /// The key in the `[limits]` of a rules file: `max-players-highest`.
  std::string_view name;
  std::uint64_t validation_limits::*value;
  std::uint64_t lowest;
  std::uint64_t highest;
  std::string_view unit;
  /// What it bounds.
  std::string_view purpose;
};

/// All limits, in the order of docs/validation.md.
std::span<const validation_limit> validation_limit_table() noexcept;

/// What the findings depend on besides the payload and the catalog. Must not change while in use.
struct validation_rules {
  validation_limits limits;
  model::unknown_members unknown_members = model::unknown_members::reject;
  service_edition edition = service_edition::open_source;
  /// Whether to check, too, that a version has all that it needs to run, for services that create
  /// what they validate.
  bool complete = false;
  std::vector<configured_alias> further_aliases;
};

/// The names that payloads may refer to, in ascending order.
struct reference_names {
  std::vector<std::string> tiers;
  /// Absent if unknown; then every region is accepted.
  std::optional<std::vector<std::string>> regions;
};

reference_names reference_names_of(const catalog& from);

/// The default tiers and unknown regions, for callers without a catalog.
reference_names default_reference_names();

} // namespace matchcloud::model
