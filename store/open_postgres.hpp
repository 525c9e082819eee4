#pragma once

#include "store/database.hpp"
#include "store/store_examination.hpp"
#include "store/store_settings.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::store {

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
