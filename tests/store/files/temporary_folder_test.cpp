#include "store/files/data_directory.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
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

TEST_CASE("a data directory without leftovers stays as it is") {
  const temporary_directory directory;
  store::remove_leftovers(directory.path());
  CHECK(entries_of(directory.path()) == 0);
}

} // namespace
