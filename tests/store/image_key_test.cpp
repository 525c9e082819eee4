#include "store/object_name.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

namespace matchcloud::store {
namespace {

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
