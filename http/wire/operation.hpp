#pragma once

#include "base/limits.hpp"
#include "http/wire/request.hpp"
#include "model/access/token_kind.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The operation that a request asks for.
enum class operation : std::uint8_t {
  validate_version,
  validate_game,
  validate_group,
  list_regions,
  ping,
  list_avatars,
  export_lobby_history,
  download_media,
  download_export,
  get_openapi,
  get_health,
  get_readiness,
  get_metrics,
  list_actors,
  watch_status,
  ingest_lobbies,
  list_tokens,
  create_token,
  get_token,
  revoke_token,
  rotate_token,
  list_audit,
  validate_payload,
  get_schema,
  get_ranking,
  list_places,
  list_traces,
  list_exports,
  list_game_avatars,
  get_image,
  survey_lobbies,
  list_running_lobbies,
  start_export,
  download_own_export,
  list_elements,
  get_element,
  put_element,
  remove_element,
  list_faults,
  clear_faults,
  get_fault,
  put_fault,
  clear_fault,
  get_ops_openapi,
  get_data_openapi,
  get_console,
  get_reference,
  get_console_file,
  /// No route matched, or the bytes never became a request.
  unmatched,
};

/// The two services of a process, each with listeners and an event loop or more of its own.
enum class plane : std::uint8_t {
  /// What game clients and studios ask for.
  data,
  /// Health, metrics and administration, for operators.
  ops,
};

/// Which web pages may read an operation's replies (Fetch standard, "CORS protocol").
enum class cors_policy : std::uint8_t {
  none,
  /// Pages of the origins in `cors-origins`.
  configured_origins,
  any_origin,
  /// Pages of any origin; a preflight gets the CORS headers even without `Origin`.
  anybody,
};

enum class body_kind : std::uint8_t {
  none,
  /// A JSON document, collected in memory before an actor gets it.
  json,
  /// JSON Lines, passed on to the owner in parts while they arrive.
  json_lines,
};

/// What a refusal costs the client. When requests pile up, cheap operations are refused first.
enum class cost_class : std::uint8_t {
  /// Answered in microseconds, and easily repeated by the client.
  cheap,
  expensive,
};
inline constexpr std::array<std::string_view, 2> cost_class_names{"cheap", "expensive"};

/// Who may call an operation without a token, where tokens are required.
enum class anonymous_access : std::uint8_t {
  no,
  /// With `anonymous-regions`.
  configured,
  /// Always: it shows nothing, or only to who knows an unguessable name or signature.
  yes,
};

/// Everything about an operation except the code that performs it.
struct operation_row {
  operation id = operation::unmatched;
  /// The name in metrics and logs.
  std::string_view name;
  /// The name in the load tool's mixes; empty where that tool does not generate this operation.
  std::string_view load_name = {};
  http::plane plane = plane::data;
  /// GET stands for HEAD, too. Several operations may share a path, each with a method of its own;
  /// OPTIONS is allowed on every path.
  http::method method = method::get;
  /// The path below the base path; `{name}` is a parameter of one segment. Empty: no route. Where
  /// two paths match, the first row's counts.
  std::string_view path = {};
  cors_policy cors = cors_policy::none;
  /// Complete header lines of the response to a preflight from a page that may read the replies.
  std::string_view preflight = {};
  body_kind body = body_kind::none;
  /// 0: the configured limit (`body-limit-bytes`).
  std::uint64_t body_limit_bytes = 0;
  /// What to send instead; the last sentence of the refusal of a body over `body_limit_bytes`.
  std::string_view body_advice = {};
  /// The limit on the time from the complete request to its answer.
  std::chrono::milliseconds base::limits::*deadline = &base::limits::request_timeout;
  cost_class cost = cost_class::expensive;
  /// The kinds of tokens that may call it, each only for its own game or namespace.
  model::token_kinds allowed = {};
  anonymous_access anonymous = anonymous_access::no;
  /// Whether, with `auth = open`, pages of other origins are kept away: it reads or changes what is
  /// the game's own. See `check_local_caller`.
  bool is_about_game = false;
  /// Whether, with `auth = required`, even a request from the machine itself needs a token.
  bool needs_token_on_loopback = false;
  /// Whether performing the operation twice has the same effect as once. If not, a request that an
  /// actor may have begun before it died gets 504 `outcome_unknown` and is not dispatched again.
  bool is_repeatable = true;
};

