#include "store/files/file_objects.hpp"
#include "store/media/images.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

constexpr std::size_t open_limit = 4;

image_key file_key(std::uint8_t number) {
  image_key key;
  key.upload_id.bytes[15] = number;
  key.name.digest[0] = number;
  key.name.digest[15] = 0xef;
  return key;
}

struct image_files_bench {
  fixtures::temporary_directory folder;
  base::byte_budget budget{0};
  stored_images files{*file_objects::open(folder.path()), objects_delivery::redirect, budget,
                      open_limit};

  std::string path(const image_key& key) const {
    auto where = media_path(folder.path(), key);
    std::filesystem::create_directories(where.substr(0, where.rfind('/')));
    return where;
  }
  void put(const image_key& key, const std::string& bytes) const {
    folder.file(path(key).substr(folder.path().size() + 1), bytes);
  }
  base::errc why_not(const image_key& key) {
    const auto opened = files.open(key);
    REQUIRE(!opened);
    return opened.error().code;
  }
};

TEST_CASE("an image's path is its upload, its digest and its type") {
  image_key key;
  key.upload_id = *model::parse_uuid("00000000-0000-4000-8000-0000000000a1");
  key.name = *model::parse_image_name("0123456789abcdef0123456789abcd3f.jpg");
  CHECK(media_path("/data", key) == "/data/media/3f/00000000-0000-4000-8000-0000000000a1."
                                    "0123456789abcdef0123456789abcd3f.jpg");
}

TEST_CASE("a file that is open is shared") {
  image_files_bench on;
  on.put(file_key(1), "one");
  const auto first = on.files.open(file_key(1));
  REQUIRE(first);
  CHECK(first->file->size_bytes() == 3);
  const auto second = on.files.open(file_key(1));
  REQUIRE(second);
  CHECK(first->file == second->file);
}

TEST_CASE("a file that nobody holds any more is closed, and opened again") {
  image_files_bench on;
  on.put(file_key(1), "one");
  auto opened = on.files.open(file_key(1));
  REQUIRE(opened);
  const std::weak_ptr<const base::open_file> held = opened->file;
  opened->file.reset();
  CHECK(held.expired());
  CHECK(on.files.open(file_key(1)));
}

TEST_CASE("what is not there is not found") {
  image_files_bench on;
  CHECK(on.why_not(file_key(1)) == base::errc::media_not_found); // not even its folder exists
  on.put(file_key(1), "one");
  auto other_type = file_key(1);
  other_type.name.type = model::image_type::jpeg;
  CHECK(on.why_not(other_type) == base::errc::media_not_found);
  CHECK(on.why_not(file_key(2)) == base::errc::media_not_found);
  CHECK(on.files.open(file_key(1)));
}

TEST_CASE("only regular files are served: no links, no folders, no pipes") {
  image_files_bench on;
  on.put(file_key(1), "one");
  std::filesystem::create_symlink(on.path(file_key(1)), on.path(file_key(2)));
  CHECK(on.why_not(file_key(2)) == base::errc::media_not_found);
  std::filesystem::create_directory(on.path(file_key(3)));
  CHECK(on.why_not(file_key(3)) == base::errc::media_not_found);
  REQUIRE(::mkfifo(on.path(file_key(4)).c_str(), 0600) == 0);
  CHECK(on.why_not(file_key(4)) == base::errc::media_not_found);
}

TEST_CASE("files open at once are bounded; those that nobody holds do not count") {
  image_files_bench on;
  std::vector<std::shared_ptr<const base::open_file>> held;
  for (std::uint8_t i = 0; i < open_limit; ++i) {
    on.put(file_key(i), "x");
    held.push_back(on.files.open(file_key(i))->file);
  }
  on.put(file_key(100), "x");
  CHECK(on.why_not(file_key(100)) == base::errc::overloaded);
  CHECK(on.files.open(file_key(0))); // already open
  held.pop_back();
  CHECK(on.files.open(file_key(100)));
  for (std::uint8_t i = 0; i < 50; ++i) {
    on.put(file_key(150), std::string(i, 'x'));
    CHECK(on.files.open(file_key(150)));
    CHECK(on.files.known() <= open_limit);
  }
}

TEST_CASE("many threads get the same open file") {
  image_files_bench on;
  on.put(file_key(1), "one");
  std::vector<std::shared_ptr<const base::open_file>> got(8);
  std::vector<std::thread> threads;
  for (auto& place : got)
    threads.emplace_back([&] { place = on.files.open(file_key(1)).value_or(opened_image{}).file; });
  for (auto& thread : threads)
    thread.join();
  REQUIRE(got[0] != nullptr);
  for (const auto& file : got)
    CHECK(file == got[0]);
}

} // namespace
} // namespace matchcloud::store
