#include "app/process/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <thread>

namespace matchcloud::app {

namespace {

std::size_t count_allowed(pid_t of) {
  cpu_set_t set;
  if (::sched_getaffinity(of, sizeof set, &set) == 0)
    return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency(); // with more processors than the set has
}

} // namespace

std::size_t processors::usable() const noexcept {
  const auto most = std::max<std::size_t>(1, allowed);
  if (!quota || quota->limit >= static_cast<double>(most)) return most;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(quota->limit)));
}

std::string processors::describe() const {
  auto text = (of == 0 ? "this process" : "process " + std::to_string(of)) + " may use " +
              std::to_string(allowed) + (allowed == 1 ? " processor" : " processors");
  if (!quota) return text;
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.3g", quota->limit);
  text += ", and the CPU quota of " + quota->folder + " allows " + number.data();
  return text;
}

processors find_processors(pid_t of) {
  return {std::max<std::size_t>(1, count_allowed(of)), find_cpu_quota({}, of), of};
}

} // namespace matchcloud::app
