#include "tests/app/docs/tables.hpp"

#include "http/operations/list.hpp"

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
  std::string text = row.body == http::body_kind::json ? "JSON, " : "JSON Lines, streamed, ";
  if (row.body_limit_bytes == 0) return text + "`body-limit-bytes`";
  return text + std::to_string(row.body_limit_bytes) + " bytes";
}

std::string_view deadline_of(const http::operation_row& row) noexcept {
  if (row.deadline == &http::limits::export_timeout) return "`export-timeout-ms`";
  if (row.deadline == &http::limits::ingest_timeout) return "`ingest-timeout-ms`";
  return "`request-timeout-ms`";
}

/// What a request without a token receives if tokens are required.
std::string_view anonymous_of(const http::operation_row& row) noexcept {
  switch (row.anonymous) {
  case http::anonymous_access::no: return "401";
  case http::anonymous_access::configured: return "yes, with `anonymous-regions`";
  case http::anonymous_access::yes: return "yes";
  }
  return {};
}

std::string_view access_of(const http::operation_row& row, model::token_kind kind) noexcept {
  if (row.anonymous == http::anonymous_access::yes) return "yes";
  if (!row.allowed.has(kind)) return "403";
  const bool is_scoped = scope_of(kind) == model::token_scope::game && row.names_game;
  return is_scoped ? "its game; others 403" : "yes";
}

} // namespace

std::string access_table() {
  std::string table = "| operation | no token |";
  std::string rule = "|---|---|";
  for (const auto kind : model::token_kind_names) {
    table.append(" ").append(kind).append(" |");
    rule += "---|";
  }
  table.append("\n").append(rule).append("\n");
  for (const auto& row : http::operations) {
    if (row.path.empty()) continue;
    table.append("| `").append(row.name).append("` | ").append(anonymous_of(row)).append(" |");
    for (std::size_t i = 0; i < model::token_kind_names.size(); ++i)
      table.append(" ").append(access_of(row, static_cast<model::token_kind>(i))).append(" |");
    table.append("\n");
  }
  return table;
}

std::string operation_table() {
  std::string table = "| operation | plane | method and path | body | deadline | pages that can "
                      "read it | safe to repeat |\n|---|---|---|---|---|---|---|\n";
  for (const auto& row : http::operations) {
    if (row.path.empty()) continue;
    table.append("| `").append(row.name);
    table.append(row.plane == http::plane::data ? "` | data | `" : "` | ops | `");
    table.append(name_of(row.method)).append(" ").append(row.path);
    table.append("` | ").append(body_of(row)).append(" | ").append(deadline_of(row));
    table.append(" | ").append(pages_of(row.cors));
    table.append(row.is_repeatable ? " | yes |\n" : " | no |\n");
  }
  return table;
}

} // namespace matchcloud::app
