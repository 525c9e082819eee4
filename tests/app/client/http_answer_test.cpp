#include "app/client/http_answer.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

TEST_CASE("a Content-Range is read exactly or not at all") {
  CHECK(parse_content_part("bytes 5-9/10") == content_part{5, 10, 10});
  CHECK(parse_content_part("bytes 0-18446744073709551613/18446744073709551615") ==
        content_part{0, 18'446'744'073'709'551'614U, 18'446'744'073'709'551'615U});
  for (const std::string wrong :
       {"", "bytes", "bytes */10", "bytes 5-9/*", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-9",
        "bytes -5-9/10", "items 5-9/10", "bytes 5-9/10 ", "bytes 5/9-10",
        "bytes 0-18446744073709551615/18446744073709551616"})
    CHECK_FALSE(parse_content_part(wrong).has_value());
}

TEST_CASE("a Location is as it was sent, also where its encoding was taken off") {
  const auto read = [](const std::string& value) {
    httplib::Response head;
    head.headers.emplace("Location", value);
    return location_of(head);
  };
  const std::string sent = "http://a.example/b/c?d=e%20%22f%22%2Bg&h=i/j";
  CHECK(read(sent) == sent);
  CHECK(read("http://a.example/b/c?d=e \"f\"+g&h=i/j") ==
        "http://a.example/b/c?d=e%20%22f%22%2bg&h=i/j");
}

} // namespace
} // namespace matchcloud::app
