#pragma once

#include "actors/request/message.hpp"
#include "model/access/access_token.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/predictor.hpp"
#include "store/geoip/geoip.hpp"

#include <caf/actor.hpp>

#include <memory>
#include <vector>

namespace matchcloud::actors {

/// catalog -> its subscribers: sent on subscribing and whenever the catalog changes.
struct catalog_changed {
  model::catalog_snapshot snapshot;
};

/// region_ranking -> catalog, geoip_watch, latency_map; front, avatar -> catalog: data that their
/// news replaced. Destroying the message frees it, which must not happen on an event loop.
struct discarded {
  std::shared_ptr<const void> what;
};

/// catalog -> fronts, ingestion, bookkeeping, supervisor: on subscribing and when tokens change.
/// blocking pool -> catalog: a poll found that they moved.
struct tokens_changed {
  model::token_snapshot tokens;
};

/// geoip_watch -> its subscribers: sent on subscribing and whenever GeoIP files were replaced.
struct geoip_changed {
  std::shared_ptr<const store::geoip> geoip;
};

/// latency_map -> its subscribers: on subscribing, and at most once a second when it knows more.
struct latencies_changed {
  std::shared_ptr<const model::latency_snapshot> latencies;
};

/// supervisor -> catalog, geoip_watch, latency_map: the actors to send changes to from now on.
struct subscribers {
  /// Subscribers to changes of what the receiver owns.
  std::vector<caf::actor> members;
  /// Subscribers to changes of tokens; for the catalog only.
  std::vector<caf::actor> token_holders = {};
};

} // namespace matchcloud::actors
