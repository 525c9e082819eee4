#include "base/clock.hpp"

#include "base/faults.hpp"

namespace matchcloud::base {

namespace {

/// The offset that fault injection adds to the time of day.
std::chrono::microseconds wrong_by() noexcept {
  constexpr auto most = std::chrono::microseconds{std::chrono::hours{1}}.count();
  const auto hit = faults::strike(fault_point::clock);
  if (hit.kind != fault_kind::corrupt) return hit.delay;
  return std::chrono::microseconds{static_cast<std::int64_t>(hit.random % (2 * most + 1)) - most};
}

class machine final : public clock {
public:
  steady_time now() const noexcept override { return std::chrono::steady_clock::now(); }

  std::int64_t unix_ms() const noexcept override {
    const auto since = std::chrono::system_clock::now().time_since_epoch() + wrong_by();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  }
};

} // namespace

const clock& machine_clock() noexcept {
  static const machine instance;
  return instance;
}

} // namespace matchcloud::base
