#include "model/avatars/image_content.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>

namespace matchcloud::model {
namespace {

const std::string digest = "0123456789abcdef00ff10e0d0c0b0a9";

TEST_CASE("an image's name is its digest and its type") {
  const auto png = parse_image_name(digest + ".png");
  REQUIRE(png);
  CHECK(png->type == image_type::png);
  CHECK(png->digest[0] == 0x01);
  CHECK(png->digest[15] == 0xa9);
  CHECK(to_string(*png) == digest + ".png");
  CHECK(digest_text(*png) == digest);
  const auto jpeg = parse_image_name(digest + ".jpg");
  REQUIRE(jpeg);
  CHECK(jpeg->type == image_type::jpeg);
  CHECK(to_string(*jpeg) == digest + ".jpg");
  CHECK(*png != *jpeg);
}

TEST_CASE("nothing else is an image's name") {
  for (const auto& text :
       {std::string{}, std::string{".png"}, digest, digest + ".", digest + ".gif", digest + ".PNG",
        digest + ".jpeg", digest + ".png ", " " + digest + ".png", digest + "0.png",
        digest.substr(1) + ".png", "A" + digest.substr(1) + ".png", "g" + digest.substr(1) + ".png",
        digest + ".png/", "../" + digest + ".png", digest + std::string{".png\0", 5},
        std::string{"../../../../../../../etc/passwd.png"}, digest + "/png"}) {
    CAPTURE(text);
    CHECK(!parse_image_name(text));
  }
}

TEST_CASE("types have the names that clients know") {
  CHECK(media_type(image_type::png) == "image/png");
  CHECK(media_type(image_type::jpeg) == "image/jpeg");
}

TEST_CASE("every name is read back, and one image has one name") {
  REQUIRE(rc::check([](const std::array<std::uint8_t, 16>& bytes, bool is_png) {
    const image_name name{bytes, is_png ? image_type::png : image_type::jpeg};
    RC_ASSERT(parse_image_name(to_string(name)) == name);
  }));
  REQUIRE(rc::check([] {
    auto text = digest + ".png";
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    if (const auto read = parse_image_name(text)) RC_ASSERT(to_string(*read) == text);
  }));
}

} // namespace
} // namespace matchcloud::model
