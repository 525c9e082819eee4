#pragma once

#include "actors/reports/report_queries.hpp"
#include "base/metrics.hpp"
#include "http/operations/list.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

/// What `attention` looks for in the metrics.
namespace matchcloud::http::attention_causes {

using std::chrono::days;
using severity = actors::attention_severity;

/// How the value of a metric shows a cause.
enum class sign : std::uint8_t {
  /// It rose within `attention::span`.
  rises,
  /// It fell within `attention::span`, and has not risen since.
  falls,
  /// It rose, and has not for `still_from`; for `still_told`.
  stops,
  /// It is above the bound.
  above,
  /// It is a time in seconds since 1970 that is less than the bound ahead of now.
  due_within,
  /// It is a time in seconds since 1970 that is more than the bound ago.
  older_than,
  /// There is no such metric.
  absent,
  /// Of the requests of the last minute, which are read from the history, more than the bound (a
  /// share) were answered with a status of the class `only`, and at least `refused_least`.
  share,
  /// Of the last minute, which is read from the history, one of the event loops waited more than
  /// the bound (a share).
  waits,
};

constexpr std::chrono::minutes still_from{15};
constexpr std::chrono::hours still_told{3};
/// In a minute.
constexpr std::uint64_t refused_least = 600;

/// Alerts are made from these, too: see tests/app/docs/alert_rules.cpp.
struct cause {
  std::string_view name;
  severity how_bad;
  std::string_view metric;
  std::string_view what;
  /// A path of the ops plane.
  std::string_view look_at;
  sign tells = sign::rises;
  double bound = 0;
  /// Only samples with this label count; its value begins so.
  base::metric_label only = {};
  /// Samples with one of these do not count.
  std::array<base::metric_label, 3> but = {};
  /// Counts problems by their code: those of failures are named, too.
  std::string_view codes = {};
};

constexpr double as_seconds(days of) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(of).count());
}

