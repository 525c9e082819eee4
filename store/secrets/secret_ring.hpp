#pragma once

#include "base/expected.hpp"
#include "store/secrets/secret_store.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace matchcloud::store {

/// The current versions of one named secret, which change over time: one task calls `refresh`, any
/// thread reads. One per secret and process; any thread.
class secret_ring {
public:
  /// Loads the versions. Fails like `secret_store::load`.
  static base::expected<std::unique_ptr<secret_ring>> open(std::shared_ptr<secret_store> from,
                                                           secret_name name);

  /// The versions in force; never null.
  std::shared_ptr<const secret_versions> current() const;

  /// A number that grows whenever `current` changes, for readers that keep what they derived from
  /// it. A reader that reads this before `current` gets versions at least as new. Takes no lock.
  std::uint64_t revision() const noexcept { return revision_.load(std::memory_order_acquire); }

  /// Loads what this or another process has rotated since, unless another thread is doing
  /// that now. If it fails, the current versions stay in use, and the failure is logged once. Waits
  /// for the store.
  void refresh();

private:
  secret_ring(std::shared_ptr<secret_store> from, secret_name name, secret_versions versions);

  const std::shared_ptr<secret_store> from_;
  const secret_name name_;
  /// Held during a refresh. A concurrent one does nothing: it would wait for the same store.
  std::mutex refreshing_;
  bool failing_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const secret_versions> versions_;
  std::atomic<std::uint64_t> revision_{1};
};

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
