#pragma once

#include "store/open_sqlite.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

/// A `bulk` connection has a page cache of so much, and moves its log into the database once that
/// has so much, between transactions. Others have SQLite's own ways: 2 MB and 4 MB.
inline constexpr std::int64_t bulk_cache_bytes = 64LL * 1024 * 1024;
inline constexpr std::int64_t bulk_log_bytes = 128LL * 1024 * 1024;

/// A connection as a session. Fails as `open_sqlite` does. Its revisions are in the order of the
/// commits because SQLite has one writer at a time, who counts under the lock.
base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const sqlite_settings& settings);

} // namespace matchcloud::store
