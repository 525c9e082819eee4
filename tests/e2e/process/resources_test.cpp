// Processors, threads and descriptors: how many event loops a service has, and what it says where
// it has too few.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/not_tested.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

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

// -- threads and descriptors -------------------------------------------------

/// The number before `word` in a text such as "needs 20 threads, and the system allows 4".
std::optional<std::size_t> number_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  return std::stoul(text.substr(at + word.size()));
}

/// Whether a service has exactly the threads that it said it needs, once the one that has printed
/// its first lines has ended. All others last: those that come and go belong to stores elsewhere.
bool has_all_threads(wrapped_service& of, std::size_t needed) {
  return eventually([&] { return number_in_status(of.process().pid(), "Threads") + 1 == needed; });
}

/// A user that has no other process, with a data directory and a program of its own.
class lone_user {
public:
  lone_user() : id_{std::to_string(1'000'000'000 + ::getpid())} {
    namespace fs = std::filesystem;
    fs::permissions(folder_.path(), fs::perms{0755});
    fs::copy_file(fixtures::service_program(), program_);
    REQUIRE(run({"demo", "--data-dir", data_dir_}).exit_code == 0);
    const auto user = static_cast<uid_t>(std::stoul(id_));
    REQUIRE(::chown(data_dir_.c_str(), user, user) == 0);
    for (const auto& each : fs::recursive_directory_iterator{data_dir_})
      REQUIRE(::lchown(each.path().c_str(), user, user) == 0);
  }

  /// Starts a service that may have as much of `resource` as prlimit(1) is told.
  wrapped_service with(const std::string& resource, std::size_t limit,
                       const arguments& flags) const {
    return {arguments{"/usr/bin/prlimit", "--" + resource + "=" + std::to_string(limit),
                      "/usr/bin/setpriv", "--reuid", id_, "--regid", id_, "--clear-groups"},
            data_dir_,
            flags,
            {},
            program_};
  }

private:
  std::string id_;
  fixtures::temporary_directory folder_;
  std::string data_dir_ = folder_.path("data");
  std::string program_ = folder_.path("matchcloud");
};

void check_end(wrapped_service& of) {
  of.process().signal(SIGTERM);
  INFO(of.process().errors());
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("each configuration has exactly as many threads as it says that it needs",
          "[lifecycle]") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
#ifdef __SANITIZE_THREAD__
  return; // its runtime has a thread of its own
#endif
  const lone_user user;
  const auto flags = GENERATE(arguments{"--loops", "1"}, arguments{"--loops", "7"},
                              arguments{"--loops", "1", "--export-jobs", "9"},
                              arguments{"--transport", "httplib", "--loops", "1"});
  std::size_t needed = 0;
  {
    auto none = user.with("nproc", 1, flags);
    REQUIRE_FALSE(none.serves());
    needed = number_after(none.process().errors(), "needs ").value_or(0);
    REQUIRE(needed > 5);
  }
  // One less is too few, which is said.
  auto fewer = user.with("nproc", needed - 1, flags);
  CHECK_FALSE(fewer.serves());
  CHECK(fewer.process().exit_code() == 1);
  const auto said = fewer.process().errors();
  INFO(said);
  const auto limit = std::to_string(needed - 1);
  CHECK(number_after(said, "needs ") == needed);
  CHECK(number_after(said, "the system allows ") == needed - 1);
  CHECK(contains(said, "RLIMIT_NPROC, for all threads of this user, is " + limit + "."));
  auto of = user.with("nproc", needed, flags);
  INFO(of.process().errors());
  REQUIRE(of.serves());
  check_serves(of.data());
  CHECK(has_all_threads(of, needed));
  check_end(of);
}

TEST_CASE("a limit of a control group on threads is said, too", "[lifecycle]") {
  const auto group = "/sys/fs/cgroup/pids/matchcloud-test-" + std::to_string(::getpid());
  std::error_code failed;
  if (!std::filesystem::exists("/sys/fs/cgroup/pids/cgroup.procs", failed) ||
      !std::filesystem::create_directory(group, failed)) {
    WARN("this user may make no control group of v1: not tested");
    return;
  }
  std::ofstream{group + "/pids.max"} << "9";
  {
    wrapped_service of{after_commands("echo $$ >" + group + "/cgroup.procs"),
                       shared_world().data_dir()};
    CHECK_FALSE(of.serves());
    CHECK(of.process().exit_code() == 1);
    CHECK(of.process().says("pids.max of " + group + " is 9"));
  }
  CHECK(eventually([&] { return ::rmdir(group.c_str()) == 0; }));
}

TEST_CASE("where descriptors are too few, the number that is needed and the limit are said",
          "[lifecycle]") {
  const world own;
  const arguments flags =
      GENERATE(arguments{"--loops", "1"}, arguments{"--loops", "2"},
               arguments{"--loops", "8", "--listen", "127.0.0.2:0", "--listen", "127.0.0.3:0"});
  const auto with = [&](std::size_t limit) {
    return wrapped_service{{"/usr/bin/prlimit", "--nofile=" + std::to_string(limit)},
                           own.data_dir(),
                           flags + arguments{"--geoip", own.geoip()}};
  };
  std::size_t needed = 0;
  for (const std::size_t limit : {16, 64}) {
    CAPTURE(limit);
    auto of = with(limit);
    CHECK_FALSE(of.serves());
    CHECK(of.process().exit_code() == 1);
    const auto said = of.process().errors();
    INFO(said);
    needed = number_after(said, "needs ").value_or(0);
    CHECK(number_after(said, "the system allows ") == limit);
    CHECK(contains(said, "descriptors"));
  }
  REQUIRE(needed > 64);
  {
    auto of = with(needed - 1);
    CHECK_FALSE(of.serves());
  }
  auto of = with(needed);
  INFO(of.process().errors());
  REQUIRE(of.serves());
  // Each client is served, however many they are, and so is what opens files.
  std::vector<raw_connection> idle;
  for (std::size_t i = 0; i < needed; ++i)
    if (auto client = raw_connection::try_connect(of.data())) idle.push_back(std::move(*client));
  check_serves(of.data());
  CHECK(of.ask_ops("/readyz").status == 200);
  CHECK(of.ask_ops("/metrics").status == 200);
  idle.clear();
  check_end(of);
}

TEST_CASE("a store whose files may not grow says which limit to raise", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  const auto done =
      run({"--fsize=65536", fixtures::service_program(), "demo", "--data-dir", folder.path("data")},
          {}, {}, "/usr/bin/prlimit");
  CHECK(done.exit_code == 1);
  INFO(done.errors);
  CHECK(contains(done.errors, "raise the limit on the size of this process's files"));
  CHECK_FALSE(contains(done.errors, "failing"));
}

} // namespace
