#include "bench/load/reply_reader.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace matchcloud::load {
namespace {

using progress = reply_reader::progress;

struct verdict {
  progress outcome;
  int status = 0;
  std::string body;
  bool closes = false;

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// Feeds the pieces, then the end where that is needed.
verdict read(const std::vector<std::string>& pieces) {
  reply_reader reader;
  auto outcome = progress::more;
  for (const auto& piece : pieces) {
    if (outcome == progress::more)
      outcome = reader.feed(piece);
    else if (outcome == progress::complete)
      outcome = progress::malformed; // bytes behind the reply
  }
  if (outcome == progress::more) outcome = reader.end();
  if (outcome != progress::complete) return {outcome, 0, {}, false};
  const auto& found = reader.current();
  return {outcome, found.status, std::string{found.body}, found.closes};
}

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
    const auto& whole = replies[*rc::gen::inRange<std::size_t>(0, replies.size())];
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < whole.size(); at += pieces.back().size())
      pieces.push_back(whole.substr(at, *rc::gen::inRange<std::size_t>(1, 12)));
    RC_ASSERT(read(pieces) == read({whole}));
  }));
}

TEST_CASE("what is no reply is refused", "[load]") {
  for (const std::string wrong :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ntoo short"}) {
    CAPTURE(wrong);
    CHECK(read({wrong}).outcome == progress::malformed);
  }
  CHECK(read({std::string(reply_reader::head_limit_bytes + 1, 'x')}).outcome ==
        progress::malformed);
}

TEST_CASE("what comes behind a reply is told apart from what is none", "[load]") {
  reply_reader reader;
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  REQUIRE(reader.feed(reply + reply) == progress::malformed);
  CHECK(reader.has_more_than_asked());
  reader.reset();
  REQUIRE(reader.feed("SSH-2.0\r\n\r\n") == progress::malformed);
  CHECK_FALSE(reader.has_more_than_asked());
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

} // namespace
} // namespace matchcloud::load
