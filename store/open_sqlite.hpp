#pragma once

#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

/// What a database is for.
enum class workload : std::uint8_t {
  /// Short requests; little memory for each session.
  serving,
  /// Many rows at once: more memory for each session, and more is acknowledged before it is tidied
  /// away (see `maintenance`).
  bulk,
};

struct sqlite_settings {
  /// How long a change waits for another session's before it fails.
  std::chrono::milliseconds patience = std::chrono::minutes{1};
  workload use = workload::serving;
  session_limits sessions = {};
};

/// Whether a data directory has a store; where it cannot be seen, it has none.
bool has_store(const std::string& data_dir);

/// Opens (creates, migrates) the store of a data directory. Sessions that are opened later do not
/// create it: one that is gone meanwhile stays gone. Fails with `store_newer`, `store_full`
/// or `store_failed`; a store from a newer version is not touched.
base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const sqlite_settings& settings = {});

} // namespace matchcloud::store
