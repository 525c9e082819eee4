#pragma once

#include "base/clock.hpp"
#include "base/crypto/secret_bytes.hpp"
#include "store/open_postgres.hpp"
#include "store/postgres/master_key.hpp"
#include "store/secrets/secret_changes.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace matchcloud::store {

class postgres_connection;

/// The secrets of a store in PostgreSQL, in a table, encrypted with a master key that the database
/// does not have: a dump reveals nothing. Uses its own connection, opened when needed. A lock of
/// the row makes changes happen one at a time. Any thread that may wait.
class postgres_secrets final : public secret_changes {
public:
  /// Connects at the first call. The schema must exist: open the store first.
  postgres_secrets(postgres_settings settings, const base::secret_bytes& key,
                   const base::clock& clock = base::machine_clock());
  ~postgres_secrets() override;

  base::expected<secret_versions> load(secret_name name) override;
  base::expected<std::optional<secret_versions>> find(secret_name name) override;

private:
  base::expected<bool> apply(secret_name name, const change& make) override;

  // These require the lock, and throw.
  postgres_connection& connected();
  std::optional<secret_versions> read(secret_name name, bool locks);
  secret_versions load_or_create(secret_name name);

  const postgres_settings settings_;
  const base::secret_bytes key_;
  const base::clock* clock_;
  std::mutex mutex_;
  std::unique_ptr<postgres_connection> on_;
};

} // namespace matchcloud::store
