#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// The folder of a control group, whose files say what its processes may use.
struct control_group_folder {
  std::string path;
  /// Of cgroup v2, whose files have other names.
  bool is_v2 = false;

  bool operator==(const control_group_folder&) const = default;
};

/// The folders whose limits on `controller` (such as `cpu`) apply to a process: its own group and
/// all visible ancestors, of v1, v2 or both. `mounts` is the text of /proc/self/mountinfo, and
/// `groups` is the text of /proc/self/cgroup (proc(5), cgroups(7)). Lines that cannot be read are
/// skipped.
std::vector<control_group_folder> control_group_folders(std::string_view mounts,
                                                        std::string_view groups,
                                                        std::string_view controller);

/// The processor time of a control group: `quota_us` in each `period_us`.
struct cpu_quota {
  std::uint64_t quota_us = 0;
  std::uint64_t period_us = 0;

  /// How many processors can be busy all the time, such as 1.5.
  double processors() const noexcept;

  bool operator==(const cpu_quota&) const = default;
};

/// Reads `cpu.max` of cgroup v2; empty if it sets no limit.
std::optional<cpu_quota> parse_cpu_max(std::string_view text);
/// Reads `cpu.cfs_quota_us` and `cpu.cfs_period_us` of cgroup v1; empty if they set no limit.
std::optional<cpu_quota> parse_cfs_quota(std::string_view quota, std::string_view period);

/// A limit, and the control group that has it.
template <class Limit>
struct control_group_limit {
  Limit limit{};
  std::string folder;
};

/// The smallest CPU quota of this process's control groups; empty if none has one. `root` is
/// prepended to all paths, for tests.
std::optional<control_group_limit<cpu_quota>> find_cpu_quota(const std::string& root = {});
/// The smallest limit on the number of processes and threads (`pids.max`) likewise.
std::optional<control_group_limit<std::uint64_t>> find_pids_limit(const std::string& root = {});

/// The smallest limit on memory (`memory.max`), in bytes, likewise.
std::optional<control_group_limit<std::uint64_t>> find_memory_limit(const std::string& root = {});

} // namespace matchcloud::app