/// The causes that metrics show, worst first.
inline constexpr std::array causes{
    cause{"store_away", severity::critical, "matchcloud_store_age_seconds",
          "The store has not answered for more than 10 s. Cached data gets old, and exports and "
          "changes fail.",
          "/metrics", sign::above, 10},
    cause{"disk_full",
          severity::critical,
          "matchcloud_problems_total",
          "Requests were answered with 507: no room is left on the disk of the store.",
          "/v1/traces?status=507",
          sign::rises,
          0,
          {"code", "store_full"}},
    cause{"exports_full",
          severity::critical,
          "matchcloud_problems_total",
          "Exports were answered with 507: their files have reached export-limit-bytes, or one "
          "game's share of it.",
          "/v1/traces?status=507",
          sign::rises,
          0,
          {"code", "exports_full"}},
    // Health checks fail for the reasons of `not_ready`, and 501 and 505 are the client's fault.
    cause{"failed_requests",
          severity::critical,
          "matchcloud_requests_total",
          "Requests were answered with 5xx in the last minutes.",
          "/v1/traces",
          sign::rises,
          0,
          {"status", "5"},
          {{{"operation", row_of(operation::get_readiness).name},
            {"status", "501"},
            {"status", "505"}}},
          "matchcloud_problems_total"},
    cause{"supervisor_restarts", severity::critical, "matchcloud_supervisor_restarts_total",
          "A supervisor died and was replaced.", "/actors"},
    cause{"bucket_failing",
          severity::critical,
          "matchcloud_objects_calls_total",
          "Calls to the bucket failed, including repetitions.",
          "/metrics",
          sign::rises,
          0,
          {"outcome", "failed"}},
    cause{"clients_gone",
          severity::warning,
          "matchcloud_requests_total",
          "Clients closed their connection before they were answered. A balancer's timeout may be "
          "shorter than request-timeout-ms.",
          "/v1/traces?status=499",
          sign::rises,
          0,
          {"status", "499"}},
    cause{"ingestion_stopped",
          severity::warning,
          "matchcloud_ingested_lines_total",
          "No line of POST /v1/lobbies was stored in the last 15 minutes, but lines were stored in "
          "the 3 hours before.",
          "/v1/traces?operation=ingest_lobbies",
          sign::stops,
          0,
          {},
          {{{"outcome", "rejected"}}}},
    cause{"actor_restarts", severity::warning, "matchcloud_place_restarts_total",
          "Actors died and were restarted. Their last error says why.", "/actors"},
    cause{"clock_in_doubt", severity::warning, "matchcloud_expiry_clock_in_doubt",
          "Nothing expires, because the clock is far ahead of what is stored. Correct it, or run "
          "matchcloud retention --confirm.",
          "/v1/retention", sign::above},
    cause{"expiry_waits", severity::warning, "matchcloud_expiry_waiting_games",
          "Many lobbies of a game are due at once. If they may expire, run matchcloud retention "
          "--confirm.",
          "/v1/retention", sign::above},
    cause{"certificate_expires", severity::warning,
          "matchcloud_tls_certificate_expiry_timestamp_seconds",
          "A certificate expires within 14 days.", "/v1/config", sign::due_within,
          as_seconds(days{14})},
    cause{"certificate_refused", severity::warning, "matchcloud_tls_refused_total",
          "A replaced certificate was not accepted; the log says why.", "/v1/config"},
    cause{"replicas_missing", severity::warning, "matchcloud_replicas",
          "Fewer processes share the store than some minutes ago.", "/metrics", sign::falls},
    cause{"exports_taken_over", severity::warning, "matchcloud_exports_taken_over_total",
          "Exports of another replica were taken over, because it stopped writing them.",
          "/v1/exports"},
    cause{"exports_failed", severity::warning, "matchcloud_exports_failed_total", "Exports failed.",
          "/v1/traces?operation=export_lobby_history"},
    cause{"leases_lost", severity::warning, "matchcloud_export_leases_lost_total",
          "Another replica took over exports that this one was still writing, because this one did "
          "not reach the store in time.",
          "/v1/exports"},
    cause{"renewals_failed", severity::warning, "matchcloud_replica_renewals_failed_total",
          "This process could not renew its entry in the store. Other replicas take over its "
          "exports after 10 s.",
          "/v1/replicas"},
    cause{"requests_refused",
          severity::warning,
          "matchcloud_requests_total",
          "More than half of the requests are refused with 4xx.",
          "/v1/history",
          sign::share,
          0.5,
          {"status", "4"},
          {{{"status", "499"}}}},
    cause{"processor_waits", severity::warning, "matchcloud_loop_wait_seconds_total",
          "An event loop waits for a processor for more than a tenth of the time. Give the service "
          "more cores, or move other programs away.",
          "/v1/history", sign::waits, 0.1},
    cause{"requests_shed", severity::warning, "matchcloud_shed_total",
          "Cheap requests were refused because more arrived than can be answered. The limit is "
          "max-in-flight.",
          "/v1/history"},
    cause{
        "mailbox_full", severity::warning, "matchcloud_mailbox_full_total",
        "Requests were refused because an owner's mailbox was full. Its limit is the key mailbox-, "
        "followed by its name.",
        "/actors"},
    cause{"store_sessions_missed", severity::warning, "matchcloud_store_sessions_missed_total",
          "Requests got no free session of the store in time.", "/metrics"},
    cause{"bucket_calls_refused", severity::warning, "matchcloud_objects_calls_refused_total",
          "Calls to the bucket were refused because too many were in progress.", "/metrics"},
    cause{"rate_limit_table_full", severity::warning, "matchcloud_rate_limit_shared_total",
          "The table of rate limits is full, so clients share limits.", "/metrics"},
    cause{"log_lines_dropped", severity::warning, "matchcloud_log_lines_dropped_total",
          "Lines of the log were dropped, because stderr accepts them too slowly.", "/metrics"},
    cause{"access_log_lines_dropped", severity::warning,
          "matchcloud_access_log_lines_dropped_total",
          "Lines of the access log were dropped, because its file accepts them too slowly.",
          "/v1/config"},
    cause{
        "geoip_absent", severity::notice, "matchcloud_geoip_built_timestamp_seconds",
        "There is no GeoIP file, so no player's place is known. All players get the regions in the "
        "order of the fallback location, or without an order by distance.",
        "/v1/config", sign::absent},
    cause{"geoip_old", severity::notice, "matchcloud_geoip_built_timestamp_seconds",
          "A GeoIP file is older than 90 days, and addresses move.", "/v1/config", sign::older_than,
          as_seconds(days{90})},
    cause{"geoip_refused", severity::warning, "matchcloud_geoip_refused_total",
          "A replaced GeoIP file was not accepted; the log says why.", "/v1/config"},
    cause{"faults_injected", severity::notice, "matchcloud_faults_hit_total",
          "Faults were injected on purpose in the last minutes.", "/faults"},
};

} // namespace matchcloud::http::attention_causes
