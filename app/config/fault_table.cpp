#include "app/config/fault_table.hpp"

#include "base/fault_point.hpp"

#include <cstddef>

namespace matchcloud::app {

std::string fault_point_table() {
  std::string table = "| point | what happens there | kinds | by X-Fault |\n|---|---|---|---|\n";
  for (const auto& point : base::fault_points) {
    table.append("| `").append(point.name).append("` | ").append(point.sentence).append(" | ");
    const char* between = "";
    for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i) {
      if (!point.kinds.has(static_cast<base::fault_kind>(i))) continue;
      table.append(between).append(base::fault_kind_names[i]);
      between = ", ";
    }
    table.append(point.of_a_request ? " | yes |\n" : " | no |\n");
  }
  return table;
}

} // namespace matchcloud::app
