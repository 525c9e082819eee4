#pragma once

#include "tests/model/validation/json_tree.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// One way to make one value of a `valid_version` invalid.
struct version_mutation {
  std::string_view name;
  /// The roles of the values that it may mutate.
  std::vector<std::string_view> roles;
  /// Mutates `value` so that exactly the returned finding must result; the finding's path starts at
  /// the value. Absent, with nothing changed, if `value` cannot be mutated this way.
  std::optional<expected_finding> (*spoil)(json_tree& value, chance& random);
};

/// All mutations: at least one for every rule about a version.
std::span<const version_mutation> version_mutations();

/// Applies a mutation to a random suitable value of `body`. Absent if there is none.
std::optional<expected_finding> spoil(json_tree& body, const version_mutation& how, chance& random);

} // namespace matchcloud::model
