#pragma once

#include "app/doctor/health_checks.hpp"

#include <string>

namespace matchcloud::app {

/// One line per finding, followed by its advice, and then the sums. Further lines of a message are
/// indented.
std::string health_text(const health_findings& findings, bool colours);

/// One JSON object: `{"findings":[{"check","level","message","advice"}],"errors","warnings","ok"}`.
/// `advice` is null if there is none.
std::string health_json(const health_findings& findings);

/// How many findings are of a level.
std::size_t count_of(const health_findings& findings, finding_level level);

} // namespace matchcloud::app
