#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"
#include "store/housekeeping/batch_pace.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace matchcloud::store {

struct housekeeper_settings {
  std::shared_ptr<database> in;
  /// Where images are.
  std::shared_ptr<object_store> objects;
  /// Outlives the housekeeper.
  export_store* exports = nullptr;
  /// Names this process in leases.
  model::uuid owner = {};
  const base::clock* clock = &base::machine_clock();
  /// How long lobbies are kept from their stop, unless their game says otherwise; 0: for ever.
  std::chrono::days history{0};
  /// How long entries of the audit log are kept, and tokens that are over.
  std::chrono::hours audit{365 * 24};
  std::chrono::hours tokens{30 * 24};
  /// From one look at what has expired to the next.
  std::chrono::milliseconds expiry_interval{std::chrono::hours{1}};
  /// Whether it removes what has expired; else only what is to be erased.
  bool expires = true;
  /// Whether it rests between batches, for those who are served meanwhile.
  bool rests = true;
};

/// Removes what is not kept: lobbies whose time is over, games and avatars that are to be erased,
/// old entries of the audit log and old tokens. In bounded batches, on the one process that has the
/// lease of it. What it did before it died or was stopped is done; the next one goes on.
///
/// One thread at a time but for `stop` and metrics; calls wait for the store and the disk.
class housekeeper {
public:
  explicit housekeeper(housekeeper_settings settings) : settings_{std::move(settings)} {}

  /// Does what is to be done now, unless another process does it. Fails like the store; what is
  /// left is done by a later call.
  base::expected<void> run();
  /// Ends `run`, now and from now on, soon. Any thread.
  void stop() noexcept { stopping_.request_stop(); }

  void show(base::metric_set& in) const { in.add(metrics_); }

private:
  using step = base::expected<void> (housekeeper::*)();

  bool is_stopping() const noexcept { return stopping_.stop_requested(); }
  /// Whether the work is to end: somebody stops it, or another process does it now.
  bool must_end() const noexcept { return is_stopping() || has_lost_lease_; }
  /// Whether anything is to be done.
  base::expected<bool> has_work(bool is_expiry_due);
  /// Has the lease for some time more; false if another process has it.
  base::expected<bool> hold_lease();
  /// The same where it is time to. Also false if the work is to end.
  base::expected<bool> keep_lease();
  base::expected<void> work(bool is_expiry_due);

  base::expected<void> remove_images();
  base::expected<void> erase_all(bool with_finished);
  /// A part of an erasure, until nothing is found or somebody stops it.
  base::expected<void> erase(const erasure& which);
  base::expected<void> erase_late(const model::uuid& game_id);
  base::expected<void> erase_exports(const model::uuid& game_id);
  base::expected<void> erase_avatars(const model::uuid& game_id);
  base::expected<void> erase_lobbies(const model::uuid& game_id);
  base::expected<void> expire_lobbies();
  base::expected<void> expire_lobbies_of(const model::uuid& game_id, std::int64_t horizon_ts,
                                         const model::audit_run_ptr& run);
  base::expected<void> expire_audit();
  base::expected<void> expire_tokens();
  /// Runs a batch, then rests. Returns false if the work is to end.
  base::expected<bool> in_pace(batch_pace& pace,
                               const std::function<base::expected<void>()>& batch);

  housekeeper_settings settings_;
  std::stop_source stopping_;
  std::mutex mutex_;
  std::condition_variable_any rest_;
  /// That of lobbies.
  batch_pace pace_;
  std::optional<base::steady_time> next_expiry_;
  base::steady_time lease_renewed_{};
  bool has_lost_lease_ = false;

  base::metric_set metrics_;
  base::counter expired_{
      metrics_,
      {"matchcloud_lobbies_expired_total", "Lobbies removed because their time was over."}};
  base::gauge due_{metrics_,
                   {"matchcloud_lobbies_due", "Lobbies whose time is over, at the last look."}};
  base::counter erased_{metrics_,
                        {"matchcloud_lobbies_erased_total", "Lobbies removed with their game."}};
  base::gauge erasing_{
      metrics_, {"matchcloud_erasures_unfinished", "Games of whose data something is left."}};
};

/// How long a process has the lease of housekeeping after it last said so.
inline constexpr std::chrono::milliseconds housekeeping_lease{10'000};

/// Removes the images of a removed avatar, as far as they are in `objects`. Fails like the objects
/// or the store. A service's housekeeper goes on with what is left.
base::expected<void> remove_images_of(database& in, object_store& objects,
                                      const model::uuid& upload_id);

} // namespace matchcloud::store
