#pragma once

#include "actors/reports/lobby_survey.hpp"
#include "actors/reports/report_queries.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/text/uuid.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> reports. Answered with `text_made`, or `operation_failed` with `query_invalid`.
struct render_report {
  enum class kind : std::uint8_t { metrics, actors, places, traces, past, attention, replicas };

  exchange_ref exchange;
  kind what = kind::metrics;
  ticket_ptr ticket = {};
  /// For the kinds with these names.
  past_query past = {};
  trace_query traces = {};
};

/// front -> reports. Answered with `json_made`, or `operation_failed` with `game_not_found`,
/// `overloaded` or the store's error.
struct survey_lobbies {
  exchange_ref exchange;
  model::uuid game_id;
  lobby_survey_query query;
  ticket_ptr ticket = {};
};

/// blocking pool -> reports: the result of a survey of lobbies.
struct lobbies_surveyed {
  exchange_ref exchange;
  caf::actor front;
  std::shared_ptr<const std::string> json;
  /// Set if the survey failed.
  std::shared_ptr<const base::error> failure;
};

/// front -> reports. Answered with `answer_begun` and then an `answer_part` at every tick, or
/// `operation_failed` with `overloaded`.
struct watch_status {
  exchange_ref exchange;
  ticket_ptr ticket = {};
};

/// reports -> reports, at every tick.
struct tell_status {};

} // namespace matchcloud::actors
