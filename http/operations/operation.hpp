#pragma once

#include "http/limits/limits.hpp"
#include "http/wire/request.hpp"
#include "model/access/token_kind.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::http {

/// All operations, one line each. If two paths match, the first operation counts. Each has a row of
/// that name in list.hpp, and its reference and its code in the source of its family.
#define MATCHCLOUD_OPERATIONS(X)                                                                   \
  X(validate_version)                                                                              \
  X(validate_game)                                                                                 \
  X(validate_group)                                                                                \
  X(list_regions)                                                                                  \
  X(rank_group)                                                                                    \
  X(report_latencies)                                                                              \
  X(ping)                                                                                          \
  X(list_avatars)                                                                                  \
  X(export_lobby_history)                                                                          \
  X(download_media)                                                                                \
  X(download_export)                                                                               \
  X(get_openapi)                                                                                   \
  X(get_health)                                                                                    \
  X(get_readiness)                                                                                 \
  X(get_metrics)                                                                                   \
  X(list_actors)                                                                                   \
  X(watch_status)                                                                                  \
  X(ingest_lobbies)                                                                                \
  X(list_tokens)                                                                                   \
  X(create_token)                                                                                  \
  X(get_token)                                                                                     \
  X(revoke_token)                                                                                  \
  X(rotate_token)                                                                                  \
  X(list_audit)                                                                                    \
  X(get_version)                                                                                   \
  X(get_config)                                                                                    \
  X(get_log_levels)                                                                                \
  X(put_log_levels)                                                                                \
  X(validate_payload)                                                                              \
  X(get_schema)                                                                                    \
  X(get_ranking)                                                                                   \
  X(list_places)                                                                                   \
  X(list_traces)                                                                                   \
  X(get_history)                                                                                   \
  X(get_attention)                                                                                 \
  X(list_replicas)                                                                                 \
  X(list_exports)                                                                                  \
  X(list_game_avatars)                                                                             \
  X(get_image)                                                                                     \
  X(survey_lobbies)                                                                                \
  X(list_running_lobbies)                                                                          \
  X(get_lobby)                                                                                     \
  X(start_export)                                                                                  \
  X(download_own_export)                                                                           \
  X(erase_game)                                                                                    \
  X(list_erasures)                                                                                 \
  X(remove_avatar)                                                                                 \
  X(list_retention)                                                                                \
  X(list_elements)                                                                                 \
  X(get_element)                                                                                   \
  X(put_element)                                                                                   \
  X(remove_element)                                                                                \
  X(list_faults)                                                                                   \
  X(clear_faults)                                                                                  \
  X(get_fault)                                                                                     \
  X(put_fault)                                                                                     \
  X(clear_fault)                                                                                   \
  X(get_ops_openapi)                                                                               \
  X(get_data_openapi)                                                                              \
  X(get_console)                                                                                   \
  X(get_reference)                                                                                 \
  X(get_console_file)

/// The operation that a request calls.
enum class operation : std::uint8_t {
#define MATCHCLOUD_NAME(name) name,
  MATCHCLOUD_OPERATIONS(MATCHCLOUD_NAME)
#undef MATCHCLOUD_NAME
  /// No route matched, or the bytes never became a request.
  unmatched,
};

/// The two services of a process, each with its own listeners and one or more event loops.
enum class plane : std::uint8_t {
  /// The operations for game clients and studios.
  data,
  /// Health, metrics and administration, for operators.
  ops,
};
inline constexpr std::array<std::string_view, 2> plane_names{"data", "ops"};

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
  /// Always: it shows nothing, or only to clients with an unguessable name or signature.
  yes,
};

