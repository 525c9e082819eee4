// Files that are made, read and kept apart in a data directory.
#include "store/files/new_file.hpp"

#include "base/failure.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/stable_file.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::read_whole;
using fixtures::temporary_directory;
using namespace fixtures;

namespace fs = std::filesystem;

TEST_CASE("a new file goes unless it is kept") {
  const temporary_directory directory;
  {
    new_file dropped{directory.path("dropped")};
    new_file kept{directory.path("kept")};
    kept.append("content");
    kept.keep();
    CHECK(fs::exists(directory.path("dropped")));
    const auto moved = std::move(dropped);
  }
  CHECK_FALSE(fs::exists(directory.path("dropped")));
  CHECK(read_whole(directory.path("kept")) == "content");
}

TEST_CASE("a new file is this user's alone, whatever the umask, and takes no name that is taken") {
  const temporary_directory directory;
  for (const mode_t mask : {0000, 0777}) {
    const auto before = ::umask(mask);
    const new_file made{directory.path("new")};
    ::umask(before);
    struct stat found {};
    REQUIRE(::stat(directory.path("new").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
  }
  const auto taken = directory.file("taken", "theirs");
  const auto refused = base::attempt([&] { return new_file{taken}; });
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::store_failed);
  CHECK(refused.error().detail.find(taken) != std::string::npos);
  CHECK(read_whole(taken) == "theirs");
}

TEST_CASE("a rename replaces what has the name, a link does not") {
  const temporary_directory directory;
  const auto place = directory.path("place");
  for (const std::string content : {"first", "second"}) {
    new_file file{directory.path("aside")};
    file.append(content);
    file.sync();
    file.rename_to(place);
    CHECK(read_whole(place) == content);
  }
  const auto linked = directory.path("linked");
  for (const std::string content : {"first", "second"}) {
    new_file file{directory.path("aside")};
    file.append(content);
    CHECK(file.link_to(linked) == (content == "first"));
    CHECK(read_whole(linked) == "first");
  }
  CHECK_FALSE(fs::exists(directory.path("aside")));
  new_file lost{directory.path("aside")};
  CHECK_THROWS_AS(lost.link_to(directory.path("none/linked")), base::failure);
}

TEST_CASE("bytes beyond those of a writeback come through") {
  const temporary_directory directory;
  new_file file{directory.path("large")};
  const std::string chunk(1'000'003, 'c');
  std::uint64_t size = 0;
  while (size <= 2 * store::writeback_bytes) {
    file.append(chunk);
    size += chunk.size();
    CHECK(file.size_bytes() == size);
  }
  file.sync();
  CHECK(fs::file_size(directory.path("large")) == size);
}

constexpr std::uint64_t limit_bytes = 1'000;

std::string reason(const std::string& path) {
  const auto opened = stable_file::open(path, limit_bytes);
  return opened ? "" : opened.error().detail;
}

TEST_CASE("Only a regular file of some bytes, and not too many, is opened") {
  const temporary_directory folder;
  CHECK(reason(folder.path("none")) == "open: No such file or directory");
  CHECK(reason(folder.path()) == "not a regular file");
  CHECK(reason(folder.file("empty", "")) == "the file is empty");
  CHECK(reason(folder.file("long", std::string(1'001, 'x'))) ==
        "the file has 1001 bytes, more than the limit of 1000");
  CHECK(reason(folder.file("full", std::string(1'000, 'x'))).empty());
}

TEST_CASE("A file that is written to while it is read is refused, and crashes nobody") {
  const temporary_directory folder;
  const auto path = folder.file("a", std::string(1'000, 'x'));
  wait_until_settled(path);
  const auto opened = stable_file::open(path, limit_bytes).value();
  std::vector<std::uint8_t> bytes(500);
  CHECK(opened.read(500, bytes));
  CHECK(opened.check_unchanged());
  SECTION("cut short") {
    std::filesystem::resize_file(path, 600);
    const auto read = opened.read(500, bytes);
    REQUIRE_FALSE(read);
    CHECK(read.error().detail == "the file changed while it was read");
  }
  SECTION("overwritten") {
    overwrite(path, std::string(1'000, 'y'));
  }
  const auto same = opened.check_unchanged();
  REQUIRE_FALSE(same);
  CHECK(same.error().detail == "the file changed while it was read");
}

TEST_CASE("A bit is read wrong, always the same one") {
  const temporary_directory folder;
  const auto path = folder.file("a", std::string(100, '\0'));
  const auto opened = stable_file::open(path, limit_bytes, 8 * (100 + 42) + 3).value();
  std::vector<std::uint8_t> bytes(100);
  CHECK(opened.read(0, bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    CHECK(bytes[i] == (i == 42 ? 8 : 0));
  bytes.resize(10);
  for (std::uint64_t from = 0; from < 90; ++from) {
    CHECK(opened.read(from, bytes));
    CHECK((std::ranges::count(bytes, 8) == 1) == (from <= 42 && from + 10 > 42));
  }
}

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

TEST_CASE("a temporary folder goes with its object") {
  const temporary_directory directory;
  {
    auto folder = temporary_folder::make(directory.path());
    CHECK(entries_of(directory.path("tmp")) == 1);
    const auto moved = std::move(folder);
    CHECK(entries_of(directory.path("tmp")) == 1);
  }
  CHECK(entries_of(directory.path("tmp")) == 0);
}

TEST_CASE("leftovers of a killed process are removed, folders in use are not") {
  const temporary_directory directory;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto folder = temporary_folder::make(directory.path());
    std::ofstream{folder.path() + "/half"} << "written";
    const bool told = ::write(ready[1], "x", 1) == 1;
    ::pause();
    ::_exit(told ? 0 : 1);
  }
  char byte = 0;
  const bool started = ::read(ready[0], &byte, 1) == 1;
  const auto mine = temporary_folder::make(directory.path());
  store::remove_leftovers(directory.path());
  const auto while_both_live = entries_of(directory.path("tmp"));

  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  store::remove_leftovers(directory.path());
  CHECK(started);
  CHECK(while_both_live == 2);
  CHECK(entries_of(directory.path("tmp")) == 1);
  CHECK(fs::exists(mine.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a folder for temporary ones that somebody removes is made again") {
  const temporary_directory directory;
  const auto first = temporary_folder::make(directory.path());
  fs::remove_all(directory.path("tmp"));
  const auto second = temporary_folder::make(directory.path());
  store::remove_leftovers(directory.path());
  CHECK(fs::exists(second.path()));
}

TEST_CASE("a temporary folder does not bring back a data directory that was moved away") {
  const temporary_directory directory;
  fs::create_directory(directory.path("data"));
  (void)temporary_folder::make(directory.path("data"));
  fs::rename(directory.path("data"), directory.path("away"));
  CHECK_THROWS_AS(temporary_folder::make(directory.path("data")), base::failure);
  CHECK_FALSE(fs::exists(directory.path("data")));
  fs::rename(directory.path("away"), directory.path("data"));
  CHECK(fs::exists(temporary_folder::make(directory.path("data")).path() + "/.."));
}

} // namespace
} // namespace matchcloud::store
