#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/audit/audit.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> ingestion. Answered with `json_made` once all lines are committed, or
/// `operation_failed` with `store_backlogged`, `overloaded`, `unavailable` or the store's error.
struct ingest_lobbies {
  exchange_ref exchange;
  /// Whether `body_part`s follow once the receiver has granted credit.
  bool has_body = true;
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// blocking pool -> ingestion: parts of a body were processed.
struct ingest_advanced {
  exchange_ref exchange;
  std::size_t bytes = 0;
  /// The answer, once the last part is committed; null before.
  std::shared_ptr<const std::string> summary;
  /// Set if the ingest failed.
  std::shared_ptr<const base::error> failure;
  /// The HTTP status of the answer.
  int status = 200;
};

/// ingestion -> ingestion, at every tick while there are ingests.
struct check_stalled {};

} // namespace matchcloud::actors
