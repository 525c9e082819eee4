#include "app/process/process_limits.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <filesystem>
#include <fstream>

namespace matchcloud::app {
namespace {

/// A file system with control groups.
struct fake_root {
  fixtures::temporary_directory at;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file{at.path() + path};
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text;
  }
};

TEST_CASE("the smallest limit of a group and its ancestors counts") {
  const fake_root root;
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  CHECK_FALSE(find_pids_limit(root.at.path()));
  CHECK_FALSE(find_memory_limit(root.at.path()));
  root.write("/proc/self/cgroup", "0::/a/b\n");
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  root.write("/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
  root.write("/sys/fs/cgroup/a/b/pids.max", "max\n");
  CHECK(find_cpu_quota(root.at.path())->limit == 3);
  root.write("/sys/fs/cgroup/a/cpu.max", "50000 25000\n");
  root.write("/sys/fs/cgroup/a/pids.max", "40\n");
  const auto quota = find_cpu_quota(root.at.path());
  CHECK(quota->limit == 2);
  CHECK(quota->folder == "/sys/fs/cgroup/a");
  const auto pids = find_pids_limit(root.at.path());
  CHECK(pids->limit == 40);
  CHECK(pids->folder == "/sys/fs/cgroup/a");
  root.write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  CHECK_FALSE(find_memory_limit(root.at.path()));
  root.write("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  CHECK(find_memory_limit(root.at.path())->limit == 1'073'741'824);
}

TEST_CASE("limits of v1 are those of the controller's own groups, and count next to those of v2") {
  const fake_root root;
  root.write("/proc/self/cgroup", R"(9:name=systemd:/system.slice/matchcloud.service
8:pids:/system.slice/matchcloud.service
4:memory:/
3:cpuset:/
2:cpu,cpuacct:/system.slice/matchcloud.service
0::/app
)");
  const std::string above = "/sys/fs/cgroup/cpu/system.slice";
  root.write(above + "/matchcloud.service/cpu.cfs_quota_us", "-1\n");
  root.write(above + "/matchcloud.service/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  root.write(above + "/cpu.cfs_quota_us", "120000\n");
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  root.write(above + "/cpu.cfs_period_us", "100000\n");
  CHECK(find_cpu_quota(root.at.path())->limit == 1.2);
  root.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  CHECK(find_cpu_quota(root.at.path())->limit == 1);
  root.write("/sys/fs/cgroup/pids/system.slice/pids.max", "40\n");
  CHECK(find_pids_limit(root.at.path())->limit == 40);
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  CHECK(find_memory_limit(root.at.path())->limit == 1'073'741'824);
}

TEST_CASE("in a container the folder at the top is that of the process's own group") {
  const fake_root root;
  root.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  for (const auto* group : {"/", "/docker/4f7a", "/../elsewhere", "/.."}) {
    root.write("/proc/self/cgroup", "0::" + std::string{group} + "\n");
    CHECK(find_cpu_quota(root.at.path())->folder == "/sys/fs/cgroup");
  }
}

TEST_CASE("a text that is no CPU quota or names no group is none") {
  const fake_root root;
  root.write("/proc/self/cgroup", "0::/\n");
  for (const auto* text : {"max 100000\n", "max", "", "\n", "50000", "0 100000", "50000 0",
                           "-1 100000", "50000x 100000"}) {
    root.write("/sys/fs/cgroup/cpu.max", text);
    CHECK_FALSE(find_cpu_quota(root.at.path()));
  }
  root.write("/sys/fs/cgroup/cpu.max", "50000 100000");
  for (const auto* groups : {"", "\n", "0", "0:", "0::", "0::relative", "x", "2:cpuset:/\n"}) {
    root.write("/proc/self/cgroup", groups);
    CHECK_FALSE(find_cpu_quota(root.at.path()));
  }
}

} // namespace
} // namespace matchcloud::app
