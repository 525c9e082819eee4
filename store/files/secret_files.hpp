#pragma once

#include "base/clock.hpp"
#include "store/secrets/secret_changes.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::store {

/// Named secrets in files of a data directory, one each (mode 0600), which all processes on the
/// directory share: `DATA_DIR/signing-keys` for one. `base::secret_exposure` says who may have
/// access to them. Keeps no secret in memory; any thread.
///
/// A first version is written aside with O_EXCL, synced, then linked. Changes are made under the
/// directory's lock: written aside, synced, then renamed. So whoever reads finds the versions
/// before a change or after it.
class secret_files final : public secret_changes {
public:
  /// The directory need not be there. `clock` tells when a first version is created; it must
  /// outlive this object.
  explicit secret_files(std::string data_dir, const base::clock& clock = base::machine_clock());

  base::expected<secret_versions> load(secret_name name) override;
  base::expected<std::optional<secret_versions>> find(secret_name name) override;

private:
  base::expected<bool> apply(secret_name name, const change& make) override;

  std::string path_of(secret_name name) const;
  /// Loads, or creates a first version, for which the caller holds the directory's lock.
  base::expected<secret_versions> load_alone(secret_name name);
  base::expected<void> create(secret_name name) const;
  /// Fails if the data directory was there and is not any more: it must not come back with nothing
  /// but new secrets in it.
  base::expected<void> check_directory() const;

  const std::string data_dir_;
  const base::clock* const clock_;
  std::atomic<bool> has_loaded_{false};
};

} // namespace matchcloud::store
