#include "app/reports/validated_file.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

namespace matchcloud::app {
namespace {

TEST_CASE("property: an indexed place is that which counting from the beginning finds") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    // Long enough for several stride marks, with lines that cross them.
    std::string text;
    for (auto random = seed; text.size() < 3 * text_places::stride_bytes + seed % 7;
         random = random * 1'664'525U + 1'013'904'223U)
      text += std::vector<std::string>{"a", "\n", "é", "日", "\t", "\xff", "abcdefgh"}.at(
          random >> 16U & 0x7FFFU ? (random >> 16U) % 7 : 0);
    const text_places places{text};
    for (std::size_t offset = 0; offset <= text.size() + 1; offset += 1 + seed % 13) {
      const auto expected = model::position_of(text, offset);
      RC_ASSERT(places.at(offset).line == expected.line);
      RC_ASSERT(places.at(offset).column == expected.column);
    }
  }));
}

TEST_CASE("a text that ends at a mark, or is empty, has a place behind its end") {
  CHECK(text_places{""}.at(5).column == 1);
  const std::string exact(text_places::stride_bytes, 'x');
  CHECK(text_places{exact}.at(exact.size()).column == exact.size() + 1);
}

} // namespace
} // namespace matchcloud::app
