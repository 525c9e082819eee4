#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// A clock that the test moves, from 2013-05-24T00:00:00Z on. Any thread.
class moved_clock final : public base::clock {
public:
  base::steady_time now() const noexcept override { return base::steady_time{moved_.load()}; }
  std::int64_t unix_ms() const noexcept override {
    return 1'369'353'600'000 + moved_.load().count();
  }
  void move(std::chrono::milliseconds by) { moved_ = moved_.load() + by; }

private:
  std::atomic<std::chrono::milliseconds> moved_{std::chrono::milliseconds{0}};
};

} // namespace matchcloud::store
