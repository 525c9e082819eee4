#pragma once

#include "store/open_store.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

/// The page cache of a `bulk` connection, and the size of the write-ahead log above which it
/// checkpoints, between transactions. Other connections use SQLite's defaults, 2 MB and 4 MB.
inline constexpr std::int64_t bulk_cache_bytes = 64LL * 1024 * 1024;
inline constexpr std::int64_t bulk_log_bytes = 128LL * 1024 * 1024;

/// The file in a data directory that names the backup being restored there. Until the database is
/// there, too, no other process creates one, because the restore would take it for its own.
inline constexpr const char* restoring_name = "restore.unfinished";

/// Opens a connection for copying the store whole: with the cache of `bulk`, and a log of up to
/// `bulk_log_bytes` that SQLite checkpoints itself. Throws what `open_sqlite` fails with, and
/// `store_newer` if the schema is newer at all.
std::unique_ptr<sql_connection> open_sqlite_connection(const std::string& data_dir,
                                                       older_schema older = older_schema::migrates);

/// Opens a connection as a session. Fails like `open_sqlite`. Revisions are in the order of the
/// commits, because SQLite has one writer at a time, which assigns them while it holds the lock.
base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const store_settings& settings);

} // namespace matchcloud::store
