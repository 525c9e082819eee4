#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::base {

enum class log_level : std::uint8_t { debug, info, warning, error, critical };
inline constexpr std::array<std::string_view, 5> log_level_names{"debug", "info", "warning",
                                                                 "error", "critical"};

/// The subject of a log line. Each subject has its own level.
enum class log_subject : std::uint8_t {
  service,
  store,
  catalog,
  exports,
  avatars,
  housekeeping,
  http,
  tls,
  geoip,
  actors,
  faults,
};
inline constexpr std::array<std::string_view, 11> log_subject_names{
    "service", "store", "catalog", "exports", "avatars", "housekeeping",
    "http",    "tls",   "geoip",   "actors",  "faults"};

constexpr std::string_view name_of(log_level which) noexcept {
  return log_level_names[static_cast<std::size_t>(which)];
}
constexpr std::string_view name_of(log_subject which) noexcept {
  return log_subject_names[static_cast<std::size_t>(which)];
}
std::optional<log_level> find_log_level(std::string_view name) noexcept;
std::optional<log_subject> find_log_subject(std::string_view name) noexcept;

/// The lines of one event written within a time window (`log_limit`); further lines are only
/// counted.
inline constexpr std::uint32_t log_lines_limit = 20;

/// All events: the name in this program, the stable name in the log, the subject, the level, and
/// the reason for logging it.
// clang-format off
#define MATCHCLOUD_LOG_EVENTS(X)                                                                   \
  X(unstructured, "service.other", service, info, "A message from a library.")                     \
  X(lines_dropped, "log.dropped", service, warning,                                                \
    "Lines were dropped, because stderr accepted them too slowly.")                                \
  X(log_levels_changed, "log.levels-changed", service, info,                                       \
    "The operation PUT /v1/log-levels changed levels.")                                            \
  X(audit_failed, "audit.failed", service, warning,                                                \
    "An entry of the audit log could not be written.")                                             \
  X(config_unknown_variable, "config.unknown-variable", service, warning,                          \
    "An environment variable MATCHCLOUD_* names no key.")                                          \
  X(config_reloaded, "config.reloaded", service, info,                                             \
    "The configuration has been reloaded, or will be.")                                            \
  X(config_refused, "config.reload-refused", service, error,                                       \
    "A reload failed; nothing has changed.")                                                       \
  X(service_exposed, "service.exposed", service, warning,                                          \
    "A listener is open to more clients than is safe.")                                            \
  X(service_serves, "service.serves", service, info, "The service has started.")                   \
  X(service_ending, "service.ending", service, info, "A signal asks the service to end.")          \
  X(service_draining, "service.draining", service, info,                                           \
    "The service stops accepting connections, now or after a delay.")                              \
  X(service_ended, "service.ended", service, info,                                                 \
    "The service has ended; this is its last line.")                                               \
  X(signal_ignored, "service.signal-ignored", service, info, "A signal was ignored.")              \
  X(manager_failed, "service.manager-failed", service, warning,                                    \
    "The service manager (NOTIFY_SOCKET) cannot be notified.")                                     \
  X(successor_started, "take-over.started", service, info,                                         \
    "SIGUSR2 has started a process to take over.")                                                 \
  X(successor_failed, "take-over.failed", service, error,                                          \
    "The process that was to take over did not start, or ended.")                                  \
  X(take_over_begins, "take-over.begins", service, info, "Another process begins to take over.")   \
  X(take_over_given_up, "take-over.given-up", service, warning,                                    \
    "Another process did not take over.")                                                          \
  X(taken_over, "take-over.done", service, info, "Another process has taken over.")                \
  X(predecessor_missing, "take-over.nobody", service, info,                                        \
    "With --take-over, no process serves the listeners.")                                          \
  X(predecessor_ended, "take-over.predecessor-ended", service, warning,                            \
    "The process to be replaced ended before it handed over.")                                     \
  X(take_over_unfindable, "take-over.unfindable", service, warning,                                \
    "No successor can find this process.")                                                         \
  X(store_waiting, "store.waiting", store, warning,                                                \
    "The start waits for a store that is out of reach.")                                           \
  X(store_plane_open, "store.waiting-plane", store, info,                                          \
    "Health checks are answered while the start waits.")                                           \
  X(store_reached, "store.reached", store, info,                                                   \
    "The store that the start waited for is within reach.")                                        \
  X(store_hazard, "store.hazard", store, warning, "Something in the data directory is dangerous.") \
  X(store_fenced, "store.fenced", store, error,                                                    \
    "A newer version of the program has taken over the store.")                                    \
  X(store_lost, "store.lost", store, error, "The database file was moved, replaced or removed.")   \
  X(store_found, "store.found", store, info, "The database file is back.")                         \
  X(store_clock, "store.clock", store, warning, "The clock differs from the database's.")          \
  X(store_notice, "store.notice", store, info,                                                     \
    "PostgreSQL sent a notice; the line has its level.")                                           \
  X(secrets_kept, "secrets.kept", store, error,                                                    \
    "Secrets cannot be read; the known ones stay in force.")                                       \
  X(secrets_replaced, "secrets.replaced", store, info, "Other secrets are in force.")              \
  X(bucket_key_exposed, "bucket.key-exposed", store, warning,                                      \
    "Others can read a file of credentials.")                                                      \
  X(bucket_key_kept, "bucket.key-kept", store, warning,                                            \
    "Credentials cannot be renewed; the last ones stay in use.")                                   \
  X(bucket_role_used, "bucket.role-used", store, warning,                                          \
    "Credentials of the container's role are used instead of a file.")                             \
  X(bucket_clock, "bucket.clock", store, warning, "The clock differs from the bucket's.")          \
  X(bucket_upload_left, "bucket.upload-left", store, warning, "An upload could not be aborted.")   \
  X(object_failed, "bucket.object-failed", store, error, "An object cannot be read.")              \
  X(latencies_failed, "latencies.failed", store, warning,                                          \
    "Learned latencies cannot be stored or read; this is retried.")                                \
  X(catalog_failed, "catalog.failed", catalog, error,                                              \
    "The catalog cannot be read; the last one stays in force.")                                    \
  X(catalog_loaded, "catalog.loaded", catalog, info,                                               \
    "Another revision of the catalog is in force.")                                                \
  X(catalog_no_default, "catalog.no-default-namespace", catalog, warning,                          \
    "The catalog lacks default-namespace.")                                                        \
  X(export_failed, "export.failed", exports, error, "An export cannot be made, read or removed.")  \
  X(export_hampered, "export.hampered", exports, warning,                                          \
    "A step of an export failed; the export continues.")                                           \
  X(export_damaged, "export.damaged", exports, warning,                                            \
    "The file of an export is damaged or missing; the export is removed.")                         \
  X(export_gone, "export.gone", exports, warning,                                                  \
    "The file or object of an export is missing; the export is made again.")                       \
  X(export_taken_over, "export.taken-over", exports, info,                                         \
    "This process continues an export that another began.")                                        \
  X(export_swept, "export.swept", exports, info, "Leftovers of exports were removed.")             \
  X(image_failed, "avatar.image-failed", avatars, error, "An image cannot be read.")               \
  X(image_kept, "avatar.image-kept", avatars, warning,                                             \
    "Images of a removed avatar are still there.")                                                 \
  X(avatars_failed, "avatar.list-failed", avatars, error, "A list of avatars cannot be read.")     \
  X(housekeeping_failed, "housekeeping.failed", housekeeping, warning,                             \
    "Housekeeping failed and will be retried.")                                                    \
  X(game_erased, "housekeeping.game-erased", housekeeping, info,                                   \
    "A game and all its data were erased.")                                                        \
  X(lobbies_expired, "housekeeping.lobbies-expired", housekeeping, info,                           \
    "Lobbies of a game have expired.")                                                             \
  X(expiry_waits, "housekeeping.expiry-waits", housekeeping, warning,                              \
    "Something does not expire until an operator confirms it.")                                    \
  X(audit_expired, "housekeeping.audit-expired", housekeeping, info,                               \
    "Entries of the audit log have expired.")                                                      \
  X(tokens_removed, "housekeeping.tokens-removed", housekeeping, info,                             \
    "Expired and revoked tokens were removed.")                                                    \
  X(operation_failed, "http.operation-failed", http, error,                                        \
    "An operation of the ops plane failed for a reason that its answer leaves out.")               \
  X(tls_renewed, "tls.renewed", tls, info, "Replaced certificates are in force.")                  \
  X(tls_kept, "tls.kept", tls, error,                                                              \
    "Certificates cannot be read; the last ones stay in force.")                                   \
  X(tls_hazard, "tls.hazard", tls, warning,                                                        \
    "A certificate will soon expire, or others can read a key.")                                   \
  X(tls_failed, "tls.handshake-failed", tls, info, "A TLS handshake failed.")                      \
  X(tls_at_plain, "tls.plain-listener", tls, warning,                                              \
    "A client tried TLS on a listener without it.")                                                \
  X(geoip_missing, "geoip.missing", geoip, warning, "No GeoIP file is configured.")                \
  X(geoip_replaced, "geoip.replaced", geoip, info, "A replaced GeoIP file is in force.")           \
  X(geoip_kept, "geoip.kept", geoip, error,                                                        \
    "A replaced GeoIP file cannot be read; the last one stays in force.")                          \
  X(actor_died, "actor.died", actors, error, "An actor died.")                                     \
  X(actor_restarts, "actor.restarts", actors, warning, "An actor ended and is restarted.")         \
  X(actors_failing, "actor.storm", actors, error, "Actors keep dying.")                            \
  X(actors_well, "actor.well", actors, info, "The actors have stopped dying.")                     \
  X(supervisor_ended, "actor.supervisor-ended", actors, error, "A supervisor ended.")              \
  X(fault_aborts, "fault.aborts", faults, critical, "An injected fault aborts the process.")       \
  X(fault_healed, "fault.healed", faults, info, "The time of an injected fault is over.")
