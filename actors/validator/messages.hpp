#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "model/text/uuid.hpp"
#include "model/validation/validation.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::actors {

/// Larger bodies are validated on the actors' pool, so that they do not stall an event loop: usual
/// bodies of this size take about 100 us.
inline constexpr std::size_t large_body_bytes = 16 * 1024;
/// So are those with more findings, of which each takes about a microsecond.
inline constexpr std::size_t brief_findings_limit = 64;

/// front -> validator. Answered with `json_made`, or `operation_failed` with `body_malformed`,
/// `body_too_deep`, `body_not_object` or, for a version, `game_not_found`; by a validator of an
/// event loop also with `validation_deferred`.
struct validate_payload {
  exchange_ref exchange;
  model::payload_kind kind = model::payload_kind::version;
  /// The game that must exist; only for a version, and not for an operator's request.
  std::optional<model::uuid> game_id;
  std::shared_ptr<const std::string> body;
  ticket_ptr ticket = {};
};

/// validator -> front: the payload has more findings than an event loop should spend time on. The
/// large validator gets it instead.
struct validation_deferred {
  exchange_ref exchange;
  validate_payload request;
};

/// front -> validator. Answered with `json_made`: the JSON Schema of the payloads.
struct print_schema {
  exchange_ref exchange;
  model::payload_kind kind = model::payload_kind::version;
  ticket_ptr ticket = {};
};

} // namespace matchcloud::actors
