#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/audit/audit.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> fault_control. Answered with `json_made`, or `operation_failed` with
/// `element_not_found`, `query_invalid` or `draining`.
struct control_faults {
  enum class verb : std::uint8_t { list, clear_all, get, put, clear };

  exchange_ref exchange;
  verb what = verb::list;
  /// The name of a fault point, except for `list` and `clear_all`.
  std::string point;
  /// For `put`: the rule.
  std::shared_ptr<const std::string> body;
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
  /// Whether the data plane reads tokens (`auth = required`).
  bool reads_tokens = true;
};

/// blocking pool -> fault_control: the audit log has an entry of the change, or `failure` says why
/// not.
struct fault_recorded {
  control_faults request;
  caf::actor front;
  std::shared_ptr<const base::error> failure;
};

/// fault_control -> itself: time to remove expired faults.
struct heal_faults {};

} // namespace matchcloud::actors
