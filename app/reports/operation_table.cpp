#include "app/reports/operation_table.hpp"

#include "http/wire/operation.hpp"

#include <string_view>

namespace matchcloud::app {

namespace {

std::string_view pages_of(http::cors_policy policy) noexcept {
  switch (policy) {
  case http::cors_policy::none: return "none";
  case http::cors_policy::configured_origins: return "`cors-origins`";
  case http::cors_policy::any_origin:
  case http::cors_policy::anybody: return "any";
  }
  return {};
}

std::string body_of(const http::operation_row& row) {
  if (row.body == http::body_kind::none) return "none";
  if (row.body_limit_bytes == 0) return "JSON, `body-limit-bytes`";
  return "JSON, " + std::to_string(row.body_limit_bytes) + " bytes";
}

std::string_view deadline_of(const http::operation_row& row) noexcept {
  return row.deadline == &base::limits::export_timeout ? "`export-timeout-ms`"
                                                       : "`request-timeout-ms`";
}

} // namespace

std::string operation_table() {
  std::string table = "| operation | method and path | body | deadline | pages that may read it | "
                      "safe to repeat |\n|---|---|---|---|---|---|\n";
  for (const auto& row : http::operations) {
    if (row.path.empty()) continue;
    table.append("| `").append(row.name).append("` | `");
    table.append(row.method == http::method::get ? "GET " : "POST ").append(row.path);
    table.append("` | ").append(body_of(row)).append(" | ").append(deadline_of(row));
    table.append(" | ").append(pages_of(row.cors));
    table.append(row.is_repeatable ? " | yes |\n" : " | no |\n");
  }
  return table;
}

} // namespace matchcloud::app
