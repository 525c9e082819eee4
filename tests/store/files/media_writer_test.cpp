#include "store/files/media_writer.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace {

using namespace matchcloud;
using fixtures::temporary_directory;
using store::media_path;
using store::media_writer;
using store::temporary_folder;

namespace fs = std::filesystem;

store::image_key key_of(std::uint8_t upload) {
  store::image_key key;
  key.upload_id.bytes[15] = upload;
  key.name = *model::parse_image_name("0123456789abcdef0123456789abcdef.png");
  return key;
}

media_writer open_ok(const temporary_directory& directory) {
  auto opened = media_writer::open(directory.path());
  INFO((opened ? std::string{} : opened.error().detail));
  REQUIRE(opened.has_value());
  return std::move(*opened);
}

std::string content_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

TEST_CASE("an image is found whole under its path, readable by this user alone") {
  const temporary_directory directory;
  auto media = open_ok(directory);
  REQUIRE(media.put(key_of(1), "bytes"));
  REQUIRE(media.sync_names());
  const auto path = media_path(directory.path(), key_of(1));
  CHECK(content_of(path) == "bytes");
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
}

TEST_CASE("an image that is there already is left alone, one of another size is replaced") {
  const temporary_directory directory;
  auto media = open_ok(directory);
  REQUIRE(media.put(key_of(1), "bytes"));
  const auto path = media_path(directory.path(), key_of(1));
  const auto written = fs::last_write_time(path);
  REQUIRE(media.put(key_of(1), "bytes"));
  CHECK(fs::last_write_time(path) == written);
  std::ofstream{path} << "hal"; // incomplete, as none of our writers would leave it
  REQUIRE(media.put(key_of(1), "bytes"));
  CHECK(content_of(path) == "bytes");
}

TEST_CASE("an image that cannot be put leaves nothing behind") {
  const temporary_directory directory;
  auto media = open_ok(directory);
  // A folder occupies the file's path.
  fs::create_directories(media_path(directory.path(), key_of(1)) + "/x");
  const auto put = media.put(key_of(1), "bytes");
  REQUIRE_FALSE(put.has_value());
  CHECK(put.error().code == base::errc::store_failed);
  for (const auto& each : fs::directory_iterator{directory.path("tmp")})
    CHECK(entries_of(each.path()) == 0);
}

TEST_CASE("the folder of a writer goes with it") {
  const temporary_directory directory;
  {
    auto media = open_ok(directory);
    CHECK(entries_of(directory.path("tmp")) == 1);
    const auto moved = std::move(media);
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

TEST_CASE("a data directory without leftovers stays as it is") {
  const temporary_directory directory;
  store::remove_leftovers(directory.path());
  CHECK(entries_of(directory.path()) == 0);
}

} // namespace
