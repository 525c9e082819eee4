#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"
#include "model/json/json_writer.hpp"

#include <string_view>

namespace matchcloud::http {

/// The longest rule that is read.
inline constexpr std::size_t fault_rule_limit_bytes = 4UL * 1024;

/// A rule for a point, as the ops plane takes it: `{"kind": "delay", "delay_ms": [5, 20], "every":
/// 3}`. Fails with `config_invalid`: where, what was found, what to write.
base::expected<base::fault_rule> read_fault_rule(base::fault_point at, std::string_view json);

/// Writes a rule as `read_fault_rule` takes it.
void write_fault_rule(model::json_writer& json, const base::fault_rule& rule);

/// Writes what is known of a point: name, sentence, kinds, rule (or null), passes and hits.
void write_fault_status(model::json_writer& json, const base::fault_status& of);

/// The failure to find a point of that name.
base::error no_such_fault_point(std::string_view name);

} // namespace matchcloud::http
