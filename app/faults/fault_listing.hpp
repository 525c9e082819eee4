#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A fault point as `GET /faults` of a service lists it.
struct listed_point {
  std::string name;
  std::string what;
  std::string group;
  std::vector<std::string> kinds;
  /// As JSON; empty: nothing is injected.
  std::string rule;
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  std::optional<std::int64_t> heals_in_s;
  /// Why the rule may never hit; usually empty.
  std::string note;
};

struct listed_preset {
  std::string name;
  std::string effect;
  std::string point;
  /// As JSON.
  std::string rule;
};

struct fault_listing {
  std::uint64_t seed = 0;
  std::vector<listed_point> points;
  std::vector<listed_preset> presets;
};

/// Reads the answer to `GET /faults`. Fails with `io_failed` if it is something else.
base::expected<fault_listing> read_fault_listing(std::string_view json);
/// Reads the answer to `GET /faults/{point}`. Fails in the same way.
base::expected<listed_point> read_fault_point(std::string_view json);

/// A rule, given as JSON, for people: `delay 50..200 ms, connections 0.1`.
std::string describe_rule(std::string_view json);

/// Which parts of a listing are shown.
struct listing_choice {
  /// Also points without a rule and presets.
  bool all = false;
  /// Only points and presets with this text in their name, group or effect, ignoring case; points
  /// without a rule and presets are then also shown.
  std::string search;
};

/// Reduces a listing to what is shown.
fault_listing chosen_of(fault_listing all, const listing_choice& by);
/// Tables for people: points by group, then presets. `width`: see `text_table`.
std::string text_of(const fault_listing& shown, std::size_t width);
std::string json_of(const fault_listing& shown);

} // namespace matchcloud::app