/// The most parameters in the path of an operation.
inline constexpr std::size_t path_parameter_limit = 2;
/// The most segments in the path of an operation.
inline constexpr std::size_t path_segment_limit = 6;

namespace detail {

using model::token_kind;

inline constexpr model::token_kinds administrators{token_kind::admin};
inline constexpr model::token_kinds observers{token_kind::admin, token_kind::viewer};

} // namespace detail

/// All operations, in the order of `operation`. "Add an operation" in docs/architecture.md lists
/// what a new row needs.
inline constexpr std::array operations{
    operation_row{.id = operation::validate_version,
                  .name = "validate_version",
                  .load_name = "versions.validate",
                  .method = method::post,
                  .path = "/cloud/games/{game_id}/versions/validate",
                  .body = body_kind::json,
                  .cost = cost_class::cheap,
                  .allowed = {model::token_kind::game}},
    operation_row{.id = operation::validate_game,
                  .name = "validate_game",
                  .load_name = "games.validate",
                  .method = method::post,
                  .path = "/cloud/games/validate",
                  .body = body_kind::json,
                  .cost = cost_class::cheap,
                  .allowed = {model::token_kind::studio}},
    operation_row{.id = operation::validate_group,
                  .name = "validate_group",
                  .load_name = "groups.validate",
                  .method = method::post,
                  .path = "/cloud/groups/validate",
                  .body = body_kind::json,
                  .cost = cost_class::cheap,
                  .allowed = {model::token_kind::studio}},
    operation_row{.id = operation::list_regions,
                  .name = "list_regions",
                  .load_name = "regions",
                  .path = "/matchmaker/regions",
                  .cors = cors_policy::configured_origins,
                  .preflight = "Access-Control-Allow-Methods: GET, HEAD\r\n"
                               "Access-Control-Allow-Headers: Authorization, If-None-Match, "
                               "X-Request-Id\r\n"
                               "Access-Control-Max-Age: 86400\r\n",
                  .cost = cost_class::cheap,
                  .allowed = {model::token_kind::player},
                  .anonymous = anonymous_access::configured},
    operation_row{.id = operation::ping,
                  .name = "ping",
                  .path = "/ping",
                  .cors = cors_policy::anybody,
                  .preflight = "Access-Control-Allow-Origin: *\r\n"
                               "Access-Control-Allow-Methods: GET, HEAD\r\n"
                               "Access-Control-Allow-Headers: *\r\n"
                               "Access-Control-Max-Age: 86400\r\n",
                  .cost = cost_class::cheap,
                  .allowed = {model::token_kind::player},
                  .anonymous = anonymous_access::configured},
    operation_row{.id = operation::list_avatars,
                  .name = "list_avatars",
                  .load_name = "avatars",
                  .path = "/cloud/games/{game_id}/avatars",
                  .allowed = {model::token_kind::game},
                  .is_about_game = true},
    operation_row{.id = operation::export_lobby_history,
                  .name = "export_lobby_history",
                  .load_name = "export",
                  .method = method::post,
                  .path = "/cloud/games/{game_id}/matchmaker/lobbies/export-history",
                  .body = body_kind::json,
                  // The body holds two numbers and stays in memory while the export runs.
                  .body_limit_bytes = 16UL * 1024,
                  .body_advice = "Send query_start and query_end alone.",
                  .deadline = &base::limits::export_timeout,
                  .allowed = {model::token_kind::game},
                  .is_about_game = true},
    operation_row{.id = operation::download_media,
                  .name = "download_media",
                  .path = "/media/avatars/{upload_id}/{file_name}",
                  .cors = cors_policy::any_origin,
                  .preflight = "Access-Control-Allow-Origin: *\r\n"
                               "Access-Control-Allow-Methods: GET, HEAD\r\n"
                               "Access-Control-Allow-Headers: If-Match, If-None-Match, If-Range, "
                               "Range, X-Request-Id\r\n"
                               "Access-Control-Max-Age: 86400\r\n",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::download_export,
                  .name = "download_export",
                  .path = "/exports/{export_id}/lobby-history.csv",
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_openapi,
                  .name = "get_openapi",
                  .path = "/openapi.json",
                  .cors = cors_policy::any_origin,
                  .preflight = "Access-Control-Allow-Origin: *\r\n"
                               "Access-Control-Allow-Methods: GET, HEAD\r\n"
                               "Access-Control-Allow-Headers: If-None-Match, X-Request-Id\r\n"
                               "Access-Control-Max-Age: 86400\r\n",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_health,
                  .name = "get_health",
                  .plane = plane::ops,
                  .path = "/healthz",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_readiness,
                  .name = "get_readiness",
                  .plane = plane::ops,
                  .path = "/readyz",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_metrics,
                  .name = "get_metrics",
                  .plane = plane::ops,
                  .path = "/metrics",
                  .allowed = {model::token_kind::admin, model::token_kind::viewer,
                              model::token_kind::metrics}},
    operation_row{.id = operation::list_actors,
                  .name = "list_actors",
                  .plane = plane::ops,
                  .path = "/actors",
                  .allowed = detail::observers},
    operation_row{.id = operation::watch_status,
                  .name = "watch_status",
                  .plane = plane::ops,
                  .path = "/events",
                  .allowed = detail::observers},
    operation_row{.id = operation::ingest_lobbies,
                  .name = "ingest_lobbies",
                  .plane = plane::ops,
                  .method = method::post,
                  .path = "/v1/lobbies",
                  .body = body_kind::json_lines,
                  .body_limit_bytes = 4UL * 1024 * 1024 * 1024,
                  .body_advice = "Send the rest in another request.",
                  .deadline = &base::limits::ingest_timeout,
                  .allowed = detail::administrators},
    operation_row{.id = operation::list_tokens,
                  .name = "list_tokens",
                  .plane = plane::ops,
                  .path = "/v1/tokens",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true},
    operation_row{.id = operation::create_token,
                  .name = "create_token",
                  .plane = plane::ops,
                  .method = method::post,
                  .path = "/v1/tokens",
                  .body = body_kind::json,
                  .body_limit_bytes = 4UL * 1024,
                  .body_advice = "A token has a few short members.",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true,
                  .is_repeatable = false},
    operation_row{.id = operation::get_token,
                  .name = "get_token",
                  .plane = plane::ops,
                  .path = "/v1/tokens/{token_id}",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true},
    operation_row{.id = operation::revoke_token,
                  .name = "revoke_token",
                  .plane = plane::ops,
                  .method = method::del,
                  .path = "/v1/tokens/{token_id}",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true,
                  .is_repeatable = false},
    operation_row{.id = operation::rotate_token,
                  .name = "rotate_token",
                  .plane = plane::ops,
                  .method = method::post,
                  .path = "/v1/tokens/{token_id}/rotate",
                  .body = body_kind::json,
                  .body_limit_bytes = 4UL * 1024,
                  .body_advice = "A token has a few short members.",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true,
                  .is_repeatable = false},
    operation_row{.id = operation::list_audit,
                  .name = "list_audit",
                  .plane = plane::ops,
                  .path = "/v1/audit",
                  .allowed = detail::administrators,
                  .needs_token_on_loopback = true},
    operation_row{.id = operation::validate_payload,
                  .name = "validate_payload",
                  .plane = plane::ops,
                  .method = method::post,
                  .path = "/v1/validate/{payload}",
                  .body = body_kind::json,
                  .allowed = detail::observers},
    operation_row{.id = operation::get_schema,
                  .name = "get_schema",
                  .plane = plane::ops,
                  .path = "/v1/schema/{payload}",
                  .allowed = detail::observers},
    operation_row{.id = operation::get_ranking,
                  .name = "get_ranking",
                  .plane = plane::ops,
                  .path = "/v1/ranking",
                  .allowed = detail::observers},
    operation_row{.id = operation::list_places,
                  .name = "list_places",
                  .plane = plane::ops,
                  .path = "/v1/places",
                  .allowed = detail::observers},
    operation_row{.id = operation::list_traces,
                  .name = "list_traces",
                  .plane = plane::ops,
                  .path = "/v1/traces",
                  .allowed = detail::observers},
    operation_row{.id = operation::list_exports,
                  .name = "list_exports",
                  .plane = plane::ops,
                  .path = "/v1/exports",
                  .allowed = detail::observers},
    operation_row{.id = operation::list_game_avatars,
                  .name = "list_game_avatars",
                  .plane = plane::ops,
                  .path = "/v1/games/{game_id}/avatars",
                  .allowed = detail::observers},
    operation_row{.id = operation::get_image,
                  .name = "get_image",
                  .plane = plane::ops,
                  .path = "/v1/images/{upload_id}/{file_name}",
                  .allowed = detail::observers},
    operation_row{.id = operation::survey_lobbies,
                  .name = "survey_lobbies",
                  .plane = plane::ops,
                  .path = "/v1/games/{game_id}/lobbies",
                  .deadline = &base::limits::export_timeout,
                  .allowed = detail::observers},
    operation_row{.id = operation::list_running_lobbies,
                  .name = "list_running_lobbies",
                  .plane = plane::ops,
                  .path = "/v1/games/{game_id}/lobbies/running",
                  .deadline = &base::limits::export_timeout,
                  .allowed = detail::observers},
    operation_row{.id = operation::start_export,
                  .name = "start_export",
                  .plane = plane::ops,
                  .method = method::post,
                  .path = "/v1/games/{game_id}/exports",
                  .body = body_kind::json,
                  .body_limit_bytes = 16UL * 1024,
                  .body_advice = "Send query_start and query_end alone.",
                  .deadline = &base::limits::export_timeout,
                  .allowed = detail::observers},
    operation_row{.id = operation::download_own_export,
                  .name = "download_own_export",
                  .plane = plane::ops,
                  .path = "/exports/{export_id}/lobby-history.csv",
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::list_elements,
                  .name = "list_elements",
                  .plane = plane::ops,
                  .path = "/v1/{kind}",
                  .allowed = detail::observers},
    operation_row{.id = operation::get_element,
                  .name = "get_element",
                  .plane = plane::ops,
                  .path = "/v1/{kind}/{id}",
                  .allowed = detail::observers},
    operation_row{.id = operation::put_element,
                  .name = "put_element",
                  .plane = plane::ops,
                  .method = method::put,
                  .path = "/v1/{kind}/{id}",
                  .body = body_kind::json,
                  .body_limit_bytes = 64UL * 1024,
                  .body_advice = "Send each element in a request of its own.",
                  .allowed = detail::administrators,
                  .is_repeatable = false},
    operation_row{.id = operation::remove_element,
                  .name = "remove_element",
                  .plane = plane::ops,
                  .method = method::del,
                  .path = "/v1/{kind}/{id}",
                  .allowed = detail::administrators,
                  .is_repeatable = false},
    operation_row{.id = operation::list_faults,
                  .name = "list_faults",
                  .plane = plane::ops,
                  .path = "/faults",
                  .allowed = detail::observers},
    operation_row{.id = operation::clear_faults,
                  .name = "clear_faults",
                  .plane = plane::ops,
                  .method = method::del,
                  .path = "/faults",
                  .allowed = detail::administrators},
    operation_row{.id = operation::get_fault,
                  .name = "get_fault",
                  .plane = plane::ops,
                  .path = "/faults/{point}",
                  .allowed = detail::observers},
    operation_row{.id = operation::put_fault,
                  .name = "put_fault",
                  .plane = plane::ops,
                  .method = method::put,
                  .path = "/faults/{point}",
                  .body = body_kind::json,
                  .body_limit_bytes = 4UL * 1024,
                  .body_advice = "A rule has a few short members.",
                  .allowed = detail::administrators},
    operation_row{.id = operation::clear_fault,
                  .name = "clear_fault",
                  .plane = plane::ops,
                  .method = method::del,
                  .path = "/faults/{point}",
                  .allowed = detail::administrators},
    operation_row{.id = operation::get_ops_openapi,
                  .name = "get_ops_openapi",
                  .plane = plane::ops,
                  .path = "/openapi.json",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_data_openapi,
                  .name = "get_data_openapi",
                  .plane = plane::ops,
                  .path = "/data/openapi.json",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_console,
                  .name = "get_console",
                  .plane = plane::ops,
                  .path = "/",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_reference,
                  .name = "get_reference",
                  .plane = plane::ops,
                  .path = "/docs",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::get_console_file,
                  .name = "get_console_file",
                  .plane = plane::ops,
                  .path = "/assets/{asset}",
                  .cost = cost_class::cheap,
                  .anonymous = anonymous_access::yes},
    operation_row{.id = operation::unmatched, .name = "unmatched"}};
