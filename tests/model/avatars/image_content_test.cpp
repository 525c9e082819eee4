#include "model/avatars/image_content.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/png_image.hpp"

#include <rapidcheck.h>
#include <string>

namespace {

using namespace matchcloud;
using namespace fixtures;
using model::found_image;
using model::image_type;
using model::inspect_image;

std::string refusal(const std::string& bytes) {
  const auto type = inspect_image(bytes);
  REQUIRE_FALSE(type.has_value());
  CHECK(type.error().code == base::errc::image_invalid);
  return type.error().detail;
}

/// A JPEG whose pixels go on to the end of the file, of `size` bytes.
std::string endless_jpeg(std::size_t size) {
  auto image = small_jpeg();
  image.resize(image.size() - 2); // EOI
  image.resize(size, 'x');
  return image;
}

TEST_CASE("a PNG and a JPEG are told by their content") {
  CHECK(inspect_image(small_png()) == found_image{image_type::png, small_png().size()});
  CHECK(inspect_image(small_jpeg()) == found_image{image_type::jpeg, small_jpeg().size()});
}

TEST_CASE("what is neither is refused, whatever it is called") {
  for (const std::string bytes : {"", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>",
                                  "\x89PNG\n", "\xFF\xD8", "%PDF-1.7"})
    CHECK(refusal(bytes) == "the file's content is neither a PNG nor a JPEG image");
}

TEST_CASE("an image that is cut short anywhere is refused") {
  for (const auto& whole : {small_png(), small_jpeg()})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      INFO(size);
      CHECK_FALSE(inspect_image(whole.substr(0, size)).has_value());
    }
}

TEST_CASE("an image ends where it says, whatever follows it in the file") {
  for (const auto& image : {small_png(), small_jpeg(), phone_jpeg()})
    for (const auto& rest : {std::string(4'096, '\0'), small_jpeg(), small_png(), film(),
                             std::string{"<script>"}, std::string{"\xFF\xD9"}}) {
      INFO(rest.substr(0, 16));
      const auto found = inspect_image(image + rest);
      REQUIRE(found.has_value());
      CHECK(found->size_bytes == image.size());
    }
}

TEST_CASE("a JPEG's thumbnail and the end markers in its segments and scans do not end it") {
  CHECK(inspect_image(phone_jpeg()) == found_image{image_type::jpeg, phone_jpeg().size()});
}

TEST_CASE("a PNG whose checksum does not match is damaged") {
  REQUIRE(rc::check("every flipped bit behind the signature is noticed", [] {
    auto bytes = small_png();
    const auto at = *rc::gen::inRange(std::size_t{8}, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
    RC_ASSERT(!inspect_image(bytes).has_value());
  }));
}

TEST_CASE("a PNG needs a header, pixels and sane sides") {
  CHECK(refusal(std::string{png_start} + png_chunk("IEND", "")).find("IHDR") != std::string::npos);
  CHECK(refusal(png_header(1, 1) + png_chunk("IEND", "")).find("IDAT") != std::string::npos);
  const auto pixels = png_chunk("IDAT", "x") + png_chunk("IEND", "");
  CHECK(inspect_image(png_header(16'384, 16'384) + pixels).has_value());
  for (const auto& [width, height] :
       {std::pair{0U, 1U}, {1U, 0U}, {16'385U, 1U}, {1U, 16'385U}, {0xFFFF'FFFFU, 1U}})
    CHECK(refusal(png_header(width, height) + pixels).find("each side must have 1 to 16384") !=
          std::string::npos);
}

TEST_CASE("an image of at most 2,000,000 bytes is accepted") {
  const auto frame = small_png(0).size();
  const auto largest = small_png(model::image_limit_bytes - frame);
  CHECK(inspect_image(largest).has_value());
  CHECK(inspect_image(largest + film()).has_value());
  CHECK(refusal(small_png(model::image_limit_bytes - frame + 1)) ==
        "the image has more than the allowed 2000000 bytes");
  CHECK(refusal(endless_jpeg(model::image_limit_bytes + 1)) ==
        "the image has more than the allowed 2000000 bytes");
  CHECK(refusal(endless_jpeg(model::image_limit_bytes)) ==
        "the JPEG is cut short: it has no end marker");
}

TEST_CASE("a damaged image is called damaged however large its file is") {
  auto damaged = small_png(100);
  damaged[60] = 'y';
  CHECK(refusal(damaged + std::string(model::image_limit_bytes, '\0')) ==
        "the PNG is damaged: a chunk does not match its checksum");
}

TEST_CASE("an image is named by its bytes") {
  // The digest of `printf abc | sha256sum`.
  CHECK(model::name_image("abc", image_type::jpeg) ==
        model::parse_image_name("ba7816bf8f01cfea414140de5dae2223.jpg"));
}

} // namespace

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
