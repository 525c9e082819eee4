#include "store/files/temporary_folder.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace {

using namespace matchcloud;
using fixtures::temporary_directory;
using store::temporary_folder;

namespace fs = std::filesystem;

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

TEST_CASE("a temporary folder goes with its object") {
  const temporary_directory directory;
  {
    auto folder = temporary_folder::make(directory.path());
    REQUIRE(folder.has_value());
    CHECK(entries_of(directory.path("tmp")) == 1);
    const auto moved = *std::move(folder);
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
    if (folder) std::ofstream{folder->path() + "/half"} << "written";
    const bool told = folder && ::write(ready[1], "x", 1) == 1;
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
  REQUIRE(mine.has_value());
  CHECK(entries_of(directory.path("tmp")) == 1);
  CHECK(fs::exists(mine->path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a temporary folder that somebody removes is made again, and is in use") {
  const temporary_directory directory;
  auto folder = temporary_folder::make(directory.path());
  REQUIRE(folder.has_value());
  const auto first = folder->path();
  CHECK(folder->place("a") == first + "/a");
  for (const auto& gone : {directory.path("tmp"), std::string{}}) {
    fs::remove_all(gone.empty() ? folder->path() : gone);
    const auto again = folder->place("a");
    REQUIRE(again.has_value());
    CHECK(*again != first + "/a");
    CHECK(*again == folder->path() + "/a");
    std::ofstream{*again} << "half";
    store::remove_leftovers(directory.path());
    CHECK(fs::exists(*again));
  }
  // Another folder of that name is not this process's.
  fs::rename(folder->path(), directory.path("away"));
  fs::create_directory(folder->path());
  const auto beside = folder->place("a");
  REQUIRE(beside.has_value());
  CHECK(entries_of(directory.path("tmp")) == 2);
}

TEST_CASE("a temporary folder does not bring back a data directory that was moved away") {
  const temporary_directory directory;
  auto folder = temporary_folder::make(directory.path("data"));
  REQUIRE(folder.has_value());
  fs::rename(directory.path("data"), directory.path("away"));
  CHECK_FALSE(folder->place("a").has_value());
  CHECK_FALSE(fs::exists(directory.path("data")));
  fs::rename(directory.path("away"), directory.path("data"));
  CHECK(folder->place("a").has_value());
}

TEST_CASE("a data directory without leftovers stays as it is") {
  const temporary_directory directory;
  store::remove_leftovers(directory.path());
  CHECK(entries_of(directory.path()) == 0);
}

} // namespace
