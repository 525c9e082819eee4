#pragma once

#include "model/validation/validation_rules.hpp"

#include "tests/model/validation/json_tree.hpp"

namespace matchcloud::model {

/// What the configurations below refer to: the default tiers, and regions `r0` to `r69`.
reference_names names_of_valid_versions();

/// A body of a version without any violation: all members of docs/validation.md at all their
/// places, each there or not, of any value that the page allows, under either of its names. Written
/// after that page, not after the table that validation walks.
json_tree valid_version(chance& random);

} // namespace matchcloud::model
