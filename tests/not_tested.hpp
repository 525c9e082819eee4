#pragma once

#include "tests/catch.hpp"

#include <cstdlib>
#include <string>

namespace matchcloud::fixtures {

/// Says that a case ends here because this user or machine cannot run it. With FAIL_UNTESTED in the
/// environment, the case fails: .ci/run sets it, so that nothing is left out there unnoticed.
inline void not_tested(const std::string& why) {
  if (std::getenv("FAIL_UNTESTED") != nullptr) FAIL(why + ": not tested");
  WARN(why + ": not tested");
}

} // namespace matchcloud::fixtures