// clang-format on

/// The event that a log line reports, whatever its wording.
enum class log_event : std::uint8_t {
#define MATCHCLOUD_NAME(event, name, subject, level, what) event,
  MATCHCLOUD_LOG_EVENTS(MATCHCLOUD_NAME)
#undef MATCHCLOUD_NAME
};

struct log_event_row {
  log_event id;
  /// Null-terminated.
  std::string_view name;
  log_subject subject;
  /// The usual level; a line may have another one.
  log_level level;
  /// When it is logged: a sentence.
  std::string_view what;
};

inline constexpr std::array log_events{
#define MATCHCLOUD_ROW(event, name, subject, level, what)                                          \
  log_event_row{log_event::event, name, log_subject::subject, log_level::level, what},
    MATCHCLOUD_LOG_EVENTS(MATCHCLOUD_ROW)
#undef MATCHCLOUD_ROW
};
inline constexpr std::size_t log_subject_count = log_subject_names.size();

constexpr const log_event_row& row_of(log_event which) noexcept {
  return log_events[static_cast<std::size_t>(which)];
}

/// `log_lines_limit`, except for an event that may log one line for each of many items at startup.
constexpr std::uint32_t lines_limit(log_event which) noexcept {
  return which == log_event::config_unknown_variable ? 1'000 : log_lines_limit;
}

/// The least severe level that is logged, by subject.
struct log_levels {
  std::array<log_level, log_subject_count> of{};

  log_level& operator[](log_subject which) noexcept { return of[static_cast<std::size_t>(which)]; }
  log_level operator[](log_subject which) const noexcept {
    return of[static_cast<std::size_t>(which)];
  }
  friend bool operator==(const log_levels&, const log_levels&) = default;
};
/// The same level for all.
log_levels log_levels_of(log_level all) noexcept;

// The levels of the process, which start as `info`. Any thread.

/// Applies the configured levels, which undoes `change_log_levels`.
void configure_log_levels(const log_levels& levels) noexcept;
/// Applies other levels until the configuration is reloaded.
void change_log_levels(const log_levels& levels) noexcept;
log_levels configured_log_levels() noexcept;
log_levels log_levels_in_force() noexcept;
/// Whether a line with that event and level is logged.
bool is_logged(log_event which, log_level level) noexcept;

} // namespace matchcloud::base
