#pragma once

#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether a data directory has a store. Fails with `store_failed` if the directory cannot be
/// accessed.
base::expected<bool> find_store(const std::string& data_dir);
/// The same, but false if the directory cannot be accessed.
bool has_store(const std::string& data_dir);

/// The dangers of a data directory with a store, as sentences for the log: other users can write to
/// it, or its database is elsewhere.
std::vector<std::string> hazards_of(const std::string& data_dir);

/// Examines the store of a data directory without changing anything, also while processes use it.
/// Fails as `open_sqlite` would.
base::expected<store_examination> examine_sqlite(const std::string& data_dir);

/// Opens the store of a data directory, creating and migrating it if necessary. Sessions that are
/// opened later use the same file and never create one: they fail with `store_failed` while its
/// name refers to another file or to none. So a store that vanished is not replaced by an empty
/// one. Fails with `store_newer`, `store_full` or `store_failed`. A store with a newer schema is
/// used as it is, or left untouched if it excludes programs as old as this one.
base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const store_settings& settings = {});

struct postgres_settings {
  /// A connection string of libpq: `postgresql://..`, or `name=value ..`.
  std::string url;
  /// Whether a server beyond loopback may be reached without `sslmode=verify-full`.
  bool allow_unverified = false;
  /// How long a change waits for another session's change before it fails.
  std::chrono::milliseconds patience = std::chrono::minutes{1};
  /// How long a statement may take before the server ends it. The client waits `answer_grace`
  /// longer and then abandons the connection.
  std::chrono::milliseconds statement_timeout{5'000};
  session_limits sessions = {};
  older_schema older = older_schema::migrates;
};

/// How much longer than `statement_timeout` the client waits for a result.
inline constexpr std::chrono::milliseconds answer_grace{1'000};
/// How long connecting to one host may take, unless the connection string says `connect_timeout`.
inline constexpr std::chrono::seconds connect_timeout{3};
/// After a failure to connect, how long further sessions fail immediately: from the least, doubled
/// by each failure, up to the most.
inline constexpr std::chrono::milliseconds reconnect_least{50};
inline constexpr std::chrono::milliseconds reconnect_most{1'000};

/// Whether `text` names a store of PostgreSQL, by its scheme.
bool is_postgres_url(std::string_view text) noexcept;

/// Checks a connection string without connecting. Fails with `config_invalid`; the detail never
/// contains a password.
base::expected<void> check_postgres_url(const std::string& url);
/// Whether a connection string that passes the check has a password.
bool has_password(const std::string& url);

/// Whether a PostgreSQL database has a store. Creates nothing. Fails with `config_invalid` or
/// `store_failed`.
base::expected<bool> find_postgres_store(const postgres_settings& settings);

/// Examines a PostgreSQL database without changing anything. Privileges that the role lacks are in
/// `store_examination::lacks`. Fails as `open_postgres` would.
base::expected<store_examination> examine_postgres(const postgres_settings& settings);

/// Opens the store in a PostgreSQL database, creating and migrating it if necessary. Its tables are
/// in the schema `matchcloud`. Fails with `config_invalid`, `store_newer`, `store_full` or
/// `store_failed`.
base::expected<std::shared_ptr<database>> open_postgres(const postgres_settings& settings);

} // namespace matchcloud::store
