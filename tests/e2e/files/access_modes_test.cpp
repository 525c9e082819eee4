// Modes and owners of files with secrets, as Kubernetes makes them.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

mode_t mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 07777U;
}

command_result serve(const users_directory& on) {
  return on.run_as_user({"serve", "--data-dir", on.data_dir(), "--listen", "127.0.0.1:0",
                         "--ops-listen", "127.0.0.1:0"});
}

TEST_CASE("a volume's group gets access at every mount, and the service starts as before",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  REQUIRE(on.run_as_user({"demo", "--data-dir", on.data_dir()}).exit_code == 0);
  { const directory_service first{on}; }
  const auto keys = on.data_dir() + "/signing-keys";
  REQUIRE(mode_of(keys) == 0600);
  // What kubelet does for fsGroup: chgrp, g+rw for files, g+rwxs for folders.
  REQUIRE(::chmod(on.data_dir().c_str(), 02770) == 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator{on.data_dir()})
    REQUIRE(::chmod(entry.path().c_str(),
                    mode_of(entry.path()) | (entry.is_directory() ? 02070U : 0060U)) == 0);
  REQUIRE(mode_of(keys) == 0660);
  {
    const directory_service again{on};
    again.check_exports();
    CHECK(mode_of(keys) == 0660); // never changed
  }
  // A Secret: of root, for the group.
  REQUIRE(::chown(keys.c_str(), 0, service_user) == 0);
  REQUIRE(::chmod(keys.c_str(), 0440) == 0);
  {
    const directory_service again{on};
    again.check_exports();
    CHECK(mode_of(keys) == 0440);
  }
}

TEST_CASE("secrets that all users, or the group of another user, may read are refused",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  { const directory_service first{on}; }
  const auto keys = on.data_dir() + "/signing-keys";
  REQUIRE(::chmod(keys.c_str(), 0644) == 0);
  const auto open_to_all = serve(on);
  INFO(open_to_all.errors);
  CHECK(open_to_all.exit_code == 1);
  CHECK(open_to_all.errors.find("its mode 0644") != std::string::npos);
  CHECK(open_to_all.errors.find("`chmod o-rwx " + keys + "`") != std::string::npos);
  REQUIRE(::chmod(keys.c_str(), 0640) == 0);
  REQUIRE(::chown(keys.c_str(), service_user + 1, service_user) == 0);
  const auto of_another = serve(on);
  INFO(of_another.errors);
  CHECK(of_another.exit_code == 1);
  CHECK(of_another.errors.find("the group of another user, 23418,") != std::string::npos);
  CHECK(of_another.errors.find("`chmod g-rwx " + keys + "`") != std::string::npos);
  CHECK(mode_of(keys) == 0640);
}

} // namespace
