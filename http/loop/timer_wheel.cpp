#include "http/loop/timer_wheel.hpp"

#include <algorithm>
#include <bit>

namespace matchcloud::http {

void timer::unlink() noexcept {
  if (next_ == nullptr) return;
  prev_->next_ = next_;
  next_->prev_ = prev_;
  prev_ = next_ = nullptr;
}

// A slot is a circular list through its head. An empty slot's head links to itself, so the links of
// a head are never null.
timer_wheel::slot_head::slot_head() noexcept {
  prev_ = next_ = this;
}

bool timer_wheel::slot_head::empty() const noexcept {
  return next_ == this;
}

timer_wheel::timer_wheel(base::steady_time start) : start_{start} {}

std::uint64_t timer_wheel::tick_of(base::steady_time when) const noexcept {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when - start_);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, since.count() / tick.count()));
}

void timer_wheel::link(timer& which, std::uint64_t slot_tick) noexcept {
  const auto slot = slot_tick % slot_count;
  auto& head = slots_[slot];
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  which.slot_tick_ = slot_tick;
  which.prev_ = head.prev_;
  which.next_ = &head;
  head.prev_->next_ = &which;
  head.prev_ = &which;
}

void timer_wheel::arm(timer& which, base::steady_time deadline) {
  // The first tick after the deadline, so that the timer never fires early.
  which.due_ = std::max(tick_of(deadline) + 1, current_ + 1);
  const auto slot_tick = std::min(which.due_, current_ + slot_count - 1);
  if (which.armed()) {
    if (which.slot_tick_ <= slot_tick) return;
    which.unlink();
  }
  link(which, slot_tick);
}

void timer_wheel::advance(base::steady_time now) {
  const auto target = tick_of(now);
  while (current_ < target)
    fire_slot(++current_);
}

void timer_wheel::fire_slot(std::uint64_t tick_now) {
  auto& head = slots_[tick_now % slot_count];
  if (head.empty()) return;
  // Detach the list first, so that the loop handles only what the slot held at its tick, whatever
  // timers `on_deadline` arms.
  slot_head due;
  due.next_ = head.next_;
  due.prev_ = head.prev_;
  due.next_->prev_ = &due;
  due.prev_->next_ = &due;
  head.prev_ = head.next_ = &head;
  while (!due.empty()) {
    auto& first = *due.next_;
    first.unlink();
    if (first.due_ > tick_now)
      link(first, std::min(first.due_, tick_now + slot_count - 1));
    else
      first.on_deadline();
  }
}

std::optional<std::chrono::milliseconds> timer_wheel::next_delay(base::steady_time now) {
  for (std::uint64_t tick_ahead = current_ + 1; tick_ahead < current_ + slot_count;) {
    const auto slot = tick_ahead % slot_count;
    auto& word = occupied_[slot / 64];
    const auto rest = word >> (slot % 64);
    if (rest == 0) {
      tick_ahead += 64 - slot % 64;
      continue;
    }
    tick_ahead += static_cast<std::uint64_t>(std::countr_zero(rest));
    if (tick_ahead >= current_ + slot_count) break;
    if (slots_[tick_ahead % slot_count].empty()) {
      word &= ~(std::uint64_t{1} << (tick_ahead % slot_count % 64));
      continue;
    }
    const auto at = start_ + tick * static_cast<std::int64_t>(tick_ahead);
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(at - now),
                    std::chrono::milliseconds{0});
  }
  return std::nullopt;
}

} // namespace matchcloud::http
