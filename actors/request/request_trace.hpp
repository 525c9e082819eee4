#pragma once

#include "base/clock.hpp"
#include "base/faults.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// The kind of a step of a request.
enum class step_kind : std::uint8_t {
  /// An actor or thread worked on it.
  work,
  /// An injected fault delayed it.
  fault,
};

inline constexpr std::array<std::string_view, 3> trace_step_names{"work", "wait", "fault"};

/// The trace of one request: which parts worked on it, and when. A part of its ticket. Any thread.
class request_trace {
public:
  /// Later steps are left out.
  static constexpr std::size_t steps_limit = 16;

  struct step {
    /// Has static storage duration: the kind of an actor, what a thread waited for, or the name of
    /// a fault point.
    const char* place = nullptr;
    step_kind kind = step_kind::work;
    base::steady_time began;
    base::steady_time ended;
  };

  /// Nobody else may share it.
  void renew() noexcept {
    used_.store(0, std::memory_order_relaxed);
    is_sampled_.store(false, std::memory_order_relaxed);
  }
  /// Makes event loops note their steps, too, and the request is kept however it ends.
  void sample() noexcept { is_sampled_.store(true, std::memory_order_relaxed); }
  bool is_sampled() const noexcept { return is_sampled_.load(std::memory_order_relaxed); }

  /// Notes the beginning of a step. Returns its number, for `end`.
  std::size_t begin(const char* place, base::steady_time now,
                    step_kind kind = step_kind::work) noexcept;
  void end(std::size_t step, base::steady_time now) noexcept;
  void add(const char* place, base::steady_time began, base::steady_time ended,
           step_kind kind = step_kind::work) noexcept {
    end(begin(place, began, kind), ended);
  }
  /// Ends a step of work at `place`, cut where faults held it up.
  void end(std::size_t number, const char* place, const std::vector<base::fault_hold>& holds,
           base::steady_time now) noexcept;
  /// In the order of their begin.
  std::vector<step> steps() const;

private:
  struct slot {
    std::atomic<const char*> place{nullptr};
    std::atomic<step_kind> kind{step_kind::work};
    std::atomic<base::steady_time> began{};
    std::atomic<base::steady_time> ended{};
  };

  std::array<slot, steps_limit> slots_;
  std::atomic<std::uint32_t> used_{0};
  std::atomic<bool> is_sampled_{false};
};

/// The times when work for several requests began and ended; each of them notes it.
struct work_time {
  base::steady_time began = base::machine_clock().now();
  base::steady_time ended;
  /// What faults held up on its thread in that time.
  std::vector<base::fault_hold> holds;

  /// Begins now, on this thread.
  static work_time begin() {
    base::faults::take_holds();
    return {};
  }
  void end() {
    ended = base::machine_clock().now();
    holds = base::faults::take_holds();
  }
};

} // namespace matchcloud::actors
