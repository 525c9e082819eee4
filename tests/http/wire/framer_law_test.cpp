#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/framer_law.hpp"

#include "tests/catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <rapidcheck.h>

namespace matchcloud::http {

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Valid and invalid pieces of requests, from which random inputs are composed.
rc::Gen<std::string> piece() {
  return rc::gen::oneOf(
      rc::gen::elementOf(std::vector<std::string>{"GET / HTTP/1.1\r\n",
                                                  "POST /a?b HTTP/1.1\r\n",
                                                  "GET /c HTTP/1.0\r\n",
                                                  "Host: a\r\n",
                                                  "Host: a\r\n\r\n",
                                                  "Content-Length: 5\r\n\r\nhello",
                                                  "Content-Length: 70\r\n",
                                                  "\r\n",
                                                  "Transfer-Encoding: chunked\r\n\r\n",
                                                  "5\r\nhello\r\n",
                                                  "0\r\n\r\n",
                                                  "0\r\n",
                                                  "X: 1\r\n",
                                                  "Connection: close\r\n",
                                                  "Expect: 100-continue\r\n",
                                                  "Expect: ,100-continue,\r\n",
                                                  "Expect: a\r\n",
                                                  "GET /?a|{}\"^`\\ HTTP/1.1\r\n",
                                                  "Accept: a\r\n",
                                                  "Origin: a\r\n",
                                                  "OPTIONS * HTTP/1.1\r\n",
                                                  "GET http://a/b HTTP/1.1\r\n"}),
      rc::gen::elementOf(std::vector<std::string>{"\n", "\r", " ", "\t", ":", ";a",
                                                  std::string(1, '\0'), "GET ", "/", "HTTP/1.", "5",
                                                  "\xff", "%0d"}),
      rc::gen::string<std::string>());
}

/// A well-formed request and the expected result of reading it.
struct sample {
  std::string bytes;
  std::string target;
  std::string body;
};

sample generated_request() {
  using rc::gen::elementOf;
  sample out;
  out.target = "/" + *rc::gen::container<std::string>(elementOf(std::string{"abz09-._~/%?=&"})) +
               "?" + *rc::gen::container<std::string>(elementOf(std::string{"ab?|{}\"^`\\[]"}));
  out.body = *rc::gen::string<std::string>();
  out.bytes = "POST " + out.target + " HTTP/1.1\r\nHost: a\r\nX-Any:" +
              *rc::gen::container<std::string>(elementOf(std::string{" \ta:,\"\xfe"})) + "\r\n";
  if (*rc::gen::arbitrary<bool>()) {
    out.bytes += "Content-Length: " + std::to_string(out.body.size()) + "\r\n\r\n" + out.body;
    return out;
  }
  out.bytes += "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < out.body.size();) {
    const auto size =
        *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(9, out.body.size() - at) + 1);
    out.bytes += std::to_string(size) + "\r\n" + out.body.substr(at, size) + "\r\n";
    at += size;
  }
  out.bytes += "0\r\n\r\n";
  return out;
}

} // namespace

TEST_CASE("the cut law holds for the fuzzer's corpus", "[framer]") {
  const std::filesystem::path folder = fixtures::source_path("tests/fuzz/corpus/framer");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    INFO(entry.path());
    REQUIRE(framer_law::check(read_file(entry.path())) == "");
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("the cut law holds for random pieces of requests", "[framer]") {
  REQUIRE(rc::check([] {
    std::string input;
    for (const auto& text : *rc::gen::container<std::vector<std::string>>(piece()))
      input += text;
    RC_ASSERT(framer_law::check(input) == "");
  }));
}

TEST_CASE("well-formed requests are read as they were written", "[framer]") {
  REQUIRE(rc::check([] {
    std::vector<sample> samples(*rc::gen::inRange<std::size_t>(1, 4));
    std::string input;
    for (auto& each : samples)
      input += (each = generated_request()).bytes;
    request_framer framer{framer_law::wide_limits()};
    std::string_view rest = input;
    for (const auto& each : samples) {
      request got;
      const auto result = framer.feed(rest, got);
      RC_ASSERT(result.status == framer_status::complete);
      RC_ASSERT(result.consumed == each.bytes.size());
      RC_ASSERT(got.target == each.target);
      RC_ASSERT(got.body == each.body);
      rest.remove_prefix(result.consumed);
    }
    RC_ASSERT(framer_law::check(input) == "");
  }));
}

} // namespace matchcloud::http
