#include "tests/app/docs/tables.hpp"

#include "http/reference/reference.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace matchcloud::app {

std::string problem_table() {
  const auto of_data = http::errors_of(http::plane::data);
  const auto of_ops = http::errors_of(http::plane::ops);
  std::vector<base::errc> all;
  std::ranges::set_union(of_data, of_ops, std::back_inserter(all));
  std::ranges::stable_sort(all, {}, [](base::errc each) { return base::describe(each).status; });

  const auto planes_of = [&](base::errc code) -> std::string_view {
    if (!std::ranges::binary_search(of_ops, code)) return "data";
    return std::ranges::binary_search(of_data, code) ? "both" : "ops";
  };
  std::string table = "| status | code | title | planes |\n|---|---|---|---|\n";
  for (const auto code : all) {
    const auto described = base::describe(code);
    table.append("| ").append(std::to_string(described.status));
    table.append(" | `").append(described.code).append("` | ").append(described.title);
    table.append(" | ").append(planes_of(code)).append(" |\n");
  }
  return table;
}

} // namespace matchcloud::app
