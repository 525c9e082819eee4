#pragma once

#include "model/audit/audit.hpp"

#include <string_view>

namespace matchcloud::app {

/// The run of a command that makes many changes in many transactions: the first transaction that
/// changes anything writes the only audit entry, `action` of `file` by this process's user. `file`
/// is the input as given to the command, empty if there is none; the entry has it in printable
/// form.
model::audit_run_ptr command_run(model::audit_action action, std::string_view file = {});

} // namespace matchcloud::app
