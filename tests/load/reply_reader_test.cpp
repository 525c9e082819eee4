#include "load/reply_reader.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/reply_law.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace matchcloud::load {
namespace {

using reply_law::progress;
using reply_law::read;
using reply_law::verdict;

const std::vector<std::string> replies{
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 2711\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: "
    "1\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nConnection: close\r\ncontent-length: "
    "2\r\n\r\nno",
    "HTTP/1.0 200 OK\r\n\r\nuntil the end",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
};

TEST_CASE("a reply ends where HTTP says", "[load]") {
  CHECK(read({replies[0]}) == verdict{progress::complete, 200, "hello", false});
  CHECK(read({replies[1]}) == verdict{progress::complete, 204, "", false});
  CHECK(read({replies[2]}) == verdict{progress::complete, 304, "", false});
  CHECK(read({replies[3]}) == verdict{progress::complete, 200, "abcde", false});
  CHECK(read({replies[4]}) == verdict{progress::complete, 503, "no", true});
  CHECK(read({replies[5]}) == verdict{progress::complete, 200, "until the end", true});
  CHECK(read({replies[6]}) == verdict{progress::complete, 200, "", false});
}

TEST_CASE("a reply is the same however its bytes are cut", "[load]") {
  REQUIRE(rc::check([] {
    auto bytes = replies[*rc::gen::inRange<std::size_t>(0, replies.size())];
    // Breaks some of the replies.
    const auto at = *rc::gen::inRange<std::size_t>(0, 2 * bytes.size());
    if (at < bytes.size()) bytes[at] = *rc::gen::arbitrary<char>();
    const auto seed = *rc::gen::arbitrary<std::size_t>();
    const auto why = reply_law::check(bytes, seed);
    RC_ASSERT(why.empty());
  }));
}

TEST_CASE("bytes that are not a reply are refused", "[load]") {
  for (const std::string_view wrong :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ntoo short"}) {
    CAPTURE(wrong);
    CHECK(read({wrong}).outcome == progress::malformed);
  }
  const std::string endless(reply_reader::head_limit_bytes + 1, 'x');
  CHECK(read({endless}).outcome == progress::malformed);
}

TEST_CASE("bytes after a reply are told apart from bytes that are no reply", "[load]") {
  reply_reader reader;
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  REQUIRE(reader.feed(reply + reply) == progress::malformed);
  CHECK(reader.has_extra_bytes());
  reader.reset();
  REQUIRE(reader.feed("SSH-2.0\r\n\r\n") == progress::malformed);
  CHECK_FALSE(reader.has_extra_bytes());
}

TEST_CASE("a reader reads one reply after the other", "[load]") {
  reply_reader reader;
  for (int round = 0; round < 3; ++round) {
    CHECK(reader.untouched());
    REQUIRE(reader.feed("HTTP/1.1 200 OK\r\nContent-Le") == progress::more);
    CHECK_FALSE(reader.untouched());
    REQUIRE(reader.feed("ngth: 2\r\n\r\nok") == progress::complete);
    CHECK(reader.current().body == "ok");
    reader.reset();
  }
}

TEST_CASE("a reply to HEAD has no body, whatever it declares", "[load]") {
  reply_reader reader;
  for (const std::string_view framing :
       {"Content-Length: 9999999999", "Transfer-Encoding: chunked", "X: y"}) {
    CAPTURE(framing);
    reader.reset(true);
    const auto text = "HTTP/1.1 200 OK\r\n" + std::string{framing} + "\r\n\r\n";
    CHECK(reader.feed(text) == reply_reader::progress::complete);
    CHECK(reader.current().body.empty());
    CHECK(reader.current().head == framing);
  }
}

TEST_CASE("the header lines are there however the bytes are cut, also of a cut body", "[load]") {
  const auto framing =
      GENERATE(as<std::string>{}, "Content-Length: 20\r\n", "Transfer-Encoding: chunked\r\n", "");
  const auto is_chunked = framing.starts_with("Transfer");
  const std::string text = "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n" + framing +
                           "B: 2\r\n\r\n" + (is_chunked ? "6\r\nabcdef\r\n" : "abcdef");
  const std::size_t step = GENERATE(1, 7, 1'000);
  reply_reader reader;
  CHECK_FALSE(reader.is_cut_at(0));
  for (std::size_t at = 0; at < text.size(); at += step)
    REQUIRE(reader.feed(std::string_view{text}.substr(at, step)) == reply_reader::progress::more);
  CHECK_FALSE(reader.is_cut_at(7));
  REQUIRE(reader.is_cut_at(6));
  CHECK(reader.current().body == "abcdef");
  CHECK(reader.current().head == framing + "B: 2");
  CHECK(reader.current().closes);
}

} // namespace
} // namespace matchcloud::load
