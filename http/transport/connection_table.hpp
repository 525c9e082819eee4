#pragma once

#include "actors/request/messages.hpp"
#include "base/check.hpp"
#include "http/transport/connection.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace matchcloud::http {

/// The connections of one event loop, each in a slot, which references to its exchanges name. Slots
/// are reused; a generation tells a slot's connections apart. Loop thread only, except `size`.
class connection_table {
public:
  /// The number of connections; those that closed in this turn count until it ends. Any thread.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::size_t slot_count() const noexcept { return slots_.size(); }
  /// The connection in a slot; null: none.
  connection* in(std::uint32_t index) const noexcept { return slots_[index].held.get(); }
  /// The connection whose current exchange, and attempt, is `ref`; null: none.
  connection* current(actors::exchange_ref ref) const noexcept {
    const auto index = static_cast<std::uint32_t>(ref.exchange >> 32U);
    if (index >= slots_.size()) return nullptr;
    auto* held = in(index);
    return held != nullptr && held->is_current(ref) ? held : nullptr;
  }

  /// Puts the connection that `make(index, generation)` returns into a free slot.
  template <class Make>
  connection& add(Make&& make) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const auto index = free_.back();
    free_.pop_back();
    auto& into = slots_[index];
    into.held = make(index, into.generation);
    size_.fetch_add(1, std::memory_order_relaxed);
    return *into.held;
  }

  /// The connection is closed: `drop_closed` destroys it and frees its slot.
  void note_closed(const connection& which) {
    base::check(in(which.slot()) == &which, "a connection closes in its slot");
    closed_.push_back(which.slot());
  }
  /// Not within a call of a connection. False: none had closed.
  bool drop_closed() {
    if (closed_.empty()) return false;
    for (const auto index : closed_) {
      auto& each = slots_[index];
      each.generation = each.held->generation();
      each.held.reset();
      free_.push_back(index);
    }
    size_.fetch_sub(closed_.size(), std::memory_order_relaxed);
    closed_.clear();
    return true;
  }

  /// Calls `visit` with each connection, by slot. It may close connections.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& each : slots_)
      if (each.held) visit(*each.held);
  }

private:
  struct slot {
    std::unique_ptr<connection> held;
    /// The last generation that a connection here has used.
    std::uint32_t generation = 0;
  };

  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> closed_;
  std::atomic<std::size_t> size_{0};
};

} // namespace matchcloud::http
