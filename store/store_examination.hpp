#pragma once

#include "base/error.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// What a look at a store finds that changes nothing there.
struct store_examination {
  /// The engine and its version, such as `PostgreSQL 15.4`.
  std::string engine;
  /// The version of the schema; 0: there is none yet, and the first start makes it.
  std::int64_t version = 0;
  /// The newest version that this program knows.
  std::int64_t newest = 0;
  /// What a service needs and does not have there, each as a sentence with what to do.
  std::vector<std::string> lacks;
  /// How far the store's clock is ahead of this machine's; empty where the store is on it.
  std::optional<std::chrono::milliseconds> ahead;
  /// Connections that the server gives to all of its clients together; empty without a server.
  std::optional<std::int64_t> connections_limit;
};

/// The same of a bucket, which was reached.
struct bucket_examination {
  /// Why requests that a service needs were refused.
  std::vector<base::error> refusals;
  /// How far the clock of the service of objects is ahead of this machine's, to about a second;
  /// empty if it does not say.
  std::optional<std::chrono::milliseconds> ahead;
};

} // namespace matchcloud::store
