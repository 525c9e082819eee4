#pragma once

#include "model/audit/audit.hpp"

#include <string>
#include <string_view>

namespace matchcloud::app {

/// The run of a command that changes much in many transactions: the first that changes anything
/// writes its only entry, `action` of `file` by this process's user. `file` is the input as the
/// command was given it, and empty where there is none; an entry has it as a line would show it.
model::audit_run_ptr command_run(std::string action, std::string_view file = {});

} // namespace matchcloud::app
