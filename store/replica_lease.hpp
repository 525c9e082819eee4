#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "model/text/uuid.hpp"
#include "store/database.hpp"
#include "store/store_clock.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace matchcloud::store {

/// How long a process counts as serving after it last said so.
inline constexpr std::chrono::milliseconds replica_lease_time{10'000};

/// How many processes serve from the store, as this one last knew. Any thread.
class replica_count {
public:
  void note(std::uint32_t count) noexcept { count_.store(count, std::memory_order_relaxed); }
  /// At least 1.
  std::uint32_t get() const noexcept { return count_.load(std::memory_order_relaxed); }
  void show(base::metric_set& in) const {
    in.add_gauge({"matchcloud_replicas", "Processes that serve from the store, this one included."},
                 [this] { return get(); });
  }

private:
  std::atomic<std::uint32_t> count_{1};
};

/// Says in a store that this process serves from it, counts those that do, and measures the store's
/// time. One thread at a time.
class replica_lease {
public:
  /// `clock` outlives this.
  replica_lease(std::shared_ptr<database> in, const model::uuid& replica_id,
                std::shared_ptr<replica_count> count, store_clock& clock)
      : in_{std::move(in)}, replica_id_{replica_id}, count_{std::move(count)}, clock_{&clock} {}

  /// Call this once a second. While the store does not answer, what was known stays. Waits for the
  /// store, and fails like it.
  base::expected<void> renew();

private:
  base::expected<void> measure(replica_registry& in);

  std::shared_ptr<database> in_;
  model::uuid replica_id_;
  std::shared_ptr<replica_count> count_;
  store_clock* clock_;
  /// The difference of the clocks that was logged last.
  std::chrono::milliseconds told_offset_{0};
};

} // namespace matchcloud::store
