#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// The result of examining a store without changing it.
struct store_examination {
  /// The engine and its version, such as `PostgreSQL 15.4`.
  std::string engine;
  /// The version of the schema; 0: none yet, the first start creates it.
  std::int64_t version = 0;
  /// The newest version that this program knows.
  std::int64_t newest = 0;
  /// What a service needs and the store lacks, each as a sentence that also says what to do.
  std::vector<std::string> lacks;
  /// How far the store's clock is ahead of this machine's; empty for an embedded store.
  std::optional<std::chrono::milliseconds> ahead;
  /// The server's connection limit for all clients together; empty without a server.
  std::optional<std::int64_t> connections_limit;
};

} // namespace matchcloud::store
