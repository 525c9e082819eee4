#pragma once

#include "base/byte_budget.hpp"
#include "base/limits.hpp"
#include "http/transport/connection_shares.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/request_framer.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace matchcloud::http {

class loop_transport;

/// What the event loops of a process share. Immutable while they run, but for what says otherwise;
/// outlives them.
struct shared_bounds {
  base::limits limits;
  framer_limits framing;
  base::byte_budget budget;
  /// Connections of the process.
  std::atomic<std::size_t> connections{0};
  /// Of these, each client's, but for those of trusted proxies.
  connection_shares shares;
  proxy_trust trust;
  /// Those of all loops: each enters itself before any loop runs.
  std::vector<loop_transport*> transports;

  shared_bounds(const base::limits& configured, proxy_trust trusted);
};

} // namespace matchcloud::http
