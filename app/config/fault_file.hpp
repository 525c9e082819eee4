#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// Fault points, each with the rule for what to inject there.
using fault_rules = std::vector<std::pair<base::fault_point, base::fault_rule>>;

/// Reads the rules of a TOML file, one table for each point: `avatar.receive = { kind = "crash",
/// probability = 0.01 }`. An argument that contains `=` is parsed as TOML text, not opened as
/// a file. Fails with `config_invalid`, naming file and line.
base::expected<fault_rules> read_fault_rules(const std::string& file_or_text);

} // namespace matchcloud::app