/// Everything about an operation except the code that performs it.
struct operation_row {
  /// The list sets these three. Metrics and logs use the name.
  operation id = operation::unmatched;
  std::string_view name = {};
  /// Whether the operation is about one game: the first parameter of its path, `{game_id}`.
  bool names_game = false;
  http::plane plane = plane::data;
  /// GET includes HEAD. Several operations may share a path, each with a method of its own. OPTIONS
  /// is allowed on every path.
  http::method method = method::get;
  /// The path below the base path; `{name}` is a parameter of one segment. Empty: no route. If two
  /// paths match, the first row counts.
  std::string_view path = {};
  /// Whether the first parameter of the path names something; if not, the path does not exist.
  /// Null: any text does.
  bool (*names_something)(std::string_view parameter) = nullptr;
  /// Whether the operation exists only where faults may be injected.
  bool needs_fault_injection = false;
  cors_policy cors = cors_policy::none;
  /// The names of request headers that pages may send (`Access-Control-Allow-Headers`), separated
  /// by `, `, in addition to those of tracing and of `cors-headers`.
  std::string_view page_headers = {};
  body_kind body = body_kind::none;
  /// Whether the body's media type is ignored, because people type such bodies by hand and curl
  /// labels them as forms.
  bool takes_any_type = false;
  /// 0: the configured limit (`body-limit-bytes`).
  std::uint64_t body_limit_bytes = 0;
  /// What to send instead; the last sentence of the refusal of a body over `body_limit_bytes`.
  std::string_view body_advice = {};
  /// The limit on the time from the complete request to its answer.
  std::chrono::milliseconds http::limits::*deadline = &http::limits::request_timeout;
  /// The problem's detail if the deadline passes; empty: the common one.
  std::string_view late_advice = {};
  cost_class cost = cost_class::expensive;
  /// The kinds of tokens that may call it, each only for its own game or namespace.
  model::token_kinds allowed = {};
  anonymous_access anonymous = anonymous_access::no;
  /// Whether, with `auth = open`, pages of other origins are kept out, because the operation reads
  /// or changes a game's own data. See `check_local_caller`.
  bool is_about_game = false;
  /// Whether HTTP/1.0 health checks, which send no Host, may call it. Others need a Host.
  bool is_health_check = false;
  /// Whether, with `auth = required`, even a request from the machine itself needs a token.
  bool needs_token_on_loopback = false;
  /// Whether the query of its URLs may be secret, such as a signature. It is never logged.
  bool hides_query = false;
  /// Whether performing the operation twice has the same effect as once. If not, a request that an
  /// actor may have begun before it died gets 504 `outcome_unknown` and is not dispatched again.
  bool is_repeatable = true;
};

/// The most parameters in the path of an operation.
inline constexpr std::size_t path_parameter_limit = 2;
/// The most segments in the path of an operation.
inline constexpr std::size_t path_segment_limit = 6;

using model::token_kind;

inline constexpr model::token_kinds any_token{token_kind::admin,   token_kind::viewer,
                                              token_kind::metrics, token_kind::game,
                                              token_kind::studio,  token_kind::player};
/// Whether tokens of every kind are in the set.
constexpr bool has_all(const model::token_kinds& kinds) noexcept {
  for (std::size_t i = 0; i < model::token_kind_names.size(); ++i)
    if (!kinds.has(static_cast<token_kind>(i))) return false;
  return true;
}
static_assert(has_all(any_token));
inline constexpr model::token_kinds administrators{token_kind::admin};
inline constexpr model::token_kinds observers{token_kind::admin, token_kind::viewer};

/// The row of an operation that only reads, for operators.
constexpr operation_row report_at(std::string_view path,
                                  cost_class cost = cost_class::expensive) noexcept {
  return {.plane = plane::ops, .path = path, .cost = cost, .allowed = observers};
}

/// The row of a page or a document of the ops plane without secrets.
constexpr operation_row page_at(std::string_view path) noexcept {
  return {.plane = plane::ops,
          .path = path,
          .cost = cost_class::cheap,
          .anonymous = anonymous_access::yes};
}

/// The row of an operation that reads (GET), for operators, or changes something, for
/// administrators. `body_limit_bytes` and `body_advice` are those of a body that it has.
constexpr operation_row administration_at(method of, std::string_view path,
                                          std::uint64_t body_limit_bytes = 0,
                                          std::string_view body_advice = {}) noexcept {
  auto row = report_at(path);
  row.method = of;
  if (of != method::get) row.allowed = administrators;
  row.is_repeatable = of == method::get;
  if (of != method::post && of != method::put) return row;
  row.body = body_kind::json;
  row.body_limit_bytes = body_limit_bytes;
  row.body_advice = body_advice;
  return row;
}

/// The row of an operation that exports the history of a game.
constexpr operation_row export_at(plane of, std::string_view path,
                                  model::token_kinds allowed) noexcept {
  return {.plane = of,
          .method = method::post,
          .path = path,
          .body = body_kind::json,
          // The body holds two numbers and stays in memory while the export runs.
          .body_limit_bytes = 16UL * 1024,
          .body_advice = "Send query_start and query_end alone.",
          .deadline = &http::limits::export_timeout,
          .late_advice = "The export was not complete within its time limit. Repeat the request to "
                         "join it if it is still running, or request a shorter span.",
          .allowed = allowed,
          .is_about_game = of == plane::data};
}

} // namespace matchcloud::http
