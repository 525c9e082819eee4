#pragma once

#include "store/secrets/secret_store.hpp"

#include <functional>
#include <optional>

namespace matchcloud::store {

/// The common part of secret stores: how rotations change versions. An engine stores the versions
/// and allows one change at a time.
class secret_changes : public secret_store {
public:
  base::expected<void> replace(secret_name name, const secret_versions& versions) final;
  base::expected<void> rotate(secret_name name, std::int64_t now_ts,
                              replaced_secrets replaced) final;

protected:
  /// Makes the next versions; empty: the current ones stay.
  using change =
      std::function<base::expected<std::optional<secret_versions>>(const secret_versions& before)>;

private:
  /// Loads the versions, makes the next ones and stores them atomically. Returns whether anything
  /// changed.
  virtual base::expected<bool> apply(secret_name name, const change& make) = 0;
};

} // namespace matchcloud::store
