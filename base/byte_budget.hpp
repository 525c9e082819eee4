#pragma once

#include "base/check.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

namespace matchcloud::base {

/// Limits the bytes that requests and responses hold in the whole process. Lock-free. Any
/// thread.
class byte_budget {
public:
  explicit byte_budget(std::size_t limit_bytes) noexcept : limit_bytes_{limit_bytes} {}

  bool try_acquire(std::size_t bytes) noexcept {
    const auto used = used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used <= limit_bytes_) {
      // When two threads race here, the lower peak may win. The peak is informational only.
      if (used > peak_bytes_.load(std::memory_order_relaxed))
        peak_bytes_.store(used, std::memory_order_relaxed);
      return true;
    }
    used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  void release(std::size_t bytes) noexcept {
    const auto used = used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    check(used >= bytes, "a budget gets back no more than it gave");
  }

  /// Whether more than half of the budget is used.
  bool is_tight() const noexcept { return used_bytes() > limit_bytes_ / 2; }
  std::size_t used_bytes() const noexcept { return used_bytes_.load(std::memory_order_relaxed); }
  std::size_t limit_bytes() const noexcept { return limit_bytes_; }
  /// The highest use in bytes since the previous call.
  std::size_t take_peak() noexcept {
    return peak_bytes_.exchange(used_bytes(), std::memory_order_relaxed);
  }

private:
  std::size_t limit_bytes_;
  std::atomic<std::size_t> used_bytes_{0};
  std::atomic<std::size_t> peak_bytes_{0};
};

/// Bytes taken from a budget and returned to it when the lease is destroyed. The lease moves with
/// the data that it accounts for; the budget must outlive it.
class byte_lease {
public:
  byte_lease() = default;
  byte_lease(const byte_lease&) = delete;
  byte_lease& operator=(const byte_lease&) = delete;
  byte_lease(byte_lease&& other) noexcept
      : budget_{std::exchange(other.budget_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  byte_lease& operator=(byte_lease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~byte_lease() { reset(); }

  /// Makes the lease cover at least `bytes` of `budget`; it never shrinks. Returns false, and
  /// leaves the lease unchanged, if the budget is exhausted.
  bool grow_to(byte_budget& budget, std::size_t bytes) noexcept {
    if (bytes <= bytes_) return true;
    check(budget_ == nullptr || budget_ == &budget, "a lease grows in its own budget");
    if (!budget.try_acquire(bytes - bytes_)) return false;
    budget_ = &budget;
    bytes_ = bytes;
    return true;
  }

  void reset() noexcept {
    if (budget_ != nullptr) budget_->release(bytes_);
    budget_ = nullptr;
    bytes_ = 0;
  }

  std::size_t bytes() const noexcept { return bytes_; }

private:
  byte_budget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace matchcloud::base
