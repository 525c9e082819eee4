#include "model/avatars/image_content.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/png_image.hpp"

#include <rapidcheck.h>

namespace {

using namespace matchcloud;
using namespace fixtures;
using model::image_type;
using model::inspect_image;

std::string refusal(const std::string& bytes) {
  const auto type = inspect_image(bytes);
  REQUIRE_FALSE(type.has_value());
  CHECK(type.error().code == base::errc::image_invalid);
  return type.error().detail;
}

TEST_CASE("a PNG and a JPEG are told by their content") {
  CHECK(inspect_image(small_png()) == image_type::png);
  CHECK(inspect_image(small_jpeg()) == image_type::jpeg);
}

TEST_CASE("what is neither is refused, whatever it is called") {
  for (const std::string bytes : {"", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>",
                                  "\x89PNG\n", "\xFF\xD8", "%PDF-1.7"})
    CHECK(refusal(bytes) == "the file is neither a PNG nor a JPEG image by its content");
}

TEST_CASE("an image that is cut short anywhere is refused") {
  for (const auto& whole : {small_png(), small_jpeg()})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      INFO(size);
      CHECK_FALSE(inspect_image(whole.substr(0, size)).has_value());
    }
}

TEST_CASE("bytes after the end of an image are refused") {
  CHECK(refusal(small_png() + "<script>") == "8 bytes follow the end of the image");
  CHECK(refusal(small_jpeg() + "x") == "1 bytes follow the end of the image");
}

TEST_CASE("a PNG whose checksum does not match is damaged") {
  rc::check("every flipped bit behind the signature is noticed", [] {
    auto bytes = small_png();
    const auto at = *rc::gen::inRange(std::size_t{8}, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
    RC_ASSERT(!inspect_image(bytes).has_value());
  });
}

TEST_CASE("a PNG needs a header, pixels and sane sides") {
  CHECK(refusal(std::string{png_start} + png_chunk("IEND", "")).find("IHDR") != std::string::npos);
  CHECK(refusal(png_header(1, 1) + png_chunk("IEND", "")).find("IDAT") != std::string::npos);
  const auto pixels = png_chunk("IDAT", "x") + png_chunk("IEND", "");
  CHECK(inspect_image(png_header(16'384, 16'384) + pixels).has_value());
  for (const auto& [width, height] :
       {std::pair{0U, 1U}, {1U, 0U}, {16'385U, 1U}, {1U, 16'385U}, {0xFFFF'FFFFU, 1U}})
    CHECK(refusal(png_header(width, height) + pixels).find("allowed are 1 to 16384") !=
          std::string::npos);
}

TEST_CASE("an image at the limit is taken, one byte more is not") {
  const auto frame = small_png(0).size();
  CHECK(inspect_image(small_png(model::image_limit_bytes - frame)).has_value());
  CHECK(refusal(small_png(model::image_limit_bytes - frame + 1)) ==
        "the image has 2000001 bytes, allowed are 2000000");
}

TEST_CASE("an image is named by its bytes") {
  // The digest of `printf abc | sha256sum`.
  CHECK(model::name_image("abc", image_type::jpeg) ==
        model::parse_image_name("ba7816bf8f01cfea414140de5dae2223.jpg"));
}

TEST_CASE("any bytes get a verdict") {
  rc::check("after either signature", [](const std::string& bytes) {
    (void)inspect_image(std::string{png_start} + bytes);
    (void)inspect_image("\xFF\xD8\xFF" + bytes);
  });
}

} // namespace
