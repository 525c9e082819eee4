#include "store/files/file_state.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>

namespace matchcloud::store {

namespace {

std::int64_t whole_nanoseconds(const timespec& time) noexcept {
  constexpr std::int64_t per_second = 1'000'000'000;
  return std::int64_t{time.tv_sec} * per_second + time.tv_nsec;
}

} // namespace

file_state file_state::of(const std::string& path) noexcept {
  file_state found;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    found.failure = errno;
    return found;
  }
  found.device = status.st_dev;
  found.inode = status.st_ino;
  found.size_bytes = status.st_size;
  found.modified_ns = whole_nanoseconds(status.st_mtim);
  found.changed_ns = whole_nanoseconds(status.st_ctim);
  return found;
}

bool file_state::is_fresh() const noexcept {
  using namespace std::chrono;
  constexpr nanoseconds two_ticks = milliseconds{20};
  const auto age = system_clock::now() - system_clock::time_point{nanoseconds{changed_ns}};
  // A time in the future comes from another machine or from before the clock was set back; that is
  // no reason to wait.
  return abs(age) < two_ticks;
}

} // namespace matchcloud::store
