// Volumes of Kubernetes, which belong to root and the group of `fsGroup`, files that root names in
// commands on another user's data directory, and modes of secrets.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
namespace fs = std::filesystem;

constexpr gid_t volume_group = 23'418;

const arguments new_token{"token", "create", "--kind", "viewer", "--name", "x", "--expires", "9d"};
const arguments new_key{"signing-key", "rotate", "--revoke"};

/// A volume, and its service's user, who is in the volume's group.
class volume {
public:
  volume() : data_dir_{folder_.path("data")} {
    REQUIRE(::chmod(folder_.path().c_str(), 0755) == 0);
    REQUIRE(::mkdir(data_dir_.c_str(), 0775) == 0);
    REQUIRE(::chown(data_dir_.c_str(), 0, volume_group) == 0);
    REQUIRE(::chmod(data_dir_.c_str(), 02775) == 0);
  }

  const std::string& data_dir() const noexcept { return data_dir_; }

  command_result run_as_user(arguments words) const {
    words.insert(words.end(), {"--data-dir", data_dir_});
    arguments all{"--reuid=" + std::to_string(service_user),
                  "--regid=" + std::to_string(service_user),
                  "--groups=" + std::to_string(volume_group),
                  "--pdeathsig=KILL",
                  "--",
                  fixtures::service_program()};
    all.insert(all.end(), words.begin(), words.end());
    return run(all, {}, {}, user_command{{}}.program);
  }
  command_result run_as_root(arguments words) const {
    words.insert(words.end(), {"--data-dir", data_dir_});
    return run(words);
  }

  /// Everything in it that is not the user's and the group's, a line each.
  std::string foreign() const {
    std::string found;
    for (const auto& entry : fs::recursive_directory_iterator{data_dir_}) {
      struct stat facts {};
      REQUIRE(::lstat(entry.path().c_str(), &facts) == 0);
      if (facts.st_uid != service_user || facts.st_gid != volume_group)
        found += entry.path().string() + "\n";
    }
    return found;
  }

  /// What kubelet does at every mount.
  void mount_again() const {
    for (const auto& entry : fs::recursive_directory_iterator{data_dir_})
      REQUIRE(::chmod(entry.path().c_str(), entry.is_directory() ? 02770 : 0660) == 0);
  }

private:
  fixtures::temporary_directory folder_;
  std::string data_dir_;
};

void check_done(const command_result& got) {
  INFO(got.errors);
  CHECK(got.exit_code == 0);
}

TEST_CASE("in a volume of root's and a group's, root works as the owner of the store",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const volume on;
  check_done(on.run_as_user({"demo"}));
  check_done(on.run_as_user(new_key));
  for (const bool is_mounted_again : {false, true}) {
    CAPTURE(is_mounted_again);
    if (is_mounted_again) on.mount_again();
    for (const auto& command : {new_key, new_token, arguments{"demo"}})
      check_done(on.run_as_root(command));
    CHECK(on.foreign().empty());
    for (const auto& command : {arguments{"token", "list"}, new_key})
      check_done(on.run_as_user(command));
  }
}

TEST_CASE("root makes no store in a volume that a service's user is to use",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const volume on;
  for (const auto& command : {new_key, new_token, arguments{"demo"}}) {
    const auto refused = on.run_as_root(command);
    INFO(refused.errors);
    CHECK(refused.exit_code == 1);
    CHECK(refused.errors.find(on.data_dir() + ": belongs to root, other users can write to it") !=
          std::string::npos);
    CHECK(refused.errors.find("run this as the user of the service") != std::string::npos);
    CHECK(fs::is_empty(on.data_dir()));
  }
  // A service that runs as root is such a user.
  { const directory_service service{on.data_dir()}; }
  check_done(on.run_as_root(new_token));
}

TEST_CASE("root's outputs from another user's data directory are root's",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  const fixtures::temporary_directory own; // of root alone
  check_done(on.run_as_user({"demo", "--data-dir", on.data_dir()}));
  const auto check_output = [&](const arguments& words, const std::string& name) {
    CAPTURE(name);
    auto line = words;
    line.insert(line.end(), {"--data-dir", on.data_dir(), "-o", own.path(name)});
    check_done(run(line));
    struct stat found {};
    REQUIRE(::stat(own.path(name).c_str(), &found) == 0);
    CHECK(found.st_uid == 0);
    CHECK(found.st_size > 0);
  };
  const arguments all_lobbies{"export", "--game", std::string{demo_game}, "--start",
                              "0",      "--end",  "1893456000000"};
  check_output(all_lobbies, "all.csv");
  check_output(all_lobbies, "all.csv"); // replaced
  check_output(new_token, "token");
  CHECK(on.foreign().empty());
}

TEST_CASE("root's GeoIP files serve commands on another user's data directory",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  const fixtures::temporary_directory own; // of root alone
  check_done(on.run_as_user({"demo", "--data-dir", on.data_dir()}));
  fixtures::mmdb_builder builder{{4, 28}};
  builder.add_v4({192, 0, 2, 0}, 24, fixtures::mmdb_flat_record(35.5F, 139.75F));
  const auto file = own.file("flat.mmdb", builder.build());
  const auto rows = own.file("in.csv", "address,region,ms\n192.0.2.1,nrt,9\n");
  check_done(run({"explain", "192.0.2.1", "--geoip", file, "--data-dir", on.data_dir()}));
  check_done(run({"latency", "import", rows, "--geoip", file, "--data-dir", on.data_dir()}));
  CHECK(on.foreign().empty());
}

TEST_CASE("root copies between directories of one owner only", "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const users_directory on;
  const fixtures::temporary_directory own;
  check_done(run({"demo", "--data-dir", own.path("data")}));
  const auto refused = run({"store", "copy", own.path("data"), on.data_dir()});
  INFO(refused.errors);
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("to one user") != std::string::npos);
  CHECK(fs::is_empty(on.data_dir()));
  check_done(on.run_as_user({"demo", "--data-dir", on.data_dir()}));
  REQUIRE(::mkdir(own.path("empty").c_str(), 0700) == 0);
  const auto back = run({"store", "copy", on.data_dir(), own.path("empty")});
  INFO(back.errors);
  CHECK(back.exit_code == 1);
  CHECK(back.errors.find("to one user") != std::string::npos);
  CHECK(fs::is_empty(own.path("empty")));
}

// -- secrets -----------------------------------------------------------------

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
