#include "http/loop/timer_queue.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::http {

timer::~timer() {
  if (armed()) in_->cancel(*this);
}

timer_queue::~timer_queue() {
  for (const auto& [at, left] : queue_)
    left->in_ = nullptr;
}

std::uint64_t timer_queue::tick_of(base::steady_time when) const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, (when - start_) / tick));
}

void timer_queue::arm(timer& which, base::steady_time deadline) {
  // The first tick after the deadline, so that the timer never fires early.
  which.due_ = std::max(tick_of(deadline), current_) + 1;
  if (!which.armed()) {
    which.at_ = queue_.emplace(which.due_, &which);
    which.in_ = this;
  } else if (which.due_ < which.at_->first) {
    move(which);
  }
}

void timer_queue::move(timer& which) {
  auto moved = queue_.extract(which.at_);
  moved.key() = which.due_;
  which.at_ = queue_.insert(std::move(moved));
}

void timer_queue::cancel(timer& which) noexcept {
  if (std::exchange(which.in_, nullptr) != nullptr) queue_.erase(which.at_);
}

void timer_queue::advance(base::steady_time now) {
  const auto target = tick_of(now);
  while (!queue_.empty() && queue_.begin()->first <= target) {
    auto& [at, first] = *queue_.begin();
    current_ = at;
    if (first->due_ > current_) {
      move(*first);
      continue;
    }
    auto& due = *first;
    cancel(due);
    due.on_deadline();
  }
  current_ = std::max(current_, target);
}

std::optional<std::chrono::milliseconds> timer_queue::next_delay(base::steady_time now) const {
  if (queue_.empty()) return std::nullopt;
  const auto at = tick * static_cast<std::int64_t>(queue_.begin()->first);
  return std::max(at - std::chrono::floor<std::chrono::milliseconds>(now - start_), at.zero());
}

} // namespace matchcloud::http
