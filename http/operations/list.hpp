#pragma once

#include "http/operations/audit.hpp"
#include "http/operations/avatars.hpp"
#include "http/operations/catalog_elements.hpp"
#include "http/operations/configuration.hpp"
#include "http/operations/documents.hpp"
#include "http/operations/exports.hpp"
#include "http/operations/faults.hpp"
#include "http/operations/group.hpp"
#include "http/operations/health.hpp"
#include "http/operations/history.hpp"
#include "http/operations/kept_data.hpp"
#include "http/operations/latencies.hpp"
#include "http/operations/lobbies.hpp"
#include "http/operations/operation.hpp"
#include "http/operations/regions.hpp"
#include "http/operations/reports.hpp"
#include "http/operations/tokens.hpp"
#include "http/operations/validation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::http {

namespace detail {

inline constexpr std::string_view game_parameter = "{game_id}";

constexpr operation_row named(operation_row row, operation id, std::string_view name) noexcept {
  row.id = id;
  row.name = name;
  row.names_game = row.path.find(game_parameter) != row.path.npos;
  return row;
}

} // namespace detail

/// The rows of all operations, in the order of `operation`.
inline constexpr std::array operations{
#define MATCHCLOUD_ROW(name) detail::named(rows::name, operation::name, #name),
    MATCHCLOUD_OPERATIONS(MATCHCLOUD_ROW)
#undef MATCHCLOUD_ROW
        detail::named({}, operation::unmatched, "unmatched")};
inline constexpr std::size_t operation_count = operations.size();

constexpr const operation_row& row_of(operation which) noexcept {
  return operations[static_cast<std::size_t>(which)];
}

constexpr bool allows(const operation_row& row, method wanted) noexcept {
  return wanted == row.method || wanted == method::options ||
         (wanted == method::head && row.method == method::get);
}

/// The operation at the path of `row` that has the method `wanted`; for OPTIONS the first one.
/// Null: no operation has it.
constexpr const operation_row* find_at_path(const operation_row& row, method wanted) noexcept {
  for (const auto& each : operations)
    if (each.plane == row.plane && each.path == row.path && allows(each, wanted)) return &each;
  return nullptr;
}

/// The value of the `Allow` header of answers about the path of `row`.
inline std::string allow_of(const operation_row& row) {
  std::string allow;
  for (const auto each : {method::get, method::head, method::post, method::put, method::del})
    if (find_at_path(row, each) != nullptr) allow.append(name_of(each)).append(", ");
  return allow + "OPTIONS";
}

namespace detail {

constexpr bool is_well_formed(const operation_row& row) noexcept {
  if (row.path.empty()) return row.id == operation::unmatched;
  return row.path.starts_with('/') && (row.path == "/" || !row.path.ends_with('/')) &&
         row.path.find("//") == row.path.npos &&
         std::count(row.path.begin(), row.path.end(), '/') <=
             static_cast<std::ptrdiff_t>(path_segment_limit) &&
         std::count(row.path.begin(), row.path.end(), '{') <=
             static_cast<std::ptrdiff_t>(path_parameter_limit) &&
         (!row.names_game || row.path.find('{') == row.path.find(game_parameter)) &&
         (row.method == method::get || row.method == method::post || row.method == method::put ||
          row.method == method::del) &&
         (row.method == method::post || row.method == method::put) ==
             (row.body != body_kind::none) &&
         (row.body_limit_bytes == 0) == row.body_advice.empty() &&
         (row.cors == cors_policy::none) == row.page_headers.empty() &&
         (row.cors == cors_policy::none || row.method == method::get ||
          row.method == method::post) &&
         row.allowed.is_empty() == (row.anonymous == anonymous_access::yes);
}

constexpr bool are_distinct(const operation_row& a, const operation_row& b) noexcept {
  return a.name != b.name && (a.plane != b.plane || a.path != b.path || a.method != b.method) &&
         (a.load_name.empty() || a.load_name != b.load_name);
}

constexpr bool are_all_distinct() noexcept {
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!are_distinct(operations[i], operations[j])) return false;
  return true;
}

} // namespace detail

static_assert(
    std::all_of(operations.begin(), operations.end(), detail::is_well_formed),
    "a path begins with one slash and has no empty segment; the method is GET, POST, PUT or "
    "DELETE, and POST and PUT have a body; a game is the first parameter; a body limit has its "
    "advice, a CORS policy its "
    "headers and the method GET or POST; an operation that is not for everybody says for which "
    "tokens it "
    "is");
static_assert(detail::are_all_distinct(),
              "names and load names are each used once, and so is each method at a path");

} // namespace matchcloud::http
