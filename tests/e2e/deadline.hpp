#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace matchcloud::e2e {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long anything may take that must happen: generous, for busy machines and sanitizers. A test
/// that waits for it and is content never takes that long.
#ifdef __SANITIZE_THREAD__
inline constexpr milliseconds patience{120'000};
#else
inline constexpr milliseconds patience{20'000};
#endif

/// A moment by which something must have happened.
class deadline {
public:
  explicit deadline(milliseconds after = patience) : at_{clock::now() + after} {}

  bool passed() const { return clock::now() >= at_; }
  /// Never negative.
  milliseconds left() const {
    return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(at_ - clock::now()));
  }

private:
  clock::time_point at_;
};

/// Waits until `fd` has any of `events`. False once `until` has passed.
inline bool wait_for(int fd, short events, const deadline& until) {
  while (true) {
    pollfd watched{fd, events, 0};
    if (::poll(&watched, 1, static_cast<int>(until.left().count())) > 0) return true;
    if (until.passed()) return false;
  }
}

/// Lets `pause` go by, unless `fd` has something to read before: true then. What a test waits for
/// shows on a descriptor; that nothing shows there is a wait as well.
inline bool readable_within(int fd, milliseconds pause) {
  return wait_for(fd, POLLIN, deadline{pause});
}

/// Whether `condition` holds before `until`; asked again every few milliseconds.
template <class Condition>
bool eventually(Condition&& condition, const deadline& until = deadline{}) {
  while (!condition()) {
    if (until.passed()) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

} // namespace matchcloud::e2e
