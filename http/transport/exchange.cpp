#include "http/transport/exchange.hpp"

namespace matchcloud::http {

namespace {

using actors::owner;

std::size_t mailbox_limit(owner who, const base::limits& limits) noexcept {
  switch (who) {
  case owner::validator: return limits.validator_mailbox;
  case owner::large_validator: return limits.large_validator_mailbox;
  case owner::region_ranking: return limits.region_ranking_mailbox;
  case owner::media: return limits.media_mailbox;
  case owner::lobby_export: return limits.lobby_export_mailbox;
  case owner::export_download: return limits.export_download_mailbox;
  case owner::none:
  case owner::avatar: break;
  }
  return limits.avatar_mailbox;
}

/// Answered in microseconds, and as easily asked again.
bool is_cheap(owner who) noexcept {
  return who == owner::validator || who == owner::region_ranking || who == owner::media;
}

} // namespace

bool enter_mailbox(const admitted_request& request, const exchange_state& of, owner who,
                   const base::limits& limits, transport_metrics& metrics) noexcept {
  if (who == owner::none || request.at_owner.held()) return true;
  const auto kept = limits.in_flight_limit / reserved_share;
  if (of.attempt == 1 && is_cheap(who) &&
      metrics.in_flight.load(std::memory_order_relaxed) > limits.in_flight_limit - kept) {
    metrics.shed[kind_of(who)].add();
    return false;
  }
  auto& waiting = metrics.at_owner[static_cast<std::size_t>(who)];
  if (request.at_owner.acquire(waiting, mailbox_limit(who, limits))) return true;
  metrics.mailbox_full[kind_of(who)].add();
  return false;
}

} // namespace matchcloud::http
