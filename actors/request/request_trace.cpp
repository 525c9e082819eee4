#include "actors/request/request_trace.hpp"

#include <algorithm>

namespace matchcloud::actors {

std::size_t request_trace::begin(const char* place, base::steady_time now,
                                 step_kind kind) noexcept {
  if (used_.load(std::memory_order_relaxed) >= steps_limit) return steps_limit;
  const std::size_t number = used_.fetch_add(1, std::memory_order_relaxed);
  if (number >= steps_limit) return steps_limit;
  auto& into = slots_[number];
  into.kind.store(kind, std::memory_order_relaxed);
  into.began.store(now, std::memory_order_relaxed);
  into.ended.store(now, std::memory_order_relaxed);
  into.place.store(place, std::memory_order_release);
  return number;
}

void request_trace::end(std::size_t step, base::steady_time now) noexcept {
  if (step < steps_limit) slots_[step].ended.store(now, std::memory_order_relaxed);
}

void request_trace::end(std::size_t number, const char* place,
                        const std::vector<base::fault_hold>& holds,
                        base::steady_time now) noexcept {
  for (const auto& [at, began, ended] : holds) {
    end(number, began);
    add(base::facts_of(at).name.data(), began, ended, step_kind::fault);
    number = begin(place, ended);
  }
  end(number, now);
}

std::vector<request_trace::step> request_trace::steps() const {
  std::vector<step> found;
  const auto used = std::min<std::size_t>(used_.load(std::memory_order_relaxed), steps_limit);
  for (std::size_t i = 0; i < used; ++i) {
    const auto& from = slots_[i];
    const auto* place = from.place.load(std::memory_order_acquire);
    if (place != nullptr)
      found.push_back({place, from.kind.load(std::memory_order_relaxed),
                       from.began.load(std::memory_order_relaxed),
                       from.ended.load(std::memory_order_relaxed)});
  }
  std::ranges::stable_sort(found, {}, &step::began);
  return found;
}

} // namespace matchcloud::actors
