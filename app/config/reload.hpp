#pragma once

#include "app/config/config.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What becomes of a running service's configuration that was read again.
struct reload_plan {
  /// What is in force afterwards: the keys that can be reloaded as they are wanted, all others as
  /// they were.
  std::vector<given_value> given;
  /// The keys whose values change now, and those whose values need a restart.
  std::vector<std::string> changed;
  std::vector<std::string> waiting;
};

reload_plan plan_reload(const std::vector<given_value>& in_force,
                        const std::vector<given_value>& wanted);

/// Says what a plan that was carried out did, in whole lines.
std::string describe_outcome(const reload_plan& done);

/// All keys as a JSON object, for `GET /v1/config`: value, default, source, whether a reload takes
/// a change up, and what waits for a restart. `file` is the one that `--config` named, or empty;
/// `read_ms` when it was read, in milliseconds since 1970; `wanted` what was read last. Secrets and
/// passwords are left out.
std::string describe_configuration(const std::vector<given_value>& in_force,
                                   const std::vector<given_value>& wanted, const std::string& file,
                                   std::int64_t read_ms);

} // namespace matchcloud::app
