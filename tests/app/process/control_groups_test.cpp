#include "app/process/control_groups.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <filesystem>
#include <fstream>

namespace matchcloud::app {
namespace {

/// A system with a hierarchy of v1 for each controller.
constexpr auto v1_mounts = R"(22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/root rw
31 22 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
)";
constexpr auto v1_groups = R"(9:name=systemd:/system.slice/matchcloud.service
8:pids:/system.slice/matchcloud.service
3:cpuset:/
2:cpu,cpuacct:/system.slice/matchcloud.service
)";
constexpr auto v2_mounts = R"(22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
)";

using folders = std::vector<control_group_folder>;

TEST_CASE("the control groups of v1 are those of the controller's own hierarchy, with ancestors") {
  CHECK(control_group_folders(v1_mounts, v1_groups, "cpu") ==
        folders{{"/sys/fs/cgroup/cpu,cpuacct/system.slice/matchcloud.service", false},
                {"/sys/fs/cgroup/cpu,cpuacct/system.slice", false},
                {"/sys/fs/cgroup/cpu,cpuacct", false}});
  CHECK(control_group_folders(v1_mounts, v1_groups, "pids").size() == 3);
  CHECK(control_group_folders(v1_mounts, v1_groups, "cpuset") ==
        folders{{"/sys/fs/cgroup/cpuset", false}});
  CHECK(control_group_folders(v1_mounts, v1_groups, "memory").empty());
}

TEST_CASE("those of v2 are of one hierarchy for all controllers") {
  CHECK(control_group_folders(v2_mounts, "0::/user.slice/user-1000.slice\n", "cpu") ==
        folders{{"/sys/fs/cgroup/user.slice/user-1000.slice", true},
                {"/sys/fs/cgroup/user.slice", true},
                {"/sys/fs/cgroup", true}});
  CHECK(control_group_folders(v2_mounts, "0::/\n", "cpu") == folders{{"/sys/fs/cgroup", true}});
}

TEST_CASE("where both are mounted, both count") {
  const auto both = std::string{v1_mounts} +
                    "40 31 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";
  CHECK(control_group_folders(both, std::string{v1_groups} + "0::/app\n", "cpu") ==
        folders{{"/sys/fs/cgroup/cpu,cpuacct/system.slice/matchcloud.service", false},
                {"/sys/fs/cgroup/cpu,cpuacct/system.slice", false},
                {"/sys/fs/cgroup/cpu,cpuacct", false},
                {"/sys/fs/cgroup/unified/app", true},
                {"/sys/fs/cgroup/unified", true}});
}

TEST_CASE("in a container the folder that is mounted is that of the process's own group") {
  // Docker with v1: the host's path is in both files.
  const auto docker = "40 31 0:29 /docker/4f7a /sys/fs/cgroup/cpu ro,relatime master:9 - cgroup "
                      "cgroup rw,cpu\n";
  CHECK(control_group_folders(docker, "2:cpu:/docker/4f7a\n", "cpu") ==
        folders{{"/sys/fs/cgroup/cpu", false}});
  CHECK(control_group_folders(docker, "2:cpu:/docker/4f7a/inner\n", "cpu") ==
        folders{{"/sys/fs/cgroup/cpu/inner", false}, {"/sys/fs/cgroup/cpu", false}});
  // A group that is not below what is mounted, or outside of the own namespace.
  for (const auto* group : {"/docker/4f7a2", "/elsewhere", "/../elsewhere", "/.."})
    CHECK(control_group_folders(docker, "2:cpu:" + std::string{group} + "\n", "cpu") ==
          folders{{"/sys/fs/cgroup/cpu", false}});
  // A namespace of control groups, of which the mount shows the root.
  CHECK(control_group_folders("40 31 0:29 /../.. /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/\n",
                              "cpu") == folders{{"/sys/fs/cgroup", true}});
}

TEST_CASE("spaces in paths of mounts are found, and what is no line is skipped") {
  CHECK(control_group_folders("1 2 0:3 / /my\\040groups rw - cgroup2 none rw\n", "0::/\n", "cpu") ==
        folders{{"/my groups", true}});
  for (const auto* mounts : {"", "\n\n", "cgroup2", "1 2 3 4 5 6 7", "1 2 0:3 / /x rw - cgroup",
                             "1 2 0:3 / relative rw - cgroup2 none rw", "- - - - - - - -"})
    CHECK(control_group_folders(mounts, v1_groups, "cpu").empty());
  for (const auto* groups : {"", "\n", "0", "0:", "0::", "0::relative", "x"})
    CHECK(control_group_folders(v2_mounts, groups, "cpu").empty());
}

TEST_CASE("a CPU quota of v2 and of v1 is read, and none is none") {
  CHECK(parse_cpu_max("50000 100000\n") == cpu_quota{50'000, 100'000});
  CHECK(parse_cpu_max("150000 100000")->processors() == 1.5);
  for (const auto* text : {"max 100000\n", "max", "", "\n", "50000", "0 100000", "50000 0",
                           "-1 100000", "50000x 100000", "99999999999999999999 1"})
    CHECK_FALSE(parse_cpu_max(text));
  CHECK(parse_cfs_quota("50000\n", "100000\n") == cpu_quota{50'000, 100'000});
  for (const auto* quota : {"-1\n", "", "0\n", "x"})
    CHECK_FALSE(parse_cfs_quota(quota, "100000\n"));
  CHECK_FALSE(parse_cfs_quota("50000\n", ""));
}

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
  root.write("/proc/self/mountinfo", v2_mounts);
  root.write("/proc/self/cgroup", "0::/a/b\n");
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  root.write("/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
  root.write("/sys/fs/cgroup/a/b/pids.max", "max\n");
  CHECK(find_cpu_quota(root.at.path())->limit.processors() == 3);
  root.write("/sys/fs/cgroup/a/cpu.max", "50000 25000\n");
  root.write("/sys/fs/cgroup/a/pids.max", "40\n");
  const auto quota = find_cpu_quota(root.at.path());
  CHECK(quota->limit.processors() == 2);
  CHECK(quota->folder == "/sys/fs/cgroup/a");
  const auto pids = find_pids_limit(root.at.path());
  CHECK(pids->limit == 40);
  CHECK(pids->folder == "/sys/fs/cgroup/a");
  root.write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  CHECK_FALSE(find_memory_limit(root.at.path()));
  root.write("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  CHECK(find_memory_limit(root.at.path())->limit == 1'073'741'824);
}

TEST_CASE("limits of v1 are found, too") {
  const fake_root root;
  root.write("/proc/self/mountinfo", v1_mounts);
  root.write("/proc/self/cgroup", v1_groups);
  const std::string above = "/sys/fs/cgroup/cpu,cpuacct/system.slice";
  root.write(above + "/matchcloud.service/cpu.cfs_quota_us", "-1\n");
  root.write(above + "/matchcloud.service/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(find_cpu_quota(root.at.path()));
  root.write(above + "/cpu.cfs_quota_us", "120000\n");
  root.write(above + "/cpu.cfs_period_us", "100000\n");
  CHECK(find_cpu_quota(root.at.path())->limit.processors() == 1.2);
  root.write("/sys/fs/cgroup/pids/system.slice/pids.max", "40\n");
  CHECK(find_pids_limit(root.at.path())->limit == 40);
}

} // namespace
} // namespace matchcloud::app
