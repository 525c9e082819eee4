#pragma once

#include "app/doctor/health_finding.hpp"

#include <string>

namespace matchcloud::app {

/// A line per finding, with what to do behind it, and the sums. Further lines of a message are
/// indented.
std::string health_text(const health_findings& findings, bool colours);

/// One JSON object: `{"findings":[{"check","level","message","advice"}],"errors","warnings","ok"}`.
/// `advice` is null where there is none.
std::string health_json(const health_findings& findings);

/// How many findings are of a level.
std::size_t count_of(const health_findings& findings, finding_level level);

} // namespace matchcloud::app
