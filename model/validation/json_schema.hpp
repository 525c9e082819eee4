#pragma once

#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <string>
#include <vector>

namespace matchcloud::model {

/// The shape of a request body as JSON Schema 2020-12, indented, without a newline at its end. It
/// is made from the limits in force and the table that `validate` walks. It accepts every body
/// without findings. It refuses bodies with a finding about a type, a number, a length in
/// characters, a missing or unknown member, a word of a list, or a kind of port. Patterns cover
/// what they can express simply, and `description`s state the remaining rules. Deterministic; any
/// thread.
std::string json_schema(payload_kind kind, const validation_rules& rules,
                        const reference_names& names);

/// A schema and the name that other schemas of the same document refer to it by.
struct schema_part {
  std::string name;
  /// JSON without white space.
  std::string schema;
};

/// The same schema for a larger document: first the schema of the body (`GameVersionPayload`), then
/// the definitions that it refers to as `#/components/schemas/NAME` (`GameVersionIdleLobbies`). Any
/// tier and any region is accepted. Any thread.
std::vector<schema_part> json_schema_parts(payload_kind kind, const validation_rules& rules);

} // namespace matchcloud::model
