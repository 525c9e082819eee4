// How many event loops a service has where it may not use all processors.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/not_tested.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

using namespace matchcloud;
using namespace e2e;

/// The event loops of the data plane: each has an actor for avatars.
std::size_t loops_of(const wrapped_service& of) {
  const auto actors = of.ask_ops("/actors").body;
  std::size_t count = 0;
  while (contains(actors, "\"place\":\"avatar/" + std::to_string(count) + "\""))
    ++count;
  return count;
}

std::size_t allowed_processors() {
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  return static_cast<std::size_t>(CPU_COUNT(&all));
}

/// The first processor that this process may use.
std::string any_processor() {
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &all))
    ++first;
  return std::to_string(first);
}

bool runs(const std::string& commands) {
  return std::system(("{ " + commands + "; } >/dev/null 2>&1").c_str()) == 0;
}

TEST_CASE("a service has a loop for each processor that it may run on", "[lifecycle]") {
  wrapped_service all{{"/usr/bin/env"}, shared_world().data_dir()};
  REQUIRE(all.serves());
  wrapped_service one{{"/usr/bin/taskset", "-c", any_processor()}, shared_world().data_dir()};
  REQUIRE(one.serves());
  CHECK(loops_of(one) == 1);
  CHECK(one.process().says("1 event loop: this process may use 1 processor"));
  // A quota that this test itself runs under counts for both.
  CHECK(loops_of(all) <= allowed_processors());
  CHECK(all.process().says(std::to_string(loops_of(all)) + " event loop"));
}

TEST_CASE("loops that are configured are not changed, and what there is is said", "[lifecycle]") {
  wrapped_service three{
      {"/usr/bin/taskset", "-c", any_processor()}, shared_world().data_dir(), {"--loops", "3"}};
  REQUIRE(three.serves());
  CHECK(loops_of(three) == 3);
  CHECK(three.process().says("3 event loops as configured: this process may use 1 processor"));
}

/// A control group of v1 with a CPU quota.
class cpu_group {
public:
  cpu_group() {
    std::error_code failed;
    has_it_ = std::filesystem::exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", failed) &&
              std::filesystem::create_directories(path_ + "/inner", failed);
  }
  cpu_group(const cpu_group&) = delete;
  cpu_group& operator=(const cpu_group&) = delete;
  ~cpu_group() {
    if (!has_it_) return;
    eventually([this] { return ::rmdir((path_ + "/inner").c_str()) == 0; }); // once it is empty
    ::rmdir(path_.c_str());
  }
  bool set(const std::string& quota_us) const {
    if (!has_it_) return false;
    std::ofstream to{path_ + "/cpu.cfs_quota_us"};
    to << quota_us << std::flush;
    return to.good();
  }
  const std::string& path() const noexcept { return path_; }

private:
  std::string path_ = "/sys/fs/cgroup/cpu/matchcloud-test-" + std::to_string(::getpid());
  bool has_it_ = false;
};

TEST_CASE("a CPU quota of a control group of v1, or of one above, bounds the loops",
          "[lifecycle]") {
  const cpu_group group;
  if (!group.set("50000")) {
    WARN("this user may make no control group of v1: not tested");
    return;
  }
  wrapped_service half{after_commands("echo $$ >" + group.path() + "/inner/cgroup.procs"),
                       shared_world().data_dir()};
  REQUIRE(half.serves());
  CHECK(loops_of(half) == 1);
  CHECK(half.process().says(", and the CPU quota of " + group.path() + " allows 0.5"));
  half.process().signal(SIGTERM);
  CHECK(half.process().exit_code() == 0);
}

TEST_CASE("a CPU quota of v2 bounds the loops", "[lifecycle]") {
  // A file of the same name where cgroup2 would be mounted, which only the service sees.
  const std::string at = "/sys/fs/cgroup";
  const auto mounts = "mount -t tmpfs none " + at + " && echo '50000 100000' >" + at + "/cpu.max";
  if (!runs("grep -q ^0:: /proc/self/cgroup && unshare -m mount -t tmpfs none " + at))
    return fixtures::not_tested("this user may mount nothing over control groups");
  wrapped_service half{arguments{"/usr/bin/unshare", "-m"} + after_commands(mounts),
                       shared_world().data_dir()};
  REQUIRE(half.serves());
  CHECK(loops_of(half) == 1);
  CHECK(half.process().says(", and the CPU quota of " + at + " allows 0.5"));
}

TEST_CASE("with the transport httplib the log says which threads serve", "[lifecycle]") {
  wrapped_service of{
      {"/usr/bin/env"}, shared_world().data_dir(), {"--transport", "httplib", "--loops", "1"}};
  REQUIRE(of.serves());
  CHECK(of.process().says("64 threads (transport httplib), and 1 event loop as configured"));
}

} // namespace
