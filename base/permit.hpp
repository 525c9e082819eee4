#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace matchcloud::base {

/// A place among what may be under way at once (requests of a transport, messages to an actor,
/// ingests), given back when destroyed. Any thread.
class permit {
public:
  permit() = default;
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;
  ~permit() { reset(); }

  /// Takes a place of `taken`, which must outlive this. False where `limit` are taken already.
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
