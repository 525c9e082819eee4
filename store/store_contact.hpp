#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"

#include <atomic>
#include <chrono>

namespace matchcloud::store {

/// When the store last responded, so that code which runs on cached state knows the age of that
/// state. The catalog actor updates it at each poll. Any thread.
class store_contact {
public:
  explicit store_contact(base::steady_time now = base::machine_clock().now()) noexcept
      : last_{now.time_since_epoch().count()} {}

  void note(base::steady_time now) noexcept {
    last_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  std::chrono::milliseconds age(base::steady_time now) const noexcept {
    const base::steady_time last{
        base::steady_time::duration{last_.load(std::memory_order_relaxed)}};
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - last);
  }
  void show(base::metric_set& in) const {
    in.add_gauge(
        {"matchcloud_store_age_seconds",
         "Seconds since the store last answered: the greatest age of cached state."},
        [this] { return std::chrono::duration<double>{age(base::machine_clock().now())}.count(); });
  }

private:
  std::atomic<base::steady_time::rep> last_;
};

} // namespace matchcloud::store
