#pragma once

#include "http/operations/operation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Whether `text` is the plural of a kind of elements, as paths write it.
bool is_element_kind(std::string_view text) noexcept;
/// Whether `text` names a kind of payload, as paths write it.
bool is_payload_kind(std::string_view text) noexcept;

/// The rows of all operations, by family. The source of a family has the operations' code and
/// reference.
namespace rows {

// Validation of payloads, for clients of the data plane and for operators.

constexpr operation_row validate_at(std::string_view path, token_kind allowed) noexcept {
  return {.method = method::post,
          .path = path,
          .body = body_kind::json,
          .cost = cost_class::cheap,
          .allowed = {allowed}};
}
inline constexpr auto validate_version =
    validate_at("/cloud/games/{game_id}/versions/validate", token_kind::game);
inline constexpr auto validate_game = validate_at("/cloud/games/validate", token_kind::studio);
inline constexpr auto validate_group = validate_at("/cloud/groups/validate", token_kind::studio);

inline constexpr operation_row validate_payload{.plane = plane::ops,
                                                .method = method::post,
                                                .path = "/v1/validate/{payload}",
                                                .names_something = is_payload_kind,
                                                .body = body_kind::json,
                                                .allowed = observers};

inline constexpr operation_row get_schema{.plane = plane::ops,
                                          .path = "/v1/schema/{payload}",
                                          .names_something = is_payload_kind,
                                          .allowed = observers};

// Listings of regions, pings for measuring them, and explanations of listings.

inline constexpr operation_row list_regions{
    .path = "/matchmaker/regions",
    .cors = cors_policy::configured_origins,
    .page_headers = "Authorization, If-Match, If-None-Match",
    .cost = cost_class::cheap,
    // With any token: clients with a token can call all that clients without one can.
    .allowed = any_token,
    .anonymous = anonymous_access::configured};

inline constexpr operation_row ping{.path = "/ping",
                                    .cors = cors_policy::anybody,
                                    // A star stands for all but this one (Fetch standard, "CORS
                                    // non-wildcard request-header name").
                                    .page_headers = "*, Authorization",
                                    .cost = cost_class::cheap,
                                    .allowed = any_token,
                                    .anonymous = anonymous_access::configured};

inline constexpr auto get_ranking = report_at("/v1/ranking");

// Regions for several players together.

inline constexpr operation_row rank_group{
    .method = method::post,
    .path = "/matchmaker/regions/group",
    .cors = cors_policy::configured_origins,
    .page_headers = "Authorization, Content-Type",
    .body = body_kind::json,
    // 64 players with a kilobyte each: enough for an address, an id and 60 latencies.
    .body_limit_bytes = 64UL * 1024,
    .body_advice = "Send at most 64 players, and of each only the lowest latencies.",
    // It takes as much work as one listing per player.
    .cost = cost_class::expensive,
    .allowed = any_token,
    .anonymous = anonymous_access::configured};

// Latencies that players measure, so that others get the region that is fastest for them.

inline constexpr operation_row report_latencies{.method = method::post,
                                                .path = "/matchmaker/latencies",
                                                .cors = cors_policy::configured_origins,
                                                .page_headers = "Authorization, Content-Type",
                                                .body = body_kind::json,
                                                .body_limit_bytes = 16UL * 1024,
                                                .body_advice =
                                                    "Report the nearest regions, at most 256.",
                                                .cost = cost_class::cheap,
                                                .allowed = any_token,
                                                .anonymous = anonymous_access::configured};

// Lists of avatars and their images.

inline constexpr operation_row list_avatars{
    .path = "/cloud/games/{game_id}/avatars", .allowed = {token_kind::game}, .is_about_game = true};

inline constexpr auto list_game_avatars = report_at("/v1/games/{game_id}/avatars");

inline constexpr operation_row download_media{.path = "/media/avatars/{upload_id}/{file_name}",
                                              .cors = cors_policy::any_origin,
                                              .page_headers =
                                                  "If-Match, If-None-Match, If-Range, Range",
                                              .cost = cost_class::cheap,
                                              .anonymous = anonymous_access::yes};

inline constexpr auto get_image = report_at("/v1/images/{upload_id}/{file_name}");

// Exports of lobby history and their files.

inline constexpr auto export_lobby_history = export_at(
    plane::data, "/cloud/games/{game_id}/matchmaker/lobbies/export-history", {token_kind::game});
inline constexpr auto start_export =
    export_at(plane::ops, "/v1/games/{game_id}/exports", observers);

inline constexpr auto list_exports = report_at("/v1/exports");

constexpr operation_row download_at(plane of) noexcept {
  return {.plane = of,
          .path = "/exports/{export_id}/lobby-history.csv",
          .anonymous = anonymous_access::yes,
          .hides_query = true};
}
inline constexpr auto download_export = download_at(plane::data);
inline constexpr auto download_own_export = download_at(plane::ops);

// The OpenAPI documents, and the pages of the console with their files.

inline constexpr operation_row get_openapi{.path = "/openapi.json",
                                           .cors = cors_policy::any_origin,
                                           .page_headers = "If-None-Match",
                                           .cost = cost_class::cheap,
                                           .anonymous = anonymous_access::yes};

inline constexpr auto get_ops_openapi = page_at("/openapi.json");
inline constexpr auto get_data_openapi = page_at("/data/openapi.json");
inline constexpr auto get_console = page_at("/");
inline constexpr auto get_reference = page_at("/docs");
inline constexpr auto get_console_file = page_at("/assets/{asset}");

// Whether the process lives and serves, and what it is.

constexpr operation_row health_at(std::string_view path) noexcept {
  auto row = page_at(path);
  row.is_health_check = true;
  return row;
}
inline constexpr auto get_health = health_at("/healthz");
inline constexpr auto get_readiness = health_at("/readyz");

inline constexpr auto get_version = report_at("/v1/version", cost_class::cheap);

// Reports about the running process.

inline constexpr operation_row get_metrics{
    .plane = plane::ops,
    .path = "/metrics",
    .allowed = {token_kind::admin, token_kind::viewer, token_kind::metrics}};

inline constexpr auto list_actors = report_at("/actors");
inline constexpr auto watch_status = report_at("/events");
inline constexpr auto list_places = report_at("/v1/places");

// The history of the process, what needs attention, and the requests that it kept.

inline constexpr auto get_history = report_at("/v1/history");
inline constexpr auto get_attention = report_at("/v1/attention");
inline constexpr auto list_replicas = report_at("/v1/replicas");
inline constexpr auto list_traces = report_at("/v1/traces");

// The configuration of the service.

inline constexpr auto get_config = report_at("/v1/config", cost_class::cheap);
inline constexpr auto get_log_levels = report_at("/v1/log-levels", cost_class::cheap);

inline constexpr operation_row put_log_levels{.plane = plane::ops,
                                              .method = method::put,
                                              .path = "/v1/log-levels",
                                              .body = body_kind::json,
                                              .takes_any_type = true,
                                              .body_limit_bytes = 4UL * 1024,
                                              .body_advice = "It has a member for each subject.",
                                              .allowed = administrators};

// Reports of lobbies, and what is known of them.

inline constexpr operation_row ingest_lobbies{.plane = plane::ops,
                                              .method = method::post,
                                              .path = "/v1/lobbies",
                                              .body = body_kind::json_lines,
                                              .body_limit_bytes = 4UL * 1024 * 1024 * 1024,
                                              .body_advice = "Send the rest in another request.",
                                              .deadline = &http::limits::ingest_timeout,
                                              .allowed = administrators};

constexpr operation_row survey_at(std::string_view path) noexcept {
  auto row = report_at(path);
  row.deadline = &http::limits::export_timeout;
  return row;
}
inline constexpr auto survey_lobbies = survey_at("/v1/games/{game_id}/lobbies");
inline constexpr auto list_running_lobbies = survey_at("/v1/games/{game_id}/lobbies/running");
inline constexpr auto get_lobby = survey_at("/v1/games/{game_id}/lobbies/{lobby_id}");

// Administration of tokens, and the audit log.

constexpr operation_row token_at(method of, std::string_view path) noexcept {
  auto row = administration_at(of, path, 4UL * 1024, "A token has a few short members.");
  row.allowed = administrators;
  row.needs_token_on_loopback = true;
  return row;
}
inline constexpr auto list_tokens = token_at(method::get, "/v1/tokens");
inline constexpr auto create_token = token_at(method::post, "/v1/tokens");
inline constexpr auto get_token = token_at(method::get, "/v1/tokens/{token_id}");
inline constexpr auto revoke_token = token_at(method::del, "/v1/tokens/{token_id}");
inline constexpr auto rotate_token = token_at(method::post, "/v1/tokens/{token_id}/rotate");
inline constexpr auto list_audit = token_at(method::get, "/v1/audit");

// How long data is kept, and how it is erased.

inline constexpr operation_row erase_game{.plane = plane::ops,
                                          .method = method::del,
                                          .path = "/v1/games/{game_id}/everything",
                                          .allowed = administrators};

inline constexpr auto list_erasures = report_at("/v1/erasures");

inline constexpr auto remove_avatar =
    administration_at(method::del, "/v1/games/{game_id}/avatars/{upload_id}");

inline constexpr auto list_retention = report_at("/v1/retention");

// Administration of the catalog.

constexpr operation_row element_at(method of, std::string_view path) noexcept {
  auto row = administration_at(of, path, 64UL * 1024, "Send each element in a request of its own.");
  row.names_something = is_element_kind;
  return row;
}
inline constexpr auto list_elements = element_at(method::get, "/v1/{kind}");
inline constexpr auto get_element = element_at(method::get, "/v1/{kind}/{id}");
inline constexpr auto put_element = element_at(method::put, "/v1/{kind}/{id}");
inline constexpr auto remove_element = element_at(method::del, "/v1/{kind}/{id}");

// Injected faults.

constexpr operation_row fault_at(method of, std::string_view path) noexcept {
  auto row = administration_at(of, path, 4UL * 1024, "A rule has a few short members.");
  row.needs_fault_injection = true;
  row.takes_any_type = of == method::put;
  row.is_repeatable = true;
  return row;
}
inline constexpr auto list_faults = fault_at(method::get, "/faults");
inline constexpr auto clear_faults = fault_at(method::del, "/faults");
inline constexpr auto get_fault = fault_at(method::get, "/faults/{point}");
inline constexpr auto put_fault = fault_at(method::put, "/faults/{point}");
inline constexpr auto clear_fault = fault_at(method::del, "/faults/{point}");

} // namespace rows

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
  return a.name != b.name && (a.plane != b.plane || a.path != b.path || a.method != b.method);
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
