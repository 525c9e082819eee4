#include "app/doctor/health_checks.hpp"

#include <string>

namespace matchcloud::app {

health_findings check_configuration(examined_service& of) {
  health_findings found;
  for (const auto& name : of.unknown_variables())
    found.push_back(warned(name + " is not a configuration key of matchcloud and has no effect",
                           "remove the variable, or see `matchcloud serve --help`"));
  const auto& config = of.configuration();
  if (!config)
    found.push_back(refused(config.error().detail,
                            "fix it and run this again: most checks need the configuration"));
  else if (found.empty())
    found.push_back(fine("all values are allowed"));
  return found;
}

} // namespace matchcloud::app
