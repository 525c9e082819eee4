#pragma once

#include "model/validation/validation_rules.hpp"

#include "tests/model/validation/json_tree.hpp"

namespace matchcloud::model {

/// The names that the generated versions refer to: the default tiers, and regions `r0` to `r69`.
reference_names names_of_valid_versions();

/// A version body without any violation: every member of docs/validation.md at every path, each
/// present or absent, with any value that the page allows, under either of its names. Written from
/// that page, not from the table that validation walks.
json_tree valid_version(chance& random);

} // namespace matchcloud::model
