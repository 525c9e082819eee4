// Images, in files and in a bucket.
#include "store/media/images.hpp"

#include "model/avatars/image_content.hpp"
#include "store/files/file_objects.hpp"
#include "store/object_name.hpp"
#include "store/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::object_call;

namespace fs = std::filesystem;

image_key key_of(std::uint8_t number) {
  image_key key;
  key.upload_id.bytes[15] = number;
  key.name = *model::parse_image_name("0123456789abcdef0123456789abcd3f.jpg");
  return key;
}

struct bucket_images_bench {
  std::shared_ptr<fixtures::memory_objects> objects = std::make_shared<fixtures::memory_objects>();
  base::byte_budget budget;
  stored_images images;

  explicit bucket_images_bench(objects_delivery delivery = objects_delivery::through,
                               std::size_t budget_bytes = 10'000'000,
                               std::size_t open_limit = 4'096)
      : budget{budget_bytes}, images{objects, delivery, budget, open_limit} {}

  void put(std::uint8_t number, std::string bytes) const {
    objects->place(object_of(key_of(number)).text(), std::move(bytes));
  }
  base::errc why_not(std::uint8_t number) {
    const auto opened = images.open(key_of(number));
    REQUIRE_FALSE(opened.has_value());
    return opened.error().code;
  }
};

TEST_CASE("an image passes through whole") {
  bucket_images_bench on;
  const auto size = GENERATE(std::size_t{0}, std::size_t{5}, model::image_limit_bytes);
  CAPTURE(size);
  const auto bytes = csv_lines(size);
  on.put(1, bytes);
  const auto opened = had(on.images.open(key_of(1)));
  REQUIRE(opened.file != nullptr);
  CHECK(opened.file->is_resident(0, size));
  CHECK(content_of(*opened.file) == bytes);
  CHECK(opened.elsewhere.get.empty());
  CHECK(on.budget.used_bytes() == size);
}

TEST_CASE("an image that somebody holds is shared") {
  bucket_images_bench on;
  on.put(1, "one");
  on.put(2, "two");
  const auto first = had(on.images.open(key_of(1)));
  CHECK(had(on.images.open(key_of(1))).file == first.file);
  CHECK(had(on.images.open(key_of(2))).file != first.file);
  CHECK(on.objects->calls(object_call::read) == 2);
  CHECK(on.images.known() == 2);
}

TEST_CASE("an image that nobody holds any more leaves memory, and its size is remembered") {
  bucket_images_bench on;
  on.put(1, "one");
  had(on.images.open(key_of(1)));
  CHECK(on.budget.used_bytes() == 0);
  CHECK(content_of(*had(on.images.open(key_of(1))).file) == "one");
  CHECK(on.objects->calls(object_call::read) == 2);
  CHECK(on.objects->calls(object_call::stat) == 1);
}

TEST_CASE("an image that is not in the bucket is not found, until it is") {
  const auto delivery = GENERATE(objects_delivery::through, objects_delivery::redirect);
  bucket_images_bench on{delivery};
  CHECK(on.why_not(1) == base::errc::media_not_found);
  CHECK(on.why_not(1) == base::errc::media_not_found);
  on.put(1, "one");
  CHECK(on.images.open(key_of(1)).has_value());
}

TEST_CASE("what is longer than an image is refused, and is not read") {
  bucket_images_bench on;
  on.put(1, std::string(model::image_limit_bytes + 1, 'x'));
  CHECK(on.why_not(1) == base::errc::store_failed);
  CHECK(on.objects->calls(object_call::read) == 0);
  CHECK(on.budget.used_bytes() == 0);
}

TEST_CASE("images in memory are bounded by their bytes, not by the limit of open files") {
  bucket_images_bench on{objects_delivery::through, 1'500, 1};
  for (std::uint8_t number = 1; number <= 3; ++number)
    on.put(number, std::string(500, 'a'));
  std::vector<opened_image> held;
  for (std::uint8_t number = 1; number <= 3; ++number)
    held.push_back(had(on.images.open(key_of(number))));
  on.put(4, "a");
  CHECK(on.why_not(4) == base::errc::budget_exhausted);
  held.clear();
  CHECK(on.images.open(key_of(4)).has_value());
}

TEST_CASE("an image that cannot be read whole is not opened, and the next request tries again") {
  bucket_images_bench on;
  on.put(1, std::string(600, 'a'));
  on.objects->read_limit_bytes = 599;
  CHECK(on.why_not(1) == base::errc::store_failed);
  CHECK(on.budget.used_bytes() == 0);
  on.objects->read_limit_bytes = 600;
  CHECK(content_of(*had(on.images.open(key_of(1))).file) == std::string(600, 'a'));
  on.objects->fail(object_call::stat);
  CHECK(on.why_not(2) == base::errc::store_failed);
}

TEST_CASE("an image that was replaced because it was not whole is opened with its new size") {
  bucket_images_bench on;
  on.put(1, "hal");
  CHECK(content_of(*had(on.images.open(key_of(1))).file) == "hal");
  on.put(1, "whole");
  static_cast<void>(on.images.open(key_of(1)));
  CHECK(content_of(*had(on.images.open(key_of(1))).file) == "whole");
  on.objects->take_away(object_of(key_of(1)).text());
  static_cast<void>(on.images.open(key_of(1)));
  CHECK(on.why_not(1) == base::errc::media_not_found);
}

TEST_CASE("a download is sent to the bucket, by its method, as an image with a name") {
  bucket_images_bench on{objects_delivery::redirect};
  on.put(1, "one");
  const auto opened = had(on.images.open(key_of(1)));
  CHECK(opened.file == nullptr);
  const auto name = object_of(key_of(1)).text();
  const std::string as =
      " 60 image/jpeg inline; filename=\"avatar-00000000-0000-0000-0000-000000000001.jpg\"";
  CHECK(opened.elsewhere.get == "https://bucket/" + name + " GET" + as);
  CHECK(opened.elsewhere.head == "https://bucket/" + name + " HEAD" + as);
  CHECK(on.budget.used_bytes() == 0);
  CHECK(on.objects->calls(object_call::read) == 0);
}

TEST_CASE("the bucket is asked once for an image that it has") {
  bucket_images_bench on{objects_delivery::redirect};
  on.put(1, "one");
  for (int i = 0; i < 3; ++i)
    had(on.images.open(key_of(1)));
  CHECK(on.objects->calls(object_call::stat) == 1);
  CHECK(on.objects->calls(object_call::link) == 6);
  CHECK(on.images.known() == 0);
}

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

/// Images that are all there.
class all_images final : public image_source {
public:
  base::expected<opened_image> open(const image_key&) override {
    ++opened;
    return opened_image{};
  }
  std::size_t known() const override { return 0; }

  int opened = 0;
};

struct referred_images_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<database> in = had(open_sqlite(directory.path()));
  std::shared_ptr<all_images> all = std::make_shared<all_images>();
  referred_images images{all, in, std::chrono::hours{24}};
  image_key key{id_of(5), *model::parse_image_name("0123456789abcdef0123456789abcdef.png")};

  referred_images_bench() {
    model::avatar made;
    made.game_id = id_of(1);
    made.upload_id = key.upload_id;
    made.image = key.name;
    had(had(in->catalog())->import_document(lobby_catalog()));
    had(had(in->avatars())->put({&made, 1}));
  }
  bool opens() { return images.open(key).has_value(); }
};

TEST_CASE("an image is found if an avatar has it") {
  referred_images_bench on;
  CHECK(on.opens());
  auto other = on.key;
  other.name.type = model::image_type::jpeg;
  const auto failed = on.images.open(other);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == base::errc::media_not_found);
  CHECK(on.all->opened == 1);
}

