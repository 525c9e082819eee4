#pragma once

#include "base/config_row.hpp"
#include "base/rate_limit.hpp"
#include "http/operations/list.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/request.hpp"
#include "store/replica_lease.hpp"
#include "store/store_contact.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {
class report_gate;
class trace_log;
} // namespace matchcloud::actors

namespace matchcloud::http {

/// Whether the service accepts requests, or why it does not.
enum class service_state : std::uint8_t {
  ready,
  /// Something is not open yet, such as a store that is out of reach.
  starting,
  draining,
  /// An actor keeps dying.
  restart_storm,
  /// A newer program migrated the store, so this program may no longer use it.
  store_newer,
  /// The file of an embedded store was removed, or another one was put in its place.
  store_gone,
};
using shared_service_state = std::shared_ptr<const std::atomic<service_state>>;

inline constexpr std::array<std::string_view, 6> service_state_names{
    "ready", "starting", "draining", "restart_storm", "store_newer", "store_gone"};

constexpr std::string_view name_of(service_state state) noexcept {
  return service_state_names[static_cast<std::size_t>(state)];
}

/// `{"ready":true}`, or `{"ready":false,"reason":"draining"}`.
inline std::string render_state(service_state state) {
  if (state == service_state::ready) return R"({"ready":true})";
  return R"({"ready":false,"reason":")" + std::string{name_of(state)} + "\"}";
}

/// A rate limit for each `cost_class`.
using rates_by_cost = std::array<base::rate_policy, cost_class_names.size()>;

/// Access control and rate limits.
struct access_settings {
  /// Whether requests of the data plane need tokens (`auth = required`). Otherwise it ignores
  /// `Authorization`.
  bool requires_tokens = false;
  /// Whether listing regions and pinging need none.
  bool anonymous_regions = true;
  /// Whether every request of the ops plane needs a token, even one from this machine.
  bool ops_requires_tokens = false;
  /// Further host names that the ops plane accepts: `name`, or `https://name` where a proxy in
  /// front of it terminates TLS.
  std::vector<std::string> ops_hosts;
  /// Host names that the data plane accepts from this machine where it needs no tokens: the host of
  /// `public-url` and the names in `data-hosts`. Written as above.
  std::vector<std::string> data_hosts;
  /// The rate limits of an address and of a token.
  rates_by_cost per_address{};
  rates_by_cost per_token{};
  /// How many subjects the rate limits track.
  std::size_t rate_limit_entries = 262'144;
  /// How many processes share a token's limits; null: only this one uses them.
  std::shared_ptr<const store::replica_count> replicas;
  /// See `http::limits`.
  std::size_t ipv6_client_prefix = 64;
  bool limits_loopback = false;
};

/// How long a front relies on the last known state of a store that is out of reach.
struct store_watch {
  /// Null: the store always counts as within reach.
  std::shared_ptr<const store::store_contact> contact;
  /// After this time, administration is refused at once instead of waiting for the store.
  std::chrono::milliseconds unreachable_after{30'000};
  /// After this time, tokens are refused, because some may have been revoked since.
  std::chrono::milliseconds stale_auth_limit{3'600'000};

  bool is_unreachable(base::steady_time now) const noexcept {
    return contact && contact->age(now) > unreachable_after;
  }
  bool has_stale_tokens(base::steady_time now) const noexcept {
    return contact && contact->age(now) > stale_auth_limit;
  }
};

struct static_content;
struct console_files;

/// The OpenAPI documents that a front answers with; a null one is 404.
struct served_documents {
  std::shared_ptr<const static_content> of_data_plane;
  std::shared_ptr<const static_content> of_ops_plane;
};

/// The settings of the fronts of one plane. Immutable, shared by all of them.
struct front_settings {
  http::plane plane = plane::data;
  /// Empty, or `/x` without a slash at the end.
  std::string base_path;
  proxy_trust proxies;
  /// Origins that may read `regions.list`. A single `*` allows every origin.
  std::vector<std::string> cors_origins{"*"};
  /// Request headers that pages may send, in addition to those of the operations and of tracing.
  std::vector<std::string> cors_headers;
  /// Whether the operations on faults exist.
  bool has_faults = false;
  /// When the process began, in milliseconds since 1970.
  std::int64_t started_ms = 0;
  /// What `/readyz` answers; any thread may set it. Null on the data plane.
  shared_service_state state;
  access_settings access;
  store_watch store;
  served_documents documents;
  /// The configuration in force, as JSON; null on the data plane.
  std::shared_ptr<const std::string> configuration;
  /// Receives traces of requests; null: none is traced.
  std::shared_ptr<actors::trace_log> traces;
  /// Chooses which latencies in listings are reported to the latency_map; null: none are.
  std::shared_ptr<actors::report_gate> latency_gate;
  /// The console; null: there is none.
  std::shared_ptr<const console_files> console;

  bool allows_any_origin() const noexcept {
    return cors_origins.size() == 1 && cors_origins.front() == "*";
  }
};

/// Whether the requesting page may read the listing of regions.
bool may_read_regions(const request& of, const front_settings& settings) noexcept;

/// The CORS headers of a refusal of the operation `row`, without which a page could not tell it
/// from a network failure.
std::string cors_headers_of(const operation_row& row, const request& of,
                            const front_settings& settings);
/// The CORS headers that let only pages of the request's origin read the answer.
std::string one_origin_headers(const request& of);
/// The CORS headers of the answer to a preflight (Fetch standard, "CORS-preflight request").
std::string preflight_headers(const operation_row& row, const request& of,
                              const front_settings& settings);

/// Keys for the prefix of paths.
base::config_rows<front_settings> path_keys();
/// Keys for trusted proxies, and for the pages that may read answers.
base::config_rows<front_settings> page_keys();
/// Keys for access control and rate limits.
base::config_rows<access_settings> access_keys();
/// Keys for times when the store is out of reach.
base::config_rows<store_watch> store_watch_keys();

} // namespace matchcloud::http
