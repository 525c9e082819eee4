#pragma once

#include "base/clock.hpp"
#include "base/faults.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace matchcloud::http {

/// By what rules choose a connection: its client's address and its number.
inline base::fault_subject fault_subject_of(const base::fault_bytes& peer,
                                            std::uint64_t number) noexcept {
  if (!base::faults::chooses_senders()) return {};
  return {base::faults::chosen({0, peer, nullptr, number}), nullptr};
}

/// One pass of a fault point on an event loop, which must not block: an operation that a fault
/// delays or stalls is begun again later. Until it ends, it counts as one pass, for which the rule
/// decides once. Loop thread only.
class loop_pass {
public:
  /// How often to check whether the fault is still injected.
  static constexpr std::chrono::milliseconds look_interval{10};

  explicit loop_pass(base::fault_point at) noexcept : at_{at} {}

  /// The fault of this pass, which is about `of`. While `is_held`, the operation must not happen
  /// yet: begin it again at `again_at`.
  base::fault begin(base::steady_time now, const base::fault_subject& of = {}) noexcept {
    if (!hit_) {
      hit_ = base::faults::strike(at_, of);
      if (hit_) held_until_ = is_stalled() ? base::steady_time::max() : now + hit_.delay;
    } else if (!base::faults::in_force(at_, hit_.rule)) {
      end();
    }
    if (is_held() && now >= held_until_) end();
    return hit_;
  }
  /// The operation has happened; the next `begin` starts another pass.
  void end() noexcept { hit_ = {}; }

  base::fault_point at() const noexcept { return at_; }
  bool is_held() const noexcept { return is_stalled() || hit_.kind == base::fault_kind::delay; }
  base::steady_time again_at(base::steady_time now) const noexcept {
    return std::min(held_until_, now + look_interval);
  }

private:
  bool is_stalled() const noexcept { return hit_.kind == base::fault_kind::stall; }

  base::fault_point at_;
  base::fault hit_;
  base::steady_time held_until_;
};

} // namespace matchcloud::http
