#include "tests/app/docs/tables.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "base/fault_point.hpp"

#include <cstddef>

namespace matchcloud::app {

std::string fault_point_table() {
  std::string table =
      "| point | what happens there | kinds | rules can select by |\n|---|---|---|---|\n";
  for (const auto& point : base::fault_points) {
    table.append("| `").append(point.name).append("` | ").append(point.sentence).append(" | ");
    const char* between = "";
    for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i) {
      if (!point.kinds.has(static_cast<base::fault_kind>(i))) continue;
      table.append(between).append(base::fault_kind_names[i]);
      between = ", ";
    }
    table.append(" | ");
    between = "";
    for (std::size_t i = 0; i < base::fault_choice_names.size(); ++i) {
      if (!point.knows.has(static_cast<base::fault_choice>(i))) continue;
      table.append(between).append("`").append(base::fault_choice_names[i]).append("`");
      between = ", ";
    }
    table.append(*between == '\0' ? "- |\n" : " |\n");
  }
  return table;
}

std::string fault_preset_table() {
  std::string table = "| preset | what you see | point | rule |\n|---|---|---|---|\n";
  for (const auto& each : actors::fault_presets)
    table.append("| `")
        .append(each.name)
        .append("` | ")
        .append(each.effect)
        .append(" | `")
        .append(facts_of(each.point).name)
        .append("` | `")
        .append(each.rule)
        .append("` |\n");
  return table;
}

} // namespace matchcloud::app
