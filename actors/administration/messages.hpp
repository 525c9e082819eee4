#pragma once

#include "actors/administration/requests.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"

#include <caf/actor.hpp>

#include <memory>
#include <string>

namespace matchcloud::actors {

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of the
/// request or of the store.
struct administer {
  exchange_ref exchange;
  administrative_request what;
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// blocking pool -> administration: the outcome of a request.
struct administered {
  exchange_ref exchange;
  caf::actor front;
  int status = 200;
  std::shared_ptr<const std::string> json;
  /// Set if the request failed.
  std::shared_ptr<const base::error> failure;
  ticket_ptr ticket = {};
};

} // namespace matchcloud::actors
