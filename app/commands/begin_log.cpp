#include "app/commands/commands.hpp"
#include "base/crash_report.hpp"
#include "base/log/service_log.hpp"

namespace matchcloud::app {

void begin_log() {
  base::report_crashes();
  base::log_to_stderr();
}

} // namespace matchcloud::app
