#pragma once

#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <string>

namespace matchcloud::model {

/// The shape of a request body as JSON Schema 2020-12, indented, without a newline at its end. Made
/// from the table that `validate` walks and the limits in force: accepts every body without
/// findings, and refuses those with a finding about a type, a number, a length in characters, a
/// member that is missing or unknown, a word of a list, or a kind of port. Patterns refuse what
/// they can say plainly; the rest of the rules stands in `description`s. Deterministic; any thread.
std::string json_schema(payload_kind kind, const validation_rules& rules,
                        const reference_names& names);

} // namespace matchcloud::model
