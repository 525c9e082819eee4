#include "app/process/control_groups.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace matchcloud::app {

namespace {

/// The text of a small file; empty if it cannot be read.
std::string text_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A number at the beginning of a file; empty for `max`.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file{path};
  std::uint64_t number = 0;
  return file >> number ? std::optional{number} : std::nullopt;
}

/// The smallest of the limits that `read(folder, is_v2)` finds for `controller`, such as `cpu`.
template <class Limit, class Read>
std::optional<control_group_limit<Limit>>
smallest(const std::string& root, pid_t process, const std::string& controller, const Read& read) {
  std::optional<control_group_limit<Limit>> found;
  // A line is NUMBER:CONTROLLERS:GROUP, without controllers for v2 (cgroups(7)).
  std::istringstream groups{text_of(root + folder_of_process(process) + "/cgroup")};
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

} // namespace

std::string folder_of_process(pid_t process) {
  return "/proc/" + (process == 0 ? "self" : std::to_string(process));
}

std::optional<control_group_limit<double>> find_cpu_quota(const std::string& root, pid_t process) {
  return smallest<double>(root, process, "cpu", [](const std::string& folder, bool is_v2) {
    std::istringstream times{is_v2 ? text_of(folder + "/cpu.max")
                                   : text_of(folder + "/cpu.cfs_quota_us") +
                                         text_of(folder + "/cpu.cfs_period_us")};
    double quota = 0; // `max` or -1: no limit
    double period = 0;
    const bool has_quota = times >> quota >> period && quota > 0 && period > 0;
    return has_quota ? std::optional{quota / period} : std::nullopt;
  });
}

std::optional<control_group_limit<std::uint64_t>> find_pids_limit(const std::string& root) {
  return smallest<std::uint64_t>(root, 0, "pids", [](const std::string& folder, bool) {
    return number_in(folder + "/pids.max");
  });
}

std::optional<control_group_limit<std::uint64_t>> find_memory_limit(const std::string& root,
                                                                    pid_t process) {
  return smallest<std::uint64_t>(
      root, process, "memory", [](const std::string& folder, bool is_v2) {
        return number_in(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
      });
}

} // namespace matchcloud::app