TEST_CASE("the image of a removed avatar is found until what is known is forgotten") {
  referred_images_bench on;
  CHECK(on.opens());
  had(had(on.in->erasures())->remove_avatar(id_of(1), id_of(5)));
  CHECK(on.opens());
  const auto before = on.images.forgotten();
  on.images.forget();
  CHECK(on.images.forgotten() == before + 1);
  CHECK_FALSE(on.opens());
}

TEST_CASE("images of an erased game are not found") {
  referred_images_bench on;
  had(had(on.in->erasures())->begin_erasure(id_of(1), 1));
  CHECK_FALSE(on.opens());
}

image_key key_of(std::string_view upload_id, std::string_view name) {
  return {*model::parse_uuid(upload_id), *model::parse_image_name(name)};
}

TEST_CASE("an image's object is named after its upload, its digest and its type") {
  const auto key =
      key_of("00000000-0000-4000-8000-0000000000A1", "0123456789abcdef0123456789abcd3f.jpg");
  CHECK(object_of(key).text() == "media/3f/00000000-0000-4000-8000-0000000000a1."
                                 "0123456789abcdef0123456789abcd3f.jpg");
  CHECK(image_disposition(key) ==
        "inline; filename=\"avatar-00000000-0000-4000-8000-0000000000a1.jpg\"");
}

TEST_CASE("no two images have the same object, and all are in the folder of images") {
  CHECK(rc::check([] {
    const auto any = [] {
      // Few values, so that some are equal.
      const auto byte = [] { return *rc::gen::inRange<std::uint8_t>(0, 3); };
      image_key key;
      key.upload_id.bytes[15] = byte();
      key.name.digest[0] = byte();
      key.name.digest[15] = byte();
      key.name.type = byte() == 0 ? model::image_type::png : model::image_type::jpeg;
      return key;
    };
    const auto one = any();
    const auto other = any();
    RC_ASSERT((object_of(one) == object_of(other)) == (one == other));
    RC_ASSERT(object_of(one).text().starts_with(images_folder().text() + '/'));
    if (one == other) RC_ASSERT(image_key_hash{}(one) == image_key_hash{}(other));
  }));
}

} // namespace
} // namespace matchcloud::store
