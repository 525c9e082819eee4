#include "app/process/process_limits.hpp"

#include "base/clock.hpp"

#include <spdlog/fmt/fmt.h>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace matchcloud::app {

namespace {

/// The number at the beginning of a file; empty for `max`, and if it cannot be read.
std::optional<double> number_in(const std::string& path) {
  std::ifstream file{path};
  double number = 0;
  return file >> number ? std::optional{number} : std::nullopt;
}

/// The smallest of the limits that `read(folder, is_v2)` finds for `controller`, such as `cpu`.
template <class Read>
std::optional<control_group_limit> smallest(const std::string& root, pid_t process,
                                            const std::string& controller, const Read& read) {
  std::optional<control_group_limit> found;
  // A line is NUMBER:CONTROLLERS:GROUP, without controllers for v2 (cgroups(7)).
  std::ifstream groups{root + folder_of_process(process) + "/cgroup"};
  std::string number;
  std::string controllers;
  std::string group;
  while (std::getline(groups, number, ':') && std::getline(groups, controllers, ':') &&
         std::getline(groups, group)) {
    const bool is_v2 = controllers.empty();
    if (!is_v2 && ("," + controllers + ",").find("," + controller + ",") == controllers.npos)
      continue;
    const auto top = "/sys/fs/cgroup" + (is_v2 ? "" : "/" + controller);
    // In a container the path may be the host's: the groups that are not there limit nothing, and
    // the one at the top is the container's own.
    for (auto folder = group == "/" ? top : top + group; folder.size() >= top.size();
         folder.resize(folder.rfind('/'))) {
      const auto limit = read(root + folder, is_v2);
      if (limit && (!found || *limit < found->limit)) found = {*limit, folder};
    }
  }
  return found;
}

std::size_t count_allowed(pid_t of) {
  cpu_set_t set;
  if (::sched_getaffinity(of, sizeof set, &set) == 0)
    return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency(); // with more processors than the set has
}

/// A thread counts against limits until the kernel has removed it, a moment after it was joined.
constexpr std::chrono::seconds removal_patience{1};

/// The kernel's count of this process's threads; 0 if unknown.
std::size_t counted_threads() {
  std::error_code failed;
  const std::filesystem::directory_iterator tasks{"/proc/self/task", failed};
  if (failed) return 0;
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

void wait_until_removed(std::size_t remaining) {
  const auto until = base::machine_clock().now() + removal_patience;
  while (counted_threads() > remaining && base::machine_clock().now() < until)
    std::this_thread::yield();
}

/// How many of `wanted` threads could be started next to those `before`. All have ended at the
/// return.
std::size_t count_startable(std::size_t wanted, std::size_t before) {
  std::atomic<bool> may_end{false};
  std::vector<std::thread> started;
  started.reserve(wanted);
  try {
    while (started.size() < wanted)
      started.emplace_back([&may_end] { may_end.wait(false); });
  } catch (const std::system_error&) { // that was the last one
  }
  may_end = true;
  may_end.notify_all();
  for (auto& each : started)
    each.join();
  wait_until_removed(before);
  return started.size();
}

std::optional<double> processor_s() {
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return std::nullopt;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::optional<double> pages_bytes(std::size_t place) {
  std::ifstream file{"/proc/self/statm"};
  double pages = 0;
  for (std::size_t i = 0; i <= place; ++i)
    if (!(file >> pages)) return std::nullopt;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::optional<double> most_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

std::optional<double> open_descriptors() {
  std::error_code failed;
  const std::filesystem::directory_iterator all{"/proc/self/fd", failed};
  // No descriptor is left for counting the others.
  if (failed.value() == EMFILE) return most_descriptors();
  if (failed) return std::nullopt;
  // Minus the one that reads the directory.
  return static_cast<double>(std::distance(begin(all), end(all)) - 1);
}

template <class Read>
void add(base::metric_set& in, base::metric_type type, const base::metric_text& text, Read read) {
  in.add(type, text, [read](const base::metric_set::sink& to) {
    if (const auto value = read()) to({}, {*value});
  });
}

} // namespace

std::string folder_of_process(pid_t process) {
  return "/proc/" + (process == 0 ? "self" : std::to_string(process));
}

std::optional<control_group_limit> find_cpu_quota(const std::string& root, pid_t process) {
  return smallest(root, process, "cpu", [](const std::string& folder, bool is_v2) {
    double quota = 0; // `max` or -1: no limit
    double period = 0;
    std::ifstream times{folder + (is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us")};
    times >> quota;
    if (is_v2)
      times >> period;
    else
      std::ifstream{folder + "/cpu.cfs_period_us"} >> period;
    const bool has_quota = quota > 0 && period > 0;
    return has_quota ? std::optional{quota / period} : std::nullopt;
  });
}

std::optional<control_group_limit> find_pids_limit(const std::string& root) {
  return smallest(root, 0, "pids",
                  [](const std::string& folder, bool) { return number_in(folder + "/pids.max"); });
}

std::optional<control_group_limit> find_memory_limit(const std::string& root, pid_t process) {
  return smallest(root, process, "memory", [](const std::string& folder, bool is_v2) {
    return number_in(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  });
}

std::size_t processors::usable() const noexcept {
  const auto most = std::max<std::size_t>(1, allowed);
  if (!quota || quota->limit >= static_cast<double>(most)) return most;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(quota->limit)));
}

std::string processors::describe() const {
  auto text = fmt::format("{} may use {} processor{}",
                          of == 0 ? "this process" : "process " + std::to_string(of), allowed,
                          allowed == 1 ? "" : "s");
  if (quota)
    text += fmt::format(", and the CPU quota of {} allows {:.3g}", quota->folder, quota->limit);
  return text;
}

processors find_processors(pid_t of) {
  return {std::max<std::size_t>(1, count_allowed(of)), find_cpu_quota({}, of), of};
}

base::expected<void> try_threads(std::size_t needed) {
  const auto has = std::max<std::size_t>(1, counted_threads());
  if (has >= needed) return {};
  const auto allowed = has + count_startable(needed - has, has);
  if (allowed == needed) return {};
  const auto limits = describe_thread_limits();
  return base::fail(
      base::errc::unavailable,
      fmt::format("this configuration needs {} threads, and the system allows {}{}{}. Raise the "
                  "limit (ulimit -u, LimitNPROC= and TasksMax= of systemd, --pids-limit of "
                  "docker), or use fewer --loops and --export-jobs",
                  needed, allowed, limits.empty() ? "" : ": ", limits));
}

std::string describe_thread_limits() {
  std::vector<std::string> all;
  const auto limit_of = [](int which) -> std::optional<rlim_t> {
    rlimit found{};
    if (::getrlimit(which, &found) != 0 || found.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return found.rlim_cur;
  };
  if (const auto processes = limit_of(RLIMIT_NPROC))
    all.push_back(fmt::format("RLIMIT_NPROC, for all threads of this user, is {}", *processes));
  if (const auto pids = find_pids_limit())
    all.push_back(fmt::format("pids.max of {} is {:.0f}", pids->folder, pids->limit));
  if (const auto memory = limit_of(RLIMIT_AS))
    all.push_back(
        fmt::format("RLIMIT_AS, which each thread's stack counts against, is {}", *memory));
  return fmt::format("{}", fmt::join(all, ", "));
}

void show_process(base::metric_set& in, std::int64_t started_ms) {
  using base::metric_type;
  add(in, metric_type::gauge,
      {"process_start_time_seconds", "Start time of the process, in seconds since 1970."},
      [started_ms] { return std::optional{static_cast<double>(started_ms) / 1e3}; });
  add(in, metric_type::counter,
      {"process_cpu_seconds_total", "Processor time used by the process, in user and system mode."},
      processor_s);
  add(in, metric_type::gauge, {"process_resident_memory_bytes", "Resident memory of the process."},
      [] { return pages_bytes(1); });
  add(in, metric_type::gauge, {"process_virtual_memory_bytes", "Address space of the process."},
      [] { return pages_bytes(0); });
  add(in, metric_type::gauge, {"process_open_fds", "Open descriptors of the process."},
      open_descriptors);
  add(in, metric_type::gauge,
      {"process_max_fds", "Descriptors that the process may have (RLIMIT_NOFILE)."},
      most_descriptors);
}

} // namespace matchcloud::app
