#pragma once

#include "base/expected.hpp"
#include "store/secrets/secret_versions.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace matchcloud::store {

/// The role of the secret that signs URLs, which all processes on a store share. It is separate
/// from the roles of a `session`: a change writes no entry of the audit log, which is left to the
/// requesting command, and an engine may keep secrets elsewhere, as SQLite's does in files
/// (`secret_files`).
///
/// Any thread that may wait: calls block. All fail with `store_failed` or `store_full`, also if
/// other users can read the secrets or if they are damaged; the detail then says what to do and
/// never what was found. What a call has written is on disk when it returns. A call that fails has
/// written nothing, unless only its last step failed, the sync that makes it survive a power
/// failure. Times are milliseconds since 1970.
class secret_store {
public:
  virtual ~secret_store() = default;

  /// All versions, including expired ones. If there is none, creates the first from random bytes;
  /// if several processes do so at once, one wins, and all get its version.
  virtual base::expected<secret_versions> load() = 0;

  /// All versions, including expired ones; nothing if there are none yet. Creates nothing.
  virtual base::expected<std::optional<secret_versions>> find() = 0;

  /// Replaces the existing versions by those of another store.
  base::expected<void> replace(const secret_versions& versions);

  /// Makes a new version the newest, and removes those that are no longer accepted. Fails with
  /// `store_failed` if the number of accepted versions is at its limit: only `revoke` drops a
  /// version early. Running services pick up the new one within seconds.
  base::expected<void> rotate(std::int64_t now_ts, replaced_secrets replaced);

protected:
  /// Makes the next versions; may throw.
  using change = std::function<secret_versions(const secret_versions& before)>;

private:
  /// Loads the versions, makes the next ones and stores them atomically, one change at a time.
  virtual base::expected<void> apply(const change& make) = 0;
};

/// The current versions of the secret, which change over time: one task calls `refresh`, any thread
/// reads. One per process; any thread.
class secret_ring {
public:
  /// Loads the versions. Fails like `secret_store::load`.
  static base::expected<std::unique_ptr<secret_ring>> open(std::shared_ptr<secret_store> from);

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
  secret_ring(std::shared_ptr<secret_store> from, secret_versions versions);

  const std::shared_ptr<secret_store> from_;
  /// Held during a refresh. A concurrent one does nothing: it would wait for the same store.
  std::mutex refreshing_;
  bool failing_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const secret_versions> versions_;
  std::atomic<std::uint64_t> revision_{1};
};

} // namespace matchcloud::store
