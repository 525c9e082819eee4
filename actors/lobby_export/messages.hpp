#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/json/record.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_store.hpp"
#include "store/lobby_history.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// lobby_export -> front: the link to an export.
struct export_linked {
  exchange_ref exchange;
  std::shared_ptr<const std::string> json;
  /// The time from which it has all lobbies, if its span reaches further back than the kept
  /// history, in milliseconds since 1970; 0: it has all.
  std::int64_t complete_from_ts = 0;
};

/// front -> lobby_export. Answered with `export_linked` once the file is complete, or
/// `operation_failed` with the errors of `read_export_span`, `game_not_found`, `exports_busy`,
/// `exports_full`, `store_full`, `store_failed`, `history_too_slow` or `deadline_exceeded`.
struct export_lobbies {
  exchange_ref exchange;
  model::uuid game_id;
  std::shared_ptr<const std::string> body;
  /// Whether the request is an operator's, whose link is on the same plane and valid for a minute.
  bool is_for_operator = false;
  /// The export continues even if the ticket is over.
  ticket_ptr ticket = {};
  model::csv_dialect dialect = model::csv_dialect::exact;
};

/// The progress of an export, as operators see it.
enum class export_progress : std::uint8_t { queued, running, complete };
inline constexpr std::array<std::string_view, 3> export_progress_names{"queued", "running",
                                                                       "complete"};

constexpr std::string_view name_of(export_progress which) noexcept {
  return export_progress_names[static_cast<std::size_t>(which)];
}

/// An export, as operators see it.
struct shown_export {
  model::export_query query;
  export_progress state = export_progress::queued;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

constexpr auto describe(const shown_export*) {
  using of = shown_export;
  using namespace model::types;
  return record{
      "Export",
      field{"game_id", uuid, "The game.", [](const of& one) { return one.query.game_id; }},
      field{"query_start", unsigned_64, "Milliseconds since 1970, inclusive.",
            [](const of& one) { return one.query.span.begin; }},
      field{"query_end", unsigned_64, "Milliseconds since 1970, exclusive.",
            [](const of& one) { return one.query.span.end; }},
      field{"csv", a("CsvDialect"), "How cells are written.",
            [](const of& one) {
              return model::csv_dialect_names[static_cast<std::size_t>(one.query.dialect)];
            }},
      field{"state", a("ExportState"), "Its progress.", &of::state},
      field{"rows", count, "Lobbies written so far.", &of::rows},
      field{"bytes", count, "Bytes written so far.", &of::bytes}};
}

/// front -> lobby_export. Answered with `json_made`: the exports that are queued, running or
/// complete.
struct list_exports {
  exchange_ref exchange;
  ticket_ptr ticket = {};
};

/// blocking pool -> lobby_export: what exports of these queries would cover if they began now.
struct history_looked {
  struct result {
    store::history_revisions revisions;
    /// The file that was asked about, if it no longer exists because another process removed it.
    std::optional<model::uuid> missing;
    /// An export of another process that serves such requests, or may (`export_store::find`).
    std::shared_ptr<const store::export_record> found;
  };

  std::map<model::export_query, result> results;
  /// Set if the store could not be read; there are no results then.
  std::shared_ptr<const base::error> failure;
};

/// export thread -> lobby_export: the state of the store that a job reads.
struct export_begun {
  std::uint64_t job = 0;
  store::history_snapshot snapshot;
};

/// export thread -> lobby_export: the result of a job.
struct export_ended {
  std::uint64_t job = 0;
  store::export_facts facts;
  store::history_summary summary;
  /// Set if there is no file.
  std::shared_ptr<const base::error> failure;
  /// Set if another process has the export, so that there is no result yet.
  std::shared_ptr<const store::other_export> other;
  work_time took = {};
};

/// blocking pool -> lobby_export: the state of exports that other processes write. Empty if the
/// store could not be read.
struct exports_followed {
  struct result {
    std::uint64_t job = 0;
    /// See `export_store::follow`; null if there is nothing to follow any more.
    std::shared_ptr<const store::export_record> record;
  };

  std::vector<result> results;
};

/// lobby_export -> lobby_export, from time to time while other processes write exports that
/// requests wait for.
struct exports_following {};

/// lobby_export -> lobby_export, at every tick.
struct exports_housekeeping {};

} // namespace matchcloud::actors
