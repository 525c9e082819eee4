#pragma once

#include "base/error.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace matchcloud::store {

/// Keeps a process away from a store that a newer program changed in a way unknown to this one.
/// Once closed it stays closed: only another program can use the store again. Any thread.
class store_fence {
public:
  /// `tell` is called once, by the caller that closes the fence. It must not use the fence.
  explicit store_fence(std::function<void(const base::error&)> tell = {})
      : tell_{std::move(tell)} {}

  /// From now on no database behind this fence lends a session.
  void close(const base::error& why) {
    const std::lock_guard lock{mutex_};
    if (why_) return;
    why_ = why;
    if (tell_) tell_(why);
  }
  /// Nothing while the store may be used.
  std::optional<base::error> why() const {
    const std::lock_guard lock{mutex_};
    return why_;
  }

private:
  const std::function<void(const base::error&)> tell_;
  mutable std::mutex mutex_;
  std::optional<base::error> why_;
};

} // namespace matchcloud::store
