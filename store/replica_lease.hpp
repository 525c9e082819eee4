#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"
#include "store/replica_registry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The machine's clocks, with the time of day corrected to the store's: what expires in a shared
/// store expires at the same time for all machines. Until the first measurement, and for an
/// embedded store, it is the machine's own time. Any thread.
class store_clock final : public base::clock {
public:
  /// `machine` outlives this.
  explicit store_clock(const base::clock& machine = base::machine_clock()) noexcept
      : machine_{&machine} {}

  base::steady_time now() const noexcept override { return machine_->now(); }
  std::int64_t unix_ms() const noexcept override {
    return machine_->unix_ms() + offset_ms_.load(std::memory_order_relaxed);
  }

  /// Notes the store's time at some moment of `round_trip`, which has just ended.
  void note(std::int64_t store_ms, std::chrono::milliseconds round_trip) noexcept {
    // The error of a measurement is at most half its round trip.
    if (is_measured_.exchange(true, std::memory_order_relaxed) && round_trip > round_trip_limit)
      return;
    offset_ms_.store(store_ms + round_trip.count() / 2 - machine_->unix_ms(),
                     std::memory_order_relaxed);
  }

  /// How far the store's clock is ahead of the machine's; negative: behind.
  std::chrono::milliseconds offset() const noexcept {
    return std::chrono::milliseconds{offset_ms_.load(std::memory_order_relaxed)};
  }

private:
  /// Measurements that took longer do not replace an earlier one.
  static constexpr std::chrono::milliseconds round_trip_limit{500};

  const base::clock* machine_;
  std::atomic<bool> is_measured_{false};
  std::atomic<std::int64_t> offset_ms_{0};
};

/// How long a process counts as serving after it last said so.
inline constexpr std::chrono::milliseconds replica_lease_time{10'000};

/// How many processes serve from the store, by the last renewal. Any thread.
class replica_count {
public:
  void note(std::uint32_t count) noexcept { count_.store(count, std::memory_order_relaxed); }
  /// At least 1.
  std::uint32_t get() const noexcept { return count_.load(std::memory_order_relaxed); }
  void note_failure() noexcept { failed_.add(); }
  void show(base::metric_set& in) const {
    in.add({"matchcloud_replica_renewals_failed_total",
            "Times that this process could not say in the store that it serves."},
           failed_);
    in.add_gauge({"matchcloud_replicas", "Processes that serve from the store, this one included."},
                 [this] { return get(); });
  }

private:
  std::atomic<std::uint32_t> count_{1};
  base::counter failed_;
};

/// The summaries that the processes serving from the store publish about themselves, as last read
/// by this one. Any thread.
class replica_board {
public:
  /// Sets this process's own summary; called from now on, on any thread, until `end`.
  void tell_with(std::function<std::string()> summary) {
    const std::lock_guard lock{mutex_};
    summary_ = std::move(summary);
  }
  void end() { tell_with(nullptr); }
  /// Empty before `tell_with`.
  std::string summary() const {
    const std::lock_guard lock{mutex_};
    return summary_ ? summary_() : std::string{};
  }
  void note(std::vector<replica_told> heard) {
    const std::lock_guard lock{mutex_};
    heard_ = std::move(heard);
  }
  std::vector<replica_told> heard() const {
    const std::lock_guard lock{mutex_};
    return heard_;
  }

private:
  mutable std::mutex mutex_;
  std::function<std::string()> summary_;
  std::vector<replica_told> heard_;
};

/// Records in a store that this process serves from it and how it is, reads the same of the others,
/// and measures the store's time. One thread at a time.
class replica_lease {
public:
  /// `clock` outlives this.
  replica_lease(std::shared_ptr<database> in, const model::uuid& replica_id,
                std::shared_ptr<replica_count> count, std::shared_ptr<replica_board> board,
                store_clock& clock)
      : in_{std::move(in)},
        replica_id_{replica_id},
        count_{std::move(count)},
        board_{std::move(board)},
        clock_{&clock} {}

  /// Call this once a second. While the store does not respond, the last known state stays. Waits
  /// for the store, and fails like it.
  base::expected<void> renew();

private:
  /// Every third renewal also exchanges summaries.
  static constexpr int renewals_per_word = 3;

  // These throw.
  void renew_in(replica_registry& in);
  void exchange_words(replica_registry& in);
  void measure(replica_registry& in);

  std::shared_ptr<database> in_;
  model::uuid replica_id_;
  std::shared_ptr<replica_count> count_;
  std::shared_ptr<replica_board> board_;
  store_clock* clock_;
  int renewals_ = 0;
  /// The last logged difference of the clocks.
  std::chrono::milliseconds told_offset_{0};
};

} // namespace matchcloud::store
