#include "model/net/content_part.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("a Content-Range is read exactly or not at all") {
  CHECK(parse_content_part("bytes 5-9/10") == content_part{5, 10, 10});
  CHECK(parse_content_part("bytes 0-18446744073709551613/18446744073709551615") ==
        content_part{0, 18'446'744'073'709'551'614U, 18'446'744'073'709'551'615U});
  for (const std::string wrong :
       {"", "bytes", "bytes */10", "bytes 5-9/*", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-9",
        "bytes -5-9/10", "items 5-9/10", "bytes 5-9/10 ", "bytes 1-2", "bytes -1-2/3",
        "bytes 5/9-10", "bytes 0-18446744073709551615/18446744073709551616"})
    CHECK_FALSE(parse_content_part(wrong).has_value());
}

} // namespace
} // namespace matchcloud::model
