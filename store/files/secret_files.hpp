#pragma once

#include "base/clock.hpp"
#include "store/secret_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::store {

/// Named secrets in files of a data directory, one each (mode 0600), which all processes on the
/// directory share: `DATA_DIR/signing-keys` for one. Keeps nothing in memory; any thread.
///
/// A first version is written aside with O_EXCL, synced, then linked. Changes are made under the
/// directory's lock: written aside, synced, then renamed. So whoever reads finds the versions
/// before a change or after it.
class secret_files final : public secret_store {
public:
  /// The directory need not be there. `clock` tells when a first version is created; it must
  /// outlive this object.
  explicit secret_files(std::string data_dir, const base::clock& clock = base::machine_clock());

  base::expected<secret_versions> load(secret_name name) override;
  base::expected<void> rotate(secret_name name, std::int64_t now_ts,
                              replaced_secrets replaced) override;
  base::expected<bool> rotate_if_due(secret_name name, std::int64_t now_ts,
                                     std::int64_t due_ts) override;
  base::expected<std::size_t> prune(secret_name name, std::int64_t now_ts) override;

private:
  /// Makes the versions after a change from those before it, or nothing where there is no change.
  using change =
      std::function<base::expected<std::optional<secret_versions>>(const secret_versions&)>;

  std::string path_of(secret_name name) const;
  base::expected<void> create(secret_name name) const;
  /// Keeps out other changes while it reads, changes and writes. Returns whether there was a
  /// change.
  base::expected<bool> apply(secret_name name, const change& make);

  const std::string data_dir_;
  const base::clock* const clock_;
};

} // namespace matchcloud::store
