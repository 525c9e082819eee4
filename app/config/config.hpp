#pragma once

#include "actors/avatar/avatar_limits.hpp"
#include "actors/ingestion/ingestion_limits.hpp"
#include "actors/latency_map/latency_config.hpp"
#include "actors/lobby_export/export_limits.hpp"
#include "actors/media/media_limits.hpp"
#include "actors/region_ranking/ranking_config.hpp"
#include "actors/supervision/restart_limits.hpp"
#include "app/config/fault_file.hpp"
#include "base/config_row.hpp"
#include "base/events/log_event.hpp"
#include "base/expected.hpp"
#include "base/log/log_format.hpp"
#include "http/access_log/access_log.hpp"
#include "http/front/front_settings.hpp"
#include "http/limits/limits.hpp"
#include "http/tls/tls_material.hpp"
#include "http/transport/listener.hpp"
#include "model/validation/validation_rules.hpp"
#include "store/database.hpp"
#include "store/engines/store_place.hpp"
#include "store/housekeeping/retention.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::app {

enum class transport_kind : std::uint8_t { loops, httplib };

/// A listener of the data plane.
struct data_listener {
  http::endpoint where;
  http::listener_kind kind = {};
};

/// Why the transport httplib does not support take-over.
inline constexpr std::string_view httplib_cannot_be_taken_over =
    "the transport httplib ends its listening sockets with shutdown(2), which ends them for every "
    "process that has them, so it cannot be taken over; choose loops, or end the process (SIGTERM) "
    "and start another";

/// A value for a key, and its source (`--listen`, `MATCHCLOUD_LISTEN`, `FILE: listen`).
struct given_value {
  std::string key;
  std::string source;
  std::vector<std::string> values;
};

/// Everything that `serve` can be configured with.
struct serve_config {
  std::vector<data_listener> listen;
  http::endpoint ops_listen;
  /// Whether the listener of the ops plane speaks TLS.
  bool ops_tls = false;
  http::tls_files tls;
  store::store_place store;
  /// The sessions of a store on a server; the embedded store has limits of its own.
  store::session_limits store_sessions;
  std::vector<std::string> geoip_files;
  /// Empty: none.
  std::string geoip_asn_file;
  /// The number of event loops; 0 means one per processor that the process may use.
  std::size_t loops = 0;
  /// How long each of them polls before it sleeps.
  std::chrono::microseconds busy_poll{0};
  transport_kind transport = transport_kind::loops;
  /// If empty, derived from the first data listener.
  std::string public_url;
  http::front_settings front;
  model::validation_rules rules;
  actors::ranking_config ranking;
  actors::latency_config latencies;
  actors::avatar_limits avatars;
  actors::media_limits media;
  actors::export_limits exports;
  actors::ingestion_limits ingestion;
  store::retention retention;
  actors::restart_limits restarts;
  http::limits limits;
  /// One in this many requests of the data plane is traced; 0: none.
  std::uint64_t trace_one_in = 1'000;
  bool insecure_open = false;
  /// How long the start waits for a store that is out of reach; 0: not at all.
  std::chrono::milliseconds start_wait{300'000};
  base::log_format log_format = base::log_format::text;
  base::log_level log_level = base::log_level::info;
  /// Subjects whose level differs from `log_level`.
  std::vector<std::pair<base::log_subject, base::log_level>> log_levels;
  http::access_log_settings access_log;
  /// How long after a signal new connections are still accepted, so that load balancers first see
  /// that the service is no longer ready.
  std::chrono::milliseconds drain_delay{0};
  /// From the end of `drain_delay` to the end of the process. Docker kills 10 seconds after
  /// SIGTERM, so some time is left for cleaning up.
  std::chrono::milliseconds drain_timeout{8'000};
  /// Whether to take the listeners of a running process.
  bool take_over = false;
  /// Whether the ops plane allows faults to be injected.
  bool fault_injection = false;
  /// Empty: chosen at random.
  std::optional<std::uint64_t> fault_seed;
  /// What it was made of.
  std::vector<given_value> given;
  /// Fault rules in force from the start.
  fault_rules faults;

  /// Whether the start waits for a store that is out of reach. Nobody waits for a directory.
  bool waits_for_store() const noexcept {
    return (!store.url.empty() || store.has_bucket()) && start_wait.count() > 0;
  }
};

/// The level of each subject.
base::log_levels log_levels_of(const serve_config& config);

/// A configuration key. Flags (`--NAME`), environment (`MATCHCLOUD_NAME`), the TOML file and the
/// help text are all derived from the table of keys, which collects the rows of all folders.
struct config_key : base::config_row<serve_config> {
  /// Its section in the TOML file.
  enum class section : std::uint8_t { service, rules, limits };

  section where = section::service;
  /// The heading of its group in the help text.
  std::string_view heading = {};
};

/// The TOML table of a section, such as `rules`; empty for the keys at the top.
std::string_view table_of(config_key::section where) noexcept;

/// The name of a key in its section's table: `max-players-highest` for `limit-max-players-highest`.
std::string_view name_in_table(const config_key& key) noexcept;

/// All keys, in the order of the help text.
std::span<const config_key> config_keys();
/// The key of that name; null if there is none.
const config_key* find_config_key(std::string_view name);

/// The defaults, then `given` in order: a later value of a key replaces an earlier one. Reports all
/// errors at once, as `config_invalid` with a line each: source, value, what is allowed.
base::expected<serve_config> make_config(const std::vector<given_value>& given);

/// Whether a file may give `tiers` and `regions` in `[rules]`. A service reads them from its
/// catalog instead.
enum class catalog_names : std::uint8_t { refused, accepted };

/// The values of a TOML file. A key of `[rules]` or `[limits]` may be in its table or, by its
/// full name, at the top. Fails with `config_invalid`, naming file and line, if a key is unknown or
/// given twice. Accepted catalog names are returned as the keys `tiers` and `regions`.
base::expected<std::vector<given_value>>
read_config_file(const std::string& file, catalog_names names = catalog_names::refused);

/// The values of `MATCHCLOUD_*` in the environment. Unknown names are not errors, because
/// orchestrators inject such variables; they are returned in `unknown`.
std::vector<given_value> read_environment(std::vector<std::string>& unknown);

/// The value given last for a key; null if there is none.
const given_value* last_given(const std::vector<given_value>& given, const config_key& key);

/// Where a value came from; null: the default.
base::config_source source_of(const given_value* given);

/// The values in force for a key: the elements of a list, or one value; its default if none is
/// given. Empty if there is neither.
std::vector<std::string> values_of(const std::vector<given_value>& given, const config_key& key);

} // namespace matchcloud::app
