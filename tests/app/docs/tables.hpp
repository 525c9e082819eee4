#pragma once

#include <string>

/// The Markdown tables of docs/, and the alerts, that are made from the program's own tables.
namespace matchcloud::app {

/// All keys.
std::string config_table();

/// All fault points and presets.
std::string fault_point_table();
std::string fault_preset_table();

/// All events of the log.
std::string log_event_table();

/// All actions of the audit log.
std::string audit_action_table();

/// All operations.
std::string operation_table();

/// The callers that each operation allows: the answer without a token, and with a valid token of
/// each kind.
std::string access_table();

/// The codes of all problems that requests may get, by status.
std::string problem_table();

/// The alerts of deploy/prometheus/rules.yml that causes of `/v1/attention` express.
std::string alert_rules();

/// All commands and the first sentences of their help.
std::string command_table();

} // namespace matchcloud::app

namespace matchcloud::model {

/// All members of a game version: the path, the JSON type, whether the member is required, and what
/// it is for and what it can be under the default limits. Members that several objects share are
/// listed at the first of them.
std::string member_table();

} // namespace matchcloud::model
