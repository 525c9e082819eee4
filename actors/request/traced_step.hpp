#pragma once

#include "actors/request/ticket.hpp"

namespace matchcloud::actors {

/// Set on the threads of event loops, where requests are so short that only sampled ones note their
/// steps.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline thread_local bool notes_only_sampled = false;

/// Notes a step of work in the trace of a request, for as long as this object lives.
class traced_step {
public:
  /// `of` may be null and outlives this. `place` has static storage duration.
  traced_step(ticket* of, const char* place) {
    if (of == nullptr || (notes_only_sampled && !of->trace.is_sampled())) [[likely]]
      return;
    of_ = of;
    place_ = place;
    base::faults::take_holds();
    step_ = of_->trace.begin(place, base::machine_clock().now());
  }
  ~traced_step() {
    if (of_ != nullptr) [[unlikely]]
      of_->trace.end(step_, place_, base::faults::take_holds(), base::machine_clock().now());
  }
  traced_step(const traced_step&) = delete;
  traced_step& operator=(const traced_step&) = delete;

private:
  ticket* of_ = nullptr;
  const char* place_ = nullptr;
  std::size_t step_ = 0;
};

/// Notes in the trace of a request when it was worked on. `of` may be null; work that did not end
/// is not noted. `place` has static storage duration.
inline void note_work(const ticket_ptr& of, const char* place, const work_time& when) {
  if (of && when.ended >= when.began)
    of->trace.end(of->trace.begin(place, when.began), place, when.holds, when.ended);
}

} // namespace matchcloud::actors
