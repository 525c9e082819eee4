#pragma once

#include "app/config/config.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What a reload changes in a running service's configuration.
struct reload_plan {
  /// What is in force afterwards: the new values of reloadable keys, the old values of all others.
  std::vector<given_value> given;
  /// The keys that change now, and the keys that need a restart to change.
  std::vector<std::string> changed;
  std::vector<std::string> waiting;
};

reload_plan plan_reload(const std::vector<given_value>& in_force,
                        const std::vector<given_value>& wanted);

/// Describes what a completed reload did, in whole lines.
std::string describe_outcome(const reload_plan& done);

/// All keys as a JSON object, for `GET /v1/config`: value, default, source, whether a reload
/// applies a change, and what waits for a restart. `file` is the file of `--config`, or empty;
/// `read_ms` is when it was read, in milliseconds since 1970; `wanted` is what was read last.
/// Secrets and passwords are left out.
std::string describe_configuration(const std::vector<given_value>& in_force,
                                   const std::vector<given_value>& wanted, const std::string& file,
                                   std::int64_t read_ms);

} // namespace matchcloud::app
