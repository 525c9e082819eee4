#pragma once

#include "base/byte_budget.hpp"
#include "http/request.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace matchcloud::http {

/// A place among what may be in flight at once (requests of a transport, ingests), given back when
/// destroyed. Any thread.
class in_flight_permit {
public:
  in_flight_permit() = default;
  in_flight_permit(const in_flight_permit&) = delete;
  in_flight_permit& operator=(const in_flight_permit&) = delete;
  ~in_flight_permit() { reset(); }

  /// Takes a place of `taken`. False where `limit` are taken already.
  bool acquire(std::atomic<std::size_t>& taken, std::size_t limit) noexcept {
    reset();
    if (taken.fetch_add(1, std::memory_order_relaxed) >= limit) {
      taken.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    taken_ = &taken;
    return true;
  }

  void reset() noexcept {
    if (auto* taken = std::exchange(taken_, nullptr))
      taken->fetch_sub(1, std::memory_order_relaxed);
  }

private:
  std::atomic<std::size_t>* taken_ = nullptr;
};

/// A request with what it holds of its transport's bounds. Messages to actors share it: whoever
/// lets go of it last gives the bounds back, so that a client that is gone does not make room
/// before its request is.
class admitted_request final : public request {
public:
  /// Covers head and body.
  base::byte_lease lease;
  in_flight_permit permit;
  /// Nobody waits for an answer any more: an actor may skip the work. Any thread.
  std::atomic<bool> over{false};

  /// Back to a fresh request, as `request::clear`.
  void recycle(std::size_t retain_bytes) {
    clear(retain_bytes);
    lease.reset();
    permit.reset();
    over.store(false, std::memory_order_relaxed);
  }
};

using request_ptr = std::shared_ptr<const admitted_request>;

} // namespace matchcloud::http
