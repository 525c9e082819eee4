#include "base/files/new_entry.hpp"

#include "base/files/name_file.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace {

using namespace matchcloud;
using base::errc;

constexpr uid_t user = 23'417;
constexpr gid_t group = 23'418;

struct stat facts_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::lstat(path.c_str(), &found) == 0);
  return found;
}

TEST_CASE("new files and folders have their modes whatever the umask, and take no name") {
  const fixtures::temporary_directory in;
  const auto before = ::umask(0777);
  const auto file = base::make_file(in.path("file"), 0640, errc::io_failed);
  ::umask(before);
  REQUIRE(file.has_value());
  CHECK((facts_of(in.path("file")).st_mode & 07777U) == 0640);
  CHECK(base::make_folder(in.path("folder"), errc::io_failed) == true);
  CHECK((facts_of(in.path("folder")).st_mode & 07777U) == 0700);
  CHECK(base::make_folder(in.path("slashed//"), errc::io_failed) == true);
  CHECK(base::make_folder(in.path("slashed/"), errc::io_failed) == false);
  auto unique = in.path("XXXXXX");
  REQUIRE(base::make_unique_folder(unique, errc::io_failed));
  CHECK(unique != in.path("XXXXXX"));
  CHECK((facts_of(unique).st_mode & 07777U) == 0700);

  CHECK(base::make_folder(in.path("file"), errc::io_failed) == false);
  CHECK_FALSE(base::make_file(in.path("folder"), 0600, errc::io_failed).has_value());
  std::filesystem::create_symlink(in.path("target"), in.path("link"));
  CHECK_FALSE(base::make_file(in.path("link"), 0600, errc::io_failed).has_value());
  CHECK_FALSE(std::filesystem::exists(in.path("target")));
  const auto nowhere = base::make_folder(in.path("none/folder"), errc::io_failed);
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().code == errc::io_failed);
  CHECK(nowhere.error().detail.starts_with(in.path("none/folder") + ": cannot "));
}

TEST_CASE("what root makes in a folder of another user is that user's") {
  if (::geteuid() != 0) return;
  const fixtures::temporary_directory in;
  CHECK_FALSE(base::gives_away_in(in.path()));
  REQUIRE(::chown(in.path().c_str(), user, group) == 0);
  CHECK(base::gives_away_in(in.path()));
  const auto is_theirs = [](const std::string& path) {
    const auto found = facts_of(path);
    return found.st_uid == user && found.st_gid == group;
  };
  REQUIRE(base::make_file(in.path("file"), 0600, errc::io_failed));
  CHECK(is_theirs(in.path("file")));
  REQUIRE(base::make_folder(in.path("folder"), errc::io_failed));
  CHECK(is_theirs(in.path("folder")));
  REQUIRE(base::make_folder(in.path("folder/below"), errc::io_failed));
  CHECK(is_theirs(in.path("folder/below")));
  auto unique = in.path("XXXXXX");
  REQUIRE(base::make_unique_folder(unique, errc::io_failed));
  CHECK(is_theirs(unique));
  // Not what root's own folder in between has.
  REQUIRE(::mkdir(in.path("roots").c_str(), 0755) == 0);
  REQUIRE(base::make_file(in.path("roots/file"), 0600, errc::io_failed));
  CHECK(facts_of(in.path("roots/file")).st_uid == 0);
}

TEST_CASE("a file takes a name that is free, and none that is taken") {
  const fixtures::temporary_directory in;
  const auto from = in.file("from", "new");
  const auto to = in.path("to");
  CHECK(base::name_file(from.c_str(), to.c_str()) == 0);
  CHECK(std::filesystem::file_size(to) == 3);
  const auto other = in.file("other", "longer");
  CHECK(base::name_file(other.c_str(), to.c_str()) == EEXIST);
  CHECK(std::filesystem::file_size(to) == 3);
  CHECK(base::name_file(in.path("none").c_str(), in.path("free").c_str()) == ENOENT);
}

} // namespace
