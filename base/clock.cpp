#include "base/clock.hpp"

namespace matchcloud::base {

namespace {

class machine final : public clock {
public:
  steady_time now() const noexcept override { return std::chrono::steady_clock::now(); }

  std::int64_t unix_ms() const noexcept override {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  }
};

} // namespace

const clock& machine_clock() noexcept {
  static const machine instance;
  return instance;
}

} // namespace matchcloud::base
