#include "store/media/images.hpp"

#include "store/files/file_objects.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace matchcloud::store {
namespace {

namespace fs = std::filesystem;

struct put_image_bench {
  fixtures::temporary_directory directory;
  std::unique_ptr<file_objects> objects = *file_objects::open(directory.path());
  image_key key;
  std::string path;

  put_image_bench() {
    key.upload_id.bytes[15] = 1;
    key.name = *model::parse_image_name("0123456789abcdef0123456789abcdef.png");
    path = media_path(directory.path(), key);
  }
};

TEST_CASE("an image is found whole under its path, readable by this user alone") {
  const put_image_bench on;
  REQUIRE(put_image(*on.objects, on.key, "bytes"));
  CHECK(fixtures::read_whole(on.path) == "bytes");
  struct stat found {};
  REQUIRE(::stat(on.path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
}

TEST_CASE("an image that is there already is left alone, one of another size is replaced") {
  const put_image_bench on;
  REQUIRE(put_image(*on.objects, on.key, "bytes"));
  const auto written = fs::last_write_time(on.path);
  REQUIRE(put_image(*on.objects, on.key, "bytes"));
  CHECK(fs::last_write_time(on.path) == written);
  std::ofstream{on.path} << "hal"; // incomplete, as none of our writers would leave it
  REQUIRE(put_image(*on.objects, on.key, "bytes"));
  CHECK(fixtures::read_whole(on.path) == "bytes");
}

TEST_CASE("an image that cannot be put leaves nothing behind") {
  const put_image_bench on;
  // A folder occupies the file's path.
  fs::create_directories(on.path + "/x");
  const auto put = put_image(*on.objects, on.key, "bytes");
  REQUIRE_FALSE(put.has_value());
  CHECK(put.error().code == base::errc::store_failed);
  for (const auto& each : fs::directory_iterator{on.directory.path("tmp")})
    CHECK(fs::is_empty(each.path()));
}

} // namespace
} // namespace matchcloud::store
