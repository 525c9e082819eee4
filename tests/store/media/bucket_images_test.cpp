#include "store/media/images.hpp"

#include "model/avatars/image_content.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::object_call;

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

TEST_CASE("images in memory are bounded by a budget") {
  bucket_images_bench on{objects_delivery::through, 1'000};
  on.put(1, std::string(600, 'a'));
  on.put(2, std::string(401, 'b'));
  {
    const auto held = had(on.images.open(key_of(1)));
    CHECK(on.why_not(2) == base::errc::budget_exhausted);
    CHECK(on.images.open(key_of(1)).has_value());
  }
  CHECK(on.images.open(key_of(2)).has_value());
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

TEST_CASE("images that nobody holds do not pile up") {
  bucket_images_bench on;
  std::vector<opened_image> held;
  for (int i = 0; i < 5'000; ++i) {
    auto key = key_of(1);
    key.upload_id.bytes[0] = static_cast<std::uint8_t>(i);
    key.upload_id.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    on.objects->place(object_of(key).text(), "x");
    auto opened = had(on.images.open(key));
    if (i < 3) held.push_back(std::move(opened));
  }
  CHECK(on.images.known() < 1'000);
  CHECK(on.budget.used_bytes() == 3);
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

TEST_CASE("a bucket without links fails") {
  bucket_images_bench on{objects_delivery::redirect};
  on.put(1, "one");
  on.objects->has_links = false;
  CHECK(on.why_not(1) == base::errc::store_failed);
  on.objects->has_links = true;
  on.objects->fail(object_call::link, 1); // of GET it gives one, of HEAD none
  CHECK(on.why_not(1) == base::errc::store_failed);
}

} // namespace
} // namespace matchcloud::store
