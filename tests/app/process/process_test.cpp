// A process: what bounds it, and what it shows of itself.
#include "app/process/process_limits.hpp"

#include "app/process/process_limits.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

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

processors with(std::size_t allowed, double quota) {
  return {allowed, control_group_limit{quota, "/sys/fs/cgroup"}};
}

TEST_CASE("the usable threads are the processors or the CPU quota rounded up, whichever is less") {
  CHECK(processors{4, {}}.usable() == 4);
  CHECK(processors{0, {}}.usable() == 1);
  CHECK(with(4, 4).usable() == 4);
  CHECK(with(4, 8).usable() == 4);
  CHECK(with(4, 2).usable() == 2);
  CHECK(with(4, 2.00001).usable() == 3);
  CHECK(with(4, 1.5).usable() == 2);
  CHECK(with(4, 1).usable() == 1);
  CHECK(with(4, 0.01).usable() == 1);
  CHECK(with(4, 1e20).usable() == 4);
}

TEST_CASE("the description says what limits the processors") {
  CHECK(processors{1, {}}.describe() == "this process may use 1 processor");
  CHECK(with(4, 1.5).describe() ==
        "this process may use 4 processors, and the CPU quota of /sys/fs/cgroup allows 1.5");
}

TEST_CASE("only processors that the process may run on count") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(find_processors().allowed == static_cast<std::size_t>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(find_processors().allowed == 1);
  CHECK(find_processors().usable() == 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

std::optional<double> value_of(const base::metric_set& in, std::string_view name) {
  std::optional<double> found;
  for (const auto& each : in.metrics())
    if (each.text.name == name)
      each.read([&](auto, const base::metric_value& value) { found = value.number; });
  return found;
}

TEST_CASE("without a free descriptor, the metric of open descriptors shows the limit") {
  base::metric_set shown;
  show_process(shown, 1'500);
  CHECK(value_of(shown, "process_start_time_seconds") == 1.5);
  const int lowest = ::dup(STDERR_FILENO);
  REQUIRE(lowest >= 0);
  ::close(lowest);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  auto lowered = limit;
  lowered.rlim_cur = static_cast<rlim_t>(lowest);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &lowered) == 0);
  const auto open = value_of(shown, "process_open_fds");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(open == lowest);
}

} // namespace
} // namespace matchcloud::app
