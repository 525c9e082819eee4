// g++ 12's ThreadSanitizer does not intercept pthread_mutex_clocklock, which std::timed_mutex uses
// for timed waits, and therefore reports what such a mutex protects as unprotected. It does
// intercept pthread_mutex_timedlock, which differs only in its clock. This definition in the
// program takes precedence over the C library's.
#include <pthread.h>
#include <time.h> // NOLINT(modernize-deprecated-headers): POSIX, not C

#include <cstdint>

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

std::int64_t nanoseconds(const timespec& at) {
  return at.tv_sec * nanoseconds_per_second + at.tv_nsec;
}

std::int64_t now(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return nanoseconds(at);
}

} // namespace

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) noexcept {
  const auto at = now(CLOCK_REALTIME) + nanoseconds(*until) - now(clock);
  const timespec by_day{at / nanoseconds_per_second, at % nanoseconds_per_second};
  return pthread_mutex_timedlock(mutex, &by_day);
}
