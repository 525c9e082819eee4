#pragma once

#include "cli/command.hpp"

namespace matchcloud::app {

/// `fault run`.
cli::commands fault_run_command();

} // namespace matchcloud::app
