#pragma once

#include "base/expected.hpp"
#include "model/json/rapidjson.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// The state of a fault point, as `GET /faults/{point}` of a service returns it.
struct fault_point_state {
  std::uint64_t hits = 0;
  std::optional<std::int64_t> heals_in_s;
  /// Why the rule may never hit; usually empty.
  std::string note;
  bool is_injected = false;
  /// How many operations its rule was asked about.
  std::uint64_t passes = 0;
};

/// Fails with `io_failed` if the answer is something else.
base::expected<fault_point_state> read_fault_point(std::string_view json);

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

/// Reads the answer to `GET /faults`, reduced to what is shown. Fails with `io_failed` if it is
/// something else.
base::expected<rapidjson::Document> read_fault_listing(std::string_view json,
                                                       const listing_choice& by);
/// Tables for people: points by group, then presets. `width`: see `text_table`.
std::string text_of(const rapidjson::Document& listing, std::size_t width);

} // namespace matchcloud::app
