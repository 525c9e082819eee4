#include "app/commands/commands.hpp"
#include "base/crash_report.hpp"
#include "base/log/bounded_sink.hpp"
#include "base/log/log_format.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace matchcloud::app {

void begin_log() {
  base::report_crashes();
  const auto bounded =
      std::make_shared<base::bounded_sink>(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  bounded->set_formatter(base::make_log_formatter());
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("matchcloud", bounded));
}

} // namespace matchcloud::app
