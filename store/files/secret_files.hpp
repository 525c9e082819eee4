#pragma once

#include "base/clock.hpp"
#include "store/secrets/secret_ring.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::store {

/// Named secrets in files of a data directory, one each (mode 0600), which all processes on the
/// directory share: `DATA_DIR/signing-keys` for one. `base::secret_exposure` decides whether their
/// permissions are strict enough. Keeps no secret in memory; any thread.
///
/// A first version is written to a temporary file with O_EXCL, synced, then linked. Changes are
/// made under the directory's lock: written to a temporary file, synced, then renamed. So a reader
/// finds the versions either before or after a change.
class secret_files final : public secret_changes {
public:
  /// The directory need not exist. `clock` gives the creation time of a first version; it must
  /// outlive this object.
  explicit secret_files(std::string data_dir, const base::clock& clock = base::machine_clock());

  base::expected<secret_versions> load(secret_name name) override;
  base::expected<std::optional<secret_versions>> find(secret_name name) override;

private:
  base::expected<bool> apply(secret_name name, const change& make) override;

  std::string path_of(secret_name name) const;
  /// Loads the versions or creates a first one. The caller holds the directory's lock. Throws.
  secret_versions load_alone(secret_name name) const;

  const std::string data_dir_;
  const base::clock* const clock_;
  /// Then a data directory that is gone must not be recreated with nothing but new secrets in it.
  std::atomic<bool> has_loaded_{false};
};

} // namespace matchcloud::store
