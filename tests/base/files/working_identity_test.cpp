#include "base/files/working_identity.hpp"

#include "base/files/secret_access.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace matchcloud;

constexpr uid_t user = 23'417;
constexpr gid_t group = 23'418;

/// Whether this process is root. If not, a message says so, and the test has to end.
bool is_root() {
  if (::geteuid() != 0) fixtures::not_tested("only root can become another user");
  return ::geteuid() == 0;
}

/// A folder that everybody may enter, and in it one of each kind.
struct folders {
  folders() {
    REQUIRE(::chmod(all.path().c_str(), 0755) == 0);
    make("own", 0700, 0, 0);
    make("theirs", 0700, user, group);
    make("volume", 02775, 0, group);
  }
  void make(const std::string& name, mode_t mode, uid_t owner, gid_t its_group) const {
    REQUIRE(::mkdir(path(name).c_str(), mode) == 0);
    REQUIRE(::chown(path(name).c_str(), owner, its_group) == 0);
    REQUIRE(::chmod(path(name).c_str(), mode) == 0);
  }
  void give(const std::string& name) const {
    REQUIRE(::lchown(path(name).c_str(), user, group) == 0);
  }
  std::string path(const std::string& name) const { return all.path(name); }
  base::expected<void> work_on(const std::string& name) const {
    return base::work_as_owner_of(path(name), "sign");
  }

  fixtures::temporary_directory all;
};

/// Runs `what` in a thread of its own: an identity that was taken on stays with the thread.
template <class What>
void in_thread(What what) {
  std::thread{what}.join();
}

bool can_read(const std::string& path) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened >= 0) ::close(opened);
  return opened >= 0;
}

struct stat facts_after_making(const std::string& path) {
  struct stat found {};
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  CHECK(made >= 0);
  ::fstat(made, &found);
  ::close(made);
  return found;
}

TEST_CASE("root works on a folder as its owner, without root's power over files") {
  if (!is_root()) return;
  const folders in;
  const auto secret = in.all.file("own/secret", "of root");
  in_thread([&] {
    CHECK(base::working_user() == 0);
    const auto taken = in.work_on("theirs");
    CHECK(taken.has_value());
    CHECK(base::working_user() == user);
    const auto made = facts_after_making(in.path("theirs/file"));
    CHECK((made.st_uid == user && made.st_gid == group));
    CHECK_FALSE(can_read(secret));
    CHECK(in.work_on("theirs").has_value()); // again
    CHECK(in.work_on("none").has_value());
    in_thread([&] { CHECK_FALSE(can_read(secret)); });
    struct stat group_file {};
    group_file.st_mode = S_IFREG | 0660U;
    group_file.st_uid = user;
    CHECK(base::secret_exposure("keys", group_file).empty());

    const auto other = in.work_on("own");
    CHECK((!other &&
           other.error().detail.find("already works as user 23417") != other.error().detail.npos));
  });
  CHECK(base::working_user() == 0);
  CHECK(can_read(secret));
}

TEST_CASE("as_invoker opens files as the user that started the process") {
  if (!is_root()) return;
  const folders in;
  const auto secret = in.all.file("own/secret", "of root");
  in_thread([&] {
    { const base::as_invoker nothing_to_do; }
    CHECK(base::working_user() == 0);
    CHECK(in.work_on("theirs").has_value());
    {
      const base::as_invoker self;
      CHECK(can_read(secret));
      const base::as_invoker again;
      CHECK(can_read(secret));
      CHECK(facts_after_making(in.path("own/output")).st_uid == 0);
    }
    CHECK(base::working_user() == user);
    CHECK_FALSE(can_read(secret));
    in_thread([&] {
      const base::as_invoker self;
      CHECK(can_read(secret));
    });
    CHECK(facts_after_making(in.path("theirs/file")).st_gid == group);
  });
}

TEST_CASE("in a folder of root's, the sign file says which user owns it") {
  if (!is_root()) return;
  const folders in;
  const auto before = in.work_on("volume");
  REQUIRE_FALSE(before.has_value());
  CHECK(before.error().detail.find("run this as the user of the service") != std::string::npos);
  CHECK(in.work_on("own").has_value());
  CHECK(base::working_user() == 0);
  in.all.file("volume/sign", "");
  CHECK(in.work_on("volume").has_value()); // it is root's
  CHECK(base::working_user() == 0);
  in.give("volume/sign");
  in_thread([&] {
    CHECK(in.work_on("volume").has_value());
    const auto made = facts_after_making(in.path("volume/file"));
    CHECK((made.st_uid == user && made.st_gid == group));
  });
}

TEST_CASE("a link of another user's to a folder of root's makes root that user") {
  if (!is_root()) return;
  const folders in;
  std::filesystem::create_symlink(in.path("own"), in.path("link"));
  CHECK_FALSE(base::other_owner_of(in.path("link"), "sign").has_value());
  in.give("link");
  in_thread([&] {
    CHECK(in.work_on("link").has_value());
    CHECK_FALSE(can_read(in.path("link/.")));
  });
  // Also where the path goes on behind it.
  in.make("own/inner", 0700, 0, 0);
  for (const auto* path : {"link/", "link/.", "link/inner", "link//inner/"})
    CHECK((base::other_owner_of(in.path(path), "sign") == base::file_owner{user, group}));
  std::filesystem::create_symlink(in.path("theirs"), in.path("roots-link"));
  CHECK((base::other_owner_of(in.path("roots-link"), "sign") == base::file_owner{user, group}));
}

TEST_CASE("where the owner cannot reach the folder, root is told why and where to go") {
  if (!is_root()) return;
  const folders in;
  in.make("own/volume", 0700, user, group);
  in_thread([&] {
    const auto refused = in.work_on("own/volume");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail.find("a folder above it denies that user access") !=
          std::string::npos);
    CHECK(base::working_user() == 0);
  });
}

using matchcloud::base::secret_exposure;

std::string exposure(mode_t mode, uid_t owner) {
  struct stat found {};
  found.st_mode = S_IFREG | mode;
  found.st_uid = owner;
  return secret_exposure("/d/keys", found);
}

TEST_CASE("secrets may be their owner's, and the group's of root or of the own user") {
  const auto own = ::geteuid();
  const uid_t another = own + 4'711;
  for (const mode_t mode : {0600U, 0400U, 0000U, 0700U})
    for (const auto owner : {own, uid_t{0}, another})
      CHECK(exposure(mode, owner).empty());
  for (const mode_t mode : {0660U, 0440U, 0640U, 02640U}) {
    CHECK(exposure(mode, own).empty());
    CHECK(exposure(mode, 0).empty());
    const auto refused = exposure(mode, another);
    CHECK(refused.find("group of another user, " + std::to_string(another)) != std::string::npos);
    CHECK(refused.ends_with("run `chmod g-rwx /d/keys`"));
  }
  for (const mode_t mode : {0604U, 0602U, 0601U, 0644U, 0666U})
    for (const auto owner : {own, uid_t{0}, another})
      CHECK(exposure(mode, owner).ends_with("run `chmod o-rwx /d/keys`"));
  CHECK(exposure(0644, own).starts_with("its mode 0644 gives every user of this machine access; "));
}

} // namespace
