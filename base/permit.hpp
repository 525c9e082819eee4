#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace matchcloud::base {

/// One of a limited number of slots (requests of a transport, messages to an actor, ingests),
/// returned when destroyed. Any thread.
class permit {
public:
  permit() = default;
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;
  ~permit() { reset(); }

  /// Takes a slot by incrementing `taken`, which must outlive the permit. Returns false if `limit`
  /// slots are already taken.
  bool acquire(std::atomic<std::size_t>& taken, std::size_t limit) noexcept {
    reset();
    if (taken.fetch_add(1, std::memory_order_relaxed) >= limit) {
      taken.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    taken_ = &taken;
    return true;
  }

  bool held() const noexcept { return taken_ != nullptr; }

  void reset() noexcept {
    if (auto* taken = std::exchange(taken_, nullptr))
      taken->fetch_sub(1, std::memory_order_relaxed);
  }

private:
  std::atomic<std::size_t>* taken_ = nullptr;
};

} // namespace matchcloud::base
