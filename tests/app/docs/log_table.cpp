#include "tests/app/docs/tables.hpp"

#include "base/events/log_event.hpp"

namespace matchcloud::app {

std::string log_event_table() {
  std::string table = "| event | subject | level | when |\n|---|---|---|---|\n";
  for (const auto& event : base::log_events) {
    table.append("| `").append(event.name).append("` | ").append(name_of(event.subject));
    table.append(" | ").append(name_of(event.level));
    table.append(" | ").append(event.what).append(" |\n");
  }
  return table;
}

} // namespace matchcloud::app
