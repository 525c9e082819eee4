#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"
#include "model/json/json_writer.hpp"

#include <string_view>

namespace matchcloud::actors {

/// The largest rule that is accepted.
inline constexpr std::size_t fault_rule_limit_bytes = 4UL * 1024;

/// Reads a rule for a point in the form of the ops plane: `{"kind": "delay", "delay_ms": [5, 20],
/// "every": 3}`. Fails with `config_invalid`; the detail says where, what was found and what to
/// write.
base::expected<base::fault_rule> read_fault_rule(base::fault_point at, std::string_view json);

/// Writes a rule in the form that `read_fault_rule` reads.
void write_fault_rule(model::json_writer& json, const base::fault_rule& rule);

/// Writes the status of a point: name, description, group, kinds, what rules can select by, the
/// rule (or null), passes, hits and the seconds until the rule heals (or null). Without
/// `reads_tokens`, a rule of a token has a note that the data plane has no tokens.
void write_fault_status(model::json_writer& json, const base::fault_status& of,
                        base::steady_time now, bool reads_tokens = true);

/// The error for a name that is not a fault point.
base::error no_such_fault_point(std::string_view name);

} // namespace matchcloud::actors
