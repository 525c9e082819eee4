#include "tests/app/docs/tables.hpp"

#include "model/audit/audit_action.hpp"

namespace matchcloud::app {

std::string audit_action_table() {
  std::string table = "| action | what |\n|---|---|\n";
  for (const auto& action : model::audit_actions)
    table.append("| `").append(action.name).append("` | ").append(action.what).append(" |\n");
  return table;
}

} // namespace matchcloud::app