inline constexpr std::size_t operation_count = operations.size();

constexpr const operation_row& row_of(operation which) noexcept {
  return operations[static_cast<std::size_t>(which)];
}

constexpr bool allows(const operation_row& row, method wanted) noexcept {
  return wanted == row.method || wanted == method::options ||
         (wanted == method::head && row.method == method::get);
}

/// The operation at the path of `row` that has the method `wanted`; for OPTIONS the first one.
/// Null: none has.
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
         (row.method == method::get || row.method == method::post || row.method == method::put ||
          row.method == method::del) &&
         (row.method == method::post || row.method == method::put) ==
             (row.body != body_kind::none) &&
         (row.body_limit_bytes == 0) == row.body_advice.empty() &&
         (row.cors == cors_policy::none) == row.preflight.empty() &&
         row.allowed.is_empty() == (row.anonymous == anonymous_access::yes);
}

constexpr bool are_distinct(const operation_row& a, const operation_row& b) noexcept {
  return a.name != b.name && (a.plane != b.plane || a.path != b.path || a.method != b.method) &&
         (a.load_name.empty() || a.load_name != b.load_name);
}

/// Whether each row is at the index of its operation.
constexpr bool are_in_order() noexcept {
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (static_cast<std::size_t>(operations[i].id) != i || operations[i].name.empty()) return false;
  return operations.back().id == operation::unmatched;
}

constexpr bool are_all_distinct() noexcept {
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!are_distinct(operations[i], operations[j])) return false;
  return true;
}

} // namespace detail

static_assert(detail::are_in_order(), "each operation has a row with a name, in the order of the "
                                      "enumerators; `unmatched` is the last");
static_assert(
    std::all_of(operations.begin(), operations.end(), detail::is_well_formed),
    "a path begins with one slash and has no empty segment; the method is GET, POST, PUT or "
    "DELETE, and POST and PUT have a body; a body limit has its advice, a CORS policy its "
    "preflight; an operation that is not for everybody says for which tokens it is");
static_assert(detail::are_all_distinct(),
              "names and load names are each used once, and so is each method at a path");

} // namespace matchcloud::http
