// A service where threads or descriptors are few: it serves, or says what it needs and what it may
// have.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/not_tested.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

namespace {

using namespace matchcloud;
using namespace e2e;

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

TEST_CASE("where threads are too few, the number that is needed and the limit are said",
          "[lifecycle]") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
#ifdef __SANITIZE_THREAD__
  return; // its runtime has a thread of its own
#endif
  const lone_user user;
  const arguments flags{"--loops", "1"};
  std::size_t needed = 0;
  {
    auto none = user.with("nproc", 1, flags);
    REQUIRE_FALSE(none.serves());
    INFO(none.process().errors());
    needed = number_after(none.process().errors(), "needs ").value_or(0);
    REQUIRE(needed > 5);
  }
  for (std::size_t limit = 1; limit < needed + 3; ++limit) {
    CAPTURE(limit, needed);
    auto of = user.with("nproc", limit, flags);
    INFO(of.process().errors());
    CHECK(of.serves() == (limit >= needed));
    if (of.serves()) {
      check_serves(of.data());
      CHECK(has_all_threads(of, needed));
      check_end(of);
      continue;
    }
    CHECK(of.process().exit_code() == 1);
    const auto said = of.process().errors();
    CHECK(number_after(said, "needs ") == needed);
    CHECK(number_after(said, "the system allows ") == limit);
    CHECK(contains(said, "RLIMIT_NPROC, for all threads of this user, is " + std::to_string(limit) +
                             "."));
  }
}

TEST_CASE("each configuration has exactly as many threads as it says that it needs",
          "[lifecycle]") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
  const lone_user user;
  const auto flags =
      GENERATE(arguments{"--loops", "7"}, arguments{"--loops", "1", "--export-jobs", "9"},
               arguments{"--transport", "httplib", "--loops", "1"});
  std::size_t needed = 0;
  {
    auto none = user.with("nproc", 2, flags);
    REQUIRE_FALSE(none.serves());
    needed = number_after(none.process().errors(), "needs ").value_or(0);
  }
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
  for (const std::size_t limit : {16, 20, 40, 64}) {
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
