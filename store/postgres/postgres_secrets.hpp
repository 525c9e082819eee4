#pragma once

#include "base/clock.hpp"
#include "base/crypto/signing.hpp"
#include "base/expected.hpp"
#include "store/open_store.hpp"
#include "store/secrets/secret_store.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The size limit of a file with a master key.
inline constexpr std::size_t master_key_file_limit_bytes = 4UL * 1024;

/// Reads the key that secrets are encrypted under: a file with 64 hexadecimal digits, and nothing
/// else but white space and comments (#). Only its owner may be able to read it. Fails with
/// `config_invalid`; the detail says what to do, and never what was found.
base::expected<base::secret_bytes> read_master_key(const std::string& path);

/// Encrypts with AES-256-GCM (NIST SP 800-38D) and a random nonce. `name` is authenticated, so that
/// one secret cannot replace another.
std::string seal(const base::secret_bytes& key, std::string_view name, std::string_view text);
/// Decrypts what `seal` made. Fails with `store_failed` if the key is different, or if the bytes or
/// the name were changed.
base::expected<std::string> unseal(const base::secret_bytes& key, std::string_view name,
                                   std::string_view sealed);

class postgres_connection;

/// The secret of a store in PostgreSQL, in a table, encrypted with a master key that the database
/// does not have: a dump reveals nothing. Uses its own connection, opened when needed. A lock of
/// the row makes changes happen one at a time. Any thread that may wait.
class postgres_secrets final : public secret_store {
public:
  /// Connects at the first call. The schema must exist: open the store first.
  postgres_secrets(postgres_settings settings, const base::secret_bytes& key,
                   const base::clock& clock = base::machine_clock());
  ~postgres_secrets() override;

  base::expected<secret_versions> load() override;
  base::expected<std::optional<secret_versions>> find() override;

private:
  base::expected<void> apply(const change& make) override;

  // These require the lock, and throw.
  void connect();
  std::optional<secret_versions> read(bool locks);
  secret_versions load_or_create();

  const postgres_settings settings_;
  const base::secret_bytes key_;
  const base::clock* clock_;
  std::mutex mutex_;
  std::unique_ptr<postgres_connection> on_;
};

} // namespace matchcloud::store
