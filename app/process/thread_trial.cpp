#include "app/process/thread_trial.hpp"

#include "app/process/control_groups.hpp"
#include "base/clock.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

namespace matchcloud::app {

namespace {

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

/// How many of `wanted` threads could be started. All have ended at the return.
std::size_t count_startable(std::size_t wanted) {
  const auto before = counted_threads();
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

} // namespace

base::expected<void> try_threads(std::size_t needed) {
  const auto has = std::max<std::size_t>(1, counted_threads());
  if (has >= needed) return {};
  const auto allowed = has + count_startable(needed - has);
  if (allowed == needed) return {};
  auto limits = describe_thread_limits();
  if (!limits.empty()) limits = ": " + limits;
  return base::fail(base::errc::unavailable,
                    "this configuration needs " + std::to_string(needed) +
                        " threads, and the system allows " + std::to_string(allowed) + limits +
                        ". Raise the limit (ulimit -u, LimitNPROC= and TasksMax= of systemd, "
                        "--pids-limit of docker), or use fewer --loops and --export-jobs");
}

std::string describe_thread_limits() {
  std::string text;
  const auto add = [&text](const std::string& limit) {
    text.append(text.empty() ? "" : ", ").append(limit);
  };
  rlimit processes{};
  if (::getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur != RLIM_INFINITY)
    add("RLIMIT_NPROC, for all threads of this user, is " + std::to_string(processes.rlim_cur));
  if (const auto pids = find_pids_limit())
    add("pids.max of " + pids->folder + " is " + std::to_string(pids->limit));
  rlimit memory{};
  if (::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)
    add("RLIMIT_AS, which each thread's stack counts against, is " +
        std::to_string(memory.rlim_cur));
  return text;
}

} // namespace matchcloud::app
