// What the machine offers to a process.
#include "app/doctor/amounts.hpp"
#include "app/doctor/health_checks.hpp"
#include "app/node/descriptors.hpp"
#include "app/node/thread_counts.hpp"
#include "app/process/control_groups.hpp"
#include "app/process/processors.hpp"
#include "app/process/thread_trial.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace matchcloud::app {

namespace {

/// The memory that a process may use, and the control group that limits it.
control_group_limit<std::uint64_t> usable_memory(pid_t process) {
  const auto physical = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto group = find_memory_limit({}, process);
  if (group && group->limit < physical) return *group;
  return {physical, {}};
}

/// The control groups of a process, as the kernel lists them.
std::string control_groups_of(pid_t process) {
  std::ifstream file{folder_of_process(process) + "/cgroup"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The hard RLIMIT_NOFILE of another process. Any user may read it (proc(5)), but prlimit(2)
/// refuses root in a container without CAP_SYS_RESOURCE.
std::optional<std::size_t> descriptors_allowed(pid_t process) {
  constexpr std::string_view name = "Max open files";
  std::ifstream file{folder_of_process(process) + "/limits"};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream values{line.substr(name.size())};
    std::string soft;
    std::size_t hard = 0;
    if (values >> soft >> hard) return hard;
  }
  return std::nullopt;
}

} // namespace

health_findings check_processors(examined_service& of) {
  const auto found = find_processors(of.serving());
  if (!of.configuration()) return {fine(found.describe())};
  const auto& config = of.config();
  if (data_loops(config) > found.usable())
    return {warned(of.served_by() + "; they share processors and wait for each other",
                   "leave out --loops, or use at most " + std::to_string(found.usable()))};
  return {fine(of.served_by())};
}

health_findings check_thread_limits(examined_service& of) {
  const auto needed = threads_needed(of.config());
  const auto enough = try_threads(needed);
  if (enough) return {fine(std::to_string(needed) + " are needed, and the system allows them")};
  // They count against the same limits.
  if (const auto& running = of.running()) {
    const auto process = name_of_process(running->pid);
    // A unit's limits are not those of the shell from which this command was started.
    if (control_groups_of(running->pid) != control_groups_of(0))
      return {fine(std::to_string(needed) + " are needed; the limits of " + process +
                   ", which is serving, are its own")};
    return {
        warned(enough.error().detail,
               process + " is serving, and a second process could not start to take over from it")};
  }
  return {refused(enough.error().detail)};
}

health_findings check_descriptor_limits(examined_service& of) {
  const auto& config = of.config();
  const auto serving = of.serving();
  const auto theirs = serving == 0 ? std::nullopt : descriptors_allowed(serving);
  if (!theirs)
    if (const auto enough = check_descriptors(config); !enough)
      return {refused(enough.error().detail)};
  const auto all = theirs ? *theirs : raise_descriptor_limit();
  const auto wanted = config.limits.connection_limit;
  const auto given = bounded_by_descriptors(config.limits, all).connection_limit;
  const auto limit = "the hard RLIMIT_NOFILE " +
                     (theirs ? "of " + name_of_process(serving) : "of this command") + " is " +
                     std::to_string(all);
  if (given < wanted)
    return {warned(limit + ", which allows " + std::to_string(given) + " connections, and " +
                       "max-connections is " + std::to_string(wanted),
                   "raise the limit (ulimit -Hn, LimitNOFILE= of systemd, --ulimit nofile=.. of "
                   "docker), or use --max-connections " +
                       std::to_string(given))};
  return {fine(limit + ", enough for max-connections, " + std::to_string(wanted))};
}

health_findings check_memory(examined_service& of) {
  const auto& limits = of.config().limits;
  const auto held = limits.byte_budget_bytes + limits.ops_byte_budget_bytes;
  const auto memory = usable_memory(of.serving());
  const auto may_use = memory.folder.empty()
                           ? "this machine has " + shown_bytes(memory.limit)
                           : memory.folder + " allows " + shown_bytes(memory.limit);
  const auto text = "requests may hold " + shown_bytes(held) + ", and " + may_use;
  if (held > memory.limit / 2)
    return {warned(text + ": more than half of it, so the kernel may kill the process",
                   "lower byte-budget-bytes and ops-byte-budget-bytes, or allow more memory "
                   "(MemoryMax= of systemd, --memory of docker)")};
  return {fine(text)};
}

} // namespace matchcloud::app
