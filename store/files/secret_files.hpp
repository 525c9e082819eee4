#pragma once

#include "base/clock.hpp"
#include "store/secrets/secret_store.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The secret in a file of a data directory (mode 0600), which all processes on the directory
/// share: `DATA_DIR/signing-keys`. `base::secret_exposure` decides whether its permissions are
/// strict enough. Keeps no secret in memory; any thread.
///
/// A first version is written to a temporary file with O_EXCL, synced, then linked. Changes are
/// made under the directory's lock: written to a temporary file, synced, then renamed. So a reader
/// finds the versions either before or after a change.
class secret_files final : public secret_store {
public:
  /// The directory need not exist. `clock` gives the creation time of a first version; it must
  /// outlive this object.
  explicit secret_files(std::string data_dir, const base::clock& clock = base::machine_clock());

  base::expected<secret_versions> load() override;
  base::expected<std::optional<secret_versions>> find() override;

private:
  base::expected<void> apply(const change& make) override;

  /// Loads the versions or creates a first one. The caller holds the directory's lock. Throws.
  secret_versions load_alone() const;

  const std::string data_dir_;
  const std::string path_;
  const base::clock* const clock_;
  /// Then a data directory that is gone must not be recreated with nothing but new secrets in it.
  std::atomic<bool> has_loaded_{false};
};

} // namespace matchcloud::store
