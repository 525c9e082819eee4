#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/latency/learned_entry.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/measured_latency.hpp"
#include "store/latency_store.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace matchcloud::actors {

/// front -> latency_map: what a client measured. Always answered with `json_made`.
struct report_latencies {
  exchange_ref exchange;
  model::ip_address client;
  std::vector<model::measured_latency> measured;
  ticket_ptr ticket = {};
};

/// front -> latency_map: the same, as a listing was asked for; nobody waits for an answer. Sent
/// only with a place in `report_gate::waiting`, which its handler gives back.
struct latencies_heard {
  model::ip_address client;
  std::vector<model::measured_latency> measured;
};

/// latency_map -> latency_map: what was learned is to be published, or to be kept.
struct publish_latencies {};
struct keep_latencies {};

/// blocking pool -> latency_map: a look at the store is over; `store_look` has what came of it.
struct store_looked {};

/// What became of what was to be kept, and what others have kept.
struct latencies_kept {
  /// What could not be kept.
  std::vector<model::learned_entry> unkept;
  /// Entries that changed in the store, in the order in which they did.
  std::vector<model::learned_entry> changed;
  /// Where reading the store began, and how far it is read.
  store::latency_position after;
  store::latency_position read;
  /// Whether there is more to read at once.
  bool has_more = false;
  /// Whether more has expired than was removed.
  bool expires_more = false;
  /// Why it failed, as far as it did.
  std::optional<base::error> failure;
};

} // namespace matchcloud::actors
