#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// Points with what is to be injected there.
using fault_rules = std::vector<std::pair<base::fault_point, base::fault_rule>>;

/// The rules of a TOML file, one table for each point: `avatar.receive = { kind = "crash",
/// probability = 0.01 }`. What has an `=` in it is no file's name but such text itself. Fails with
/// `config_invalid`, naming file and line.
base::expected<fault_rules> read_fault_rules(const std::string& file_or_text);

} // namespace matchcloud::app
