#include "app/client/http_transfer.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

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
