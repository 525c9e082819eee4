#pragma once

#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

/// The workload that a database is configured for.
enum class workload : std::uint8_t {
  /// Short requests; little memory per session.
  serving,
  /// Many rows at a time; more memory per session, and a larger backlog before it is tidied up (see
  /// `maintenance`).
  bulk,
};

struct sqlite_settings {
  /// How long a change waits for another session's change before it fails.
  std::chrono::milliseconds patience = std::chrono::minutes{1};
  workload use = workload::serving;
  session_limits sessions = {};
};

/// Whether a data directory has a store; false if the directory cannot be accessed.
bool has_store(const std::string& data_dir);

/// Opens the store of a data directory, creating and migrating it if necessary. Sessions that are
/// opened later do not create it, so a store that has vanished is not replaced by an empty one.
/// Fails with `store_newer`, `store_full` or `store_failed`; a store from a newer version is not
/// touched.
base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const sqlite_settings& settings = {});

} // namespace matchcloud::store
