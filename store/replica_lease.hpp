#pragma once

#include "model/text/uuid.hpp"
#include "store/database.hpp"

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

private:
  std::atomic<std::uint32_t> count_{1};
};

/// Says in a store that this process serves from it, and counts those that do. One thread at a
/// time.
class replica_lease {
public:
  replica_lease(std::shared_ptr<database> in, const model::uuid& replica_id,
                std::shared_ptr<replica_count> count)
      : in_{std::move(in)}, replica_id_{replica_id}, count_{std::move(count)} {}

  /// Call this once a second. While the store does not answer, the last count stays. Waits for the
  /// store.
  void renew() {
    const auto serving = in_->replicas().and_then(
        [&](const auto& in) { return in->renew_replica(replica_id_, replica_lease_time); });
    if (serving) count_->note(*serving);
  }

private:
  std::shared_ptr<database> in_;
  model::uuid replica_id_;
  std::shared_ptr<replica_count> count_;
};

} // namespace matchcloud::store
