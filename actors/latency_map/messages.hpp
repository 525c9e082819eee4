#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "base/siphash.hpp"
#include "model/latency/voices.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/measured_latency.hpp"
#include "store/latency_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// front -> latency_map: what a client measured. Always answered with `json_made`.
struct report_latencies {
  exchange_ref exchange;
  model::ip_address client;
  std::vector<model::measured_latency> measured;
  /// What selects the client's namespace, as in `rank_regions`: only its regions count.
  std::string origin_host = {};
  std::optional<model::uuid> namespace_id = {};
  ticket_ptr ticket = {};
};

/// front -> latency_map: the same, from a request for a listing; nothing waits for an answer. Sent
/// only with a place in `report_gate::waiting`, which the handler frees.
struct latencies_heard {
  model::ip_address client;
  std::vector<model::measured_latency> measured;
  std::string origin_host = {};
  std::optional<model::uuid> namespace_id = {};
};

/// latency_map -> latency_map: time to publish, or to store, what was learned.
struct publish_latencies {};
struct keep_latencies {};

/// blocking pool -> latency_map: an access to the store is over; `store_look` has its result.
struct store_looked {};

/// The result of storing what was learned, and what others have stored.
struct latencies_kept {
  /// Entries that could not be stored.
  std::vector<model::learned_entry> unkept;
  /// The key of networks' hashes; nothing if it could not be read.
  std::optional<base::siphash_key> key;
  /// Entries that changed in the store, in the order of their changes.
  std::vector<model::learned_entry> changed;
  /// Where reading the store began, and how far it has been read.
  store::latency_position after;
  store::latency_position read;
  /// Whether there is more to read now.
  bool has_more = false;
  /// Whether more has expired than was removed.
  bool expires_more = false;
  /// Why a part of it failed, if any did.
  std::optional<base::error> failure;
};

} // namespace matchcloud::actors
