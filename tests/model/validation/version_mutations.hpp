#pragma once

#include "tests/model/validation/json_tree.hpp"
#include "tests/model/validation/validation_cases.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// One way to spoil one value of a `valid_version`.
struct version_mutation {
  std::string_view name;
  /// Of the values that it may spoil.
  std::vector<std::string_view> roles;
  /// Spoils `value` so that exactly this finding must come, its path beginning at the value; absent
  /// where it cannot, having changed nothing.
  std::optional<expected_finding> (*spoil)(json_tree& value, chance& random);
};

/// At least one for every rule about a version.
std::span<const version_mutation> version_mutations();

/// Spoils some value of `body` that way. Absent where there is none that it could.
std::optional<expected_finding> spoil(json_tree& body, const version_mutation& how, chance& random);

} // namespace matchcloud::model
