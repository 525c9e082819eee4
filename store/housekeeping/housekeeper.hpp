#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"
#include "store/housekeeping/expiry_check.hpp"
#include "store/housekeeping/retention.hpp"
#include "store/object_store.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace matchcloud::store {

/// The size of a bulk removal's batches, and the rests between them. One thread.
class batch_pace {
public:
  /// How long a batch should take, including its commit. Others wait for it, for at most about 200
  /// ms.
  static constexpr std::chrono::milliseconds target{150};
  static constexpr std::size_t least = 500;
  static constexpr std::size_t most = 5'000;
  /// A rest is this many times as long as its batch took, so others lose at most a tenth.
  static constexpr int rest_factor = 10;

  /// The number of rows of the next batch.
  std::size_t size() const noexcept { return size_; }

  /// Notes how long a batch of `size` rows took. Returns how long to rest.
  std::chrono::milliseconds note(std::chrono::nanoseconds took) noexcept {
    const auto ns = std::max<double>(1, static_cast<double>(took.count()));
    // Assumes that half of it was the disk flush, which does not depend on the size.
    const auto factor = 2 * static_cast<double>(std::chrono::nanoseconds{target}.count()) / ns - 1;
    const auto wanted = static_cast<double>(size_) * std::clamp(factor, 0.0, 2.0);
    size_ = std::clamp(static_cast<std::size_t>(wanted), least, most);
    return std::chrono::ceil<std::chrono::milliseconds>(took * rest_factor);
  }

private:
  std::size_t size_ = least;
};

struct housekeeper_settings {
  std::shared_ptr<database> in;
  /// The store of images.
  std::shared_ptr<object_store> objects;
  /// Outlives the housekeeper.
  export_store* exports = nullptr;
  /// Names this process in leases.
  model::uuid owner = {};
  const base::clock* clock = &base::machine_clock();
  retention kept = {};
  /// The interval between two searches for expired data.
  std::chrono::milliseconds expiry_interval{std::chrono::hours{1}};
  /// Whether it rests between batches, so that requests are served in between.
  bool rests = true;
};

/// Removes what is not kept: expired lobbies, games and avatars to be erased, old entries of the
/// audit log and old tokens. It works in bounded batches, in the one process that holds the lease.
/// If it dies or is stopped, finished batches stay done, and the next housekeeper continues.
///
/// One thread at a time but for `stop` and metrics; calls wait for the store and the disk.
class housekeeper {
public:
  explicit housekeeper(housekeeper_settings settings)
      : settings_{std::move(settings)},
        next_expiry_{settings_.clock->now() + settings_.kept.delay} {}

  /// Does the work that is due, unless another process does it. Fails like the store; a later call
  /// does the rest.
  base::expected<void> run();
  /// Makes current and future calls of `run` end soon. Any thread.
  void stop() noexcept { stopping_.request_stop(); }

  void show(base::metric_set& in) const { in.add(metrics_); }

private:
  // All of these throw what the store fails with.

  /// Whether to search for what has expired.
  bool is_expiry_due();
  /// Whether there is work to do.
  bool has_work(bool is_expiry_due);
  /// Takes or extends the lease; false if another process has it.
  bool hold_lease();
  void work(bool is_expiry_due);

  // These throw `work_ended`, too, if the work must end.

  /// Extends the lease, if it is due for renewal.
  void go_on();
  /// Runs a batch, then rests.
  void in_pace(batch_pace& pace, const std::function<void()>& batch);
  void remove_images();
  void erase_all(bool with_finished);
  /// Runs an erasure until nothing is left.
  void erase(const model::uuid& game_id);
  void erase_names(const model::uuid& game_id);
  void erase_tokens(const model::uuid& game_id);
  void erase_exports(const model::uuid& game_id);
  void erase_avatars(const model::uuid& game_id);
  void erase_lobbies(const model::uuid& game_id);
  /// Removes what has expired, unless it has to wait.
  void expire();
  /// The retention of all games, with what is due.
  std::vector<game_retention> find_due(std::int64_t now_ms);
  void expire_lobbies(const expiry_check& check, std::int64_t now_ms);
  void expire_lobbies_of(const game_retention& which);
  void expire_audit();
  void expire_tokens();

  housekeeper_settings settings_;
  std::stop_source stopping_;
  std::mutex mutex_;
  std::condition_variable_any rest_;
  /// The pace of lobbies.
  batch_pace pace_;
  base::steady_time next_expiry_;
  /// When to look whether what waits was confirmed; nothing: nothing waits.
  std::optional<base::steady_time> next_look_;
  base::steady_time lease_renewed_{};

  base::metric_set metrics_;
  base::counter expired_{metrics_,
                         {"matchcloud_lobbies_expired_total",
                          "Lobbies removed because their retention time had passed."}};
  base::gauge due_{
      metrics_,
      {"matchcloud_lobbies_due", "Lobbies past their retention time, at the last count."}};
  base::counter erased_{
      metrics_,
      {"matchcloud_lobbies_erased_total", "Lobbies removed because their game was erased."}};
  base::gauge clock_in_doubt_{
      metrics_,
      {"matchcloud_expiry_clock_in_doubt",
       "1 while nothing expires because the clock is far ahead of what is stored."}};
  base::gauge waiting_{
      metrics_,
      {"matchcloud_expiry_waiting_games",
       "Games that have too many lobbies due at once, which wait for a confirmation."}};
  base::gauge erasing_{
      metrics_,
      {"matchcloud_erasures_unfinished", "Games that are being erased and still have data."}};
};

/// How long a process holds the housekeeping lease after it last renewed it.
inline constexpr std::chrono::milliseconds housekeeping_lease{10'000};

/// Removes the images of a removed avatar that are in `objects`. Fails like the objects or the
/// store. A service's housekeeper removes the rest.
base::expected<void> remove_images_of(database& in, object_store& objects,
                                      const model::uuid& upload_id);

} // namespace matchcloud::store
