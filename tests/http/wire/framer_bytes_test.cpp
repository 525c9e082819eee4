#include "http/wire/request_framer.hpp"

#include "tests/catch.hpp"

#include <string>
#include <string_view>

namespace matchcloud::http {

namespace {

bool accepted(const std::string& input) {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  const auto result = framer.feed(input, got);
  return result.status == framer_status::complete && result.consumed == input.size();
}

bool one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

constexpr std::string_view alphanumeric =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Inserts every byte value between `before` and `after` and compares acceptance with `allowed`.
template <class Allowed>
void expect_bytes(const std::string& before, const std::string& after, Allowed allowed) {
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    INFO("byte " << value);
    REQUIRE(accepted(before + c + after) == allowed(c));
  }
}

} // namespace

TEST_CASE("a method holds token characters only", "[framer]") {
  expect_bytes("G", "T / HTTP/1.1\r\nHost: a\r\n\r\n",
               [](char c) { return one_of(c, alphanumeric) || one_of(c, "!#$%&'*+-.^_`|~"); });
}

TEST_CASE("a target holds what RFC 3986 allows", "[framer]") {
  expect_bytes("GET /", "a HTTP/1.1\r\nHost: a\r\n\r\n", [](char c) {
    return one_of(c, alphanumeric) || one_of(c, "-._~:/?[]@!$&'()*+,;=%");
  });
}

TEST_CASE("a header's name holds token characters only", "[framer]") {
  // A colon ends the name; the rest is the value.
  expect_bytes("GET / HTTP/1.1\r\nHost: a\r\nX", "Y: 1\r\n\r\n", [](char c) {
    return c == ':' || one_of(c, alphanumeric) || one_of(c, "!#$%&'*+-.^_`|~");
  });
}

TEST_CASE("a host holds the characters of a name", "[framer]") {
  expect_bytes("GET / HTTP/1.1\r\nHost: a", "b\r\n\r\n",
               [](char c) { return one_of(c, alphanumeric) || one_of(c, "-._~!$&'()*+,;=%"); });
}

TEST_CASE("a value holds no control character at any place", "[framer]") {
  // The framer examines eight bytes at a time, so every position in a word and in the remainder
  // matters.
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  for (std::size_t length = 1; length < 28; ++length)
    for (std::size_t at = 0; at < length; ++at)
      expect_bytes(head + std::string(at, 'v'), std::string(length - at - 1, 'v') + "\r\n\r\n",
                   [](char c) {
                     const auto value = static_cast<unsigned char>(c);
                     return c == '\t' || (value >= ' ' && value != 0x7f);
                   });
}

TEST_CASE("a chunk size holds hexadecimal digits only", "[framer]") {
  // The byte, then "1" and an empty extension: as a chunk size, only 01 fits the data.
  expect_bytes("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
               "1;\r\nx\r\n0\r\n\r\n", [](char c) { return c == '0'; });
}

} // namespace matchcloud::http
