#pragma once

#include "store/database.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// The workload that a database is configured for.
enum class workload : std::uint8_t {
  /// Short requests; little memory per session.
  serving,
  /// Many rows at a time; more memory per session, and a larger backlog before it is tidied up (see
  /// `maintenance`).
  bulk,
};

/// What opening a store does with a schema that is older than the program's. A command that only
/// reads refuses it: looking at a store of another release must not take it away from that release.
enum class older_schema : std::uint8_t { migrates, refuses };

/// How a store is used, regardless of its engine.
struct store_settings {
  /// How long a change waits for another session's change before it fails.
  std::chrono::milliseconds patience = std::chrono::minutes{1};
  workload use = workload::serving;
  session_limits sessions = {};
  older_schema older = older_schema::migrates;
};

} // namespace matchcloud::store
