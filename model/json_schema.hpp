#pragma once

#include "model/schema.hpp"
#include "model/validation_rules.hpp"

#include <string>

namespace matchcloud::model {

/// The shape of a request body as JSON Schema 2020-12, indented, made from the table that
/// `validate` walks and the limits in force. What accepts every body that `validate` has no
/// findings for, and refuses every body with a finding that one value alone can show; relations
/// between members that JSON Schema cannot say stand in `description`. Deterministic; any thread.
std::string json_schema(payload_kind kind, const validation_rules& rules,
                        const reference_names& names);

} // namespace matchcloud::model
