#include "app/process/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <thread>

namespace matchcloud::app {

namespace {

/// The kernel refuses sets that are smaller than its own; no kernel's set is larger than this.
constexpr int largest_set = 1 << 20;

struct free_set {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

std::size_t count_allowed() {
  for (int size = CPU_SETSIZE; size <= largest_set; size *= 2) {
    const std::unique_ptr<cpu_set_t, free_set> set{CPU_ALLOC(size)};
    const auto bytes = CPU_ALLOC_SIZE(size);
    if (set && ::sched_getaffinity(0, bytes, set.get()) == 0)
      return static_cast<std::size_t>(CPU_COUNT_S(bytes, set.get()));
    if (errno != EINVAL) break;
  }
  return std::thread::hardware_concurrency();
}

} // namespace

std::size_t processors::usable() const noexcept {
  const auto most = std::max<std::size_t>(1, allowed);
  if (!quota || quota->limit.processors() >= static_cast<double>(most)) return most;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(quota->limit.processors())));
}

std::string processors::describe() const {
  auto text = "this process may use " + std::to_string(allowed) +
              (allowed == 1 ? " processor" : " processors");
  if (!quota) return text;
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.3g", quota->limit.processors());
  text += ", and the CPU quota of " + quota->folder + " allows " + number.data();
  return text;
}

processors find_processors(const std::string& root) {
  return {std::max<std::size_t>(1, count_allowed()), find_cpu_quota(root)};
}

} // namespace matchcloud::app
