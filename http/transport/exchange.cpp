#include "http/transport/exchange.hpp"

namespace matchcloud::http {

namespace {

using actors::handler;
using base::owner;

/// Whether an owner may have begun the operation, or may still begin it.
bool may_have_begun(handler had, owner waits_for) noexcept {
  // The message that a front sent to the owner before it died cannot be recalled.
  if (had == handler::front) return waits_for != owner::none;
  return had != handler::nobody;
}

} // namespace

std::optional<base::error> exchange_state::begin_retry(const operation_row& row, actors::ticket& of,
                                                       handler dead) {
  const auto had = of.claimed_by.exchange(handler::nobody, std::memory_order_relaxed);
  if (!row.is_repeatable && may_have_begun(had, waits_for)) return outcome_unknown();
  if (had == dead && ++deaths > resend_limit) return failed_repeatedly();
  of.passed_faults.store(0, std::memory_order_relaxed);
  of.attempt.store(++attempt, std::memory_order_relaxed);
  waits_for = owner::none;
  return std::nullopt;
}

bool exchange_state::route(admitted_request& request, operation what, owner who,
                           const http::limits& limits, transport_metrics& metrics) noexcept {
  if (who != owner::none && !request.at_owner.held()) {
    const auto kept = limits.in_flight_limit / reserved_share;
    const bool is_cheap = row_of(what).cost == cost_class::cheap && who != owner::large_validator;
    const auto in_flight = metrics.in_flight.load(std::memory_order_relaxed);
    const bool is_refused =
        (is_cheap && in_flight > limits.in_flight_limit - kept) ||
        (request.caller.is_noisy && in_flight > limits.in_flight_limit / noisy_share);
    if (attempt == 1 && is_refused) {
      metrics.shed[index_of(who)].add();
      return false;
    }
    if (!request.at_owner.acquire(metrics.at_owner[index_of(who)], limits.mailbox(who))) {
      metrics.mailbox_full[index_of(who)].add();
      return false;
    }
  }
  operation_id = what;
  waits_for = who;
  return true;
}

} // namespace matchcloud::http
