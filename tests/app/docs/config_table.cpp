#include "tests/app/docs/tables.hpp"

#include "app/config/config.hpp"

namespace matchcloud::app {

std::string config_table() {
  std::string table = "| key | default | allowed | reload | purpose |\n|---|---|---|---|---|\n";
  for (const auto& key : config_keys()) {
    table.append("| `").append(key.name).append("` | ");
    if (key.default_value.empty())
      table.append("none");
    else
      table.append("`").append(key.default_value).append("`");
    table.append(" | ").append(key.allowed).append(key.is_reloadable ? " | yes | " : " | no | ");
    table.append(key.purpose).append(" |\n");
  }
  return table;
}

} // namespace matchcloud::app
