#include "http/wire/request_framer.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/http/wire/framer_cases.hpp"

#include <functional>

namespace matchcloud::http {

namespace {

using fixtures::contains;

const std::string simple_get = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

struct seen {
  std::string verdict;
  std::size_t consumed = 0;
};

std::string name_of(const request& got) {
  auto text = got.method_token + ' ' + got.target + (got.keep_alive ? " keep" : " close");
  if (got.http_1_0) text += " 1.0";
  return got.body.empty() ? text : text + " '" + got.body + "'";
}

/// Feeds `input` in pieces that end at `cut(position)`.
seen read(std::string_view input, const framer_limits& limits,
          const std::function<std::size_t(std::size_t)>& cut) {
  request_framer framer{limits};
  request got;
  seen out;
  const auto add = [&](std::string_view text) {
    out.verdict += out.verdict.empty() ? "" : " | ";
    out.verdict += text;
  };
  while (out.consumed < input.size()) {
    const auto piece = input.substr(out.consumed, cut(out.consumed) - out.consumed);
    const auto result = framer.feed(piece, got);
    out.consumed += result.consumed;
    if (result.status == framer_status::failed) {
      add(describe(framer.failure().code).code);
      return out;
    }
    if (result.status == framer_status::complete) {
      add(name_of(got));
      got.clear(0);
    }
  }
  if (!framer.idle()) add(framer.in_body() ? "in body" : "in head");
  return out;
}

void expect_verdict(std::string_view input, const framer_limits& limits, const seen& expected) {
  const auto same = [&](const seen& got) {
    return got.verdict == expected.verdict && got.consumed == expected.consumed;
  };
  const auto whole = read(input, limits, [&](std::size_t) { return input.size(); });
  CHECK(whole.verdict == expected.verdict);
  CHECK(whole.consumed == expected.consumed);
  REQUIRE(same(read(input, limits, [](std::size_t at) { return at + 1; })));
  // Long inputs are long because of one repeated byte: few of their splits differ.
  const std::size_t step = input.size() > 2000 ? 101 : 1;
  for (std::size_t at = 1; at < input.size(); at += step) {
    INFO("cut at " << at);
    REQUIRE(
        same(read(input, limits, [&](std::size_t from) { return from < at ? at : input.size(); })));
  }
}

bool ends_complete(const std::string& verdict) {
  return verdict.ends_with("keep") || verdict.ends_with("close") || verdict.ends_with("1.0") ||
         verdict.ends_with("'");
}

void expect_case(const framer_case& c, const framer_limits& limits) {
  CAPTURE(c.input);
  const bool open = c.verdict.empty() || c.verdict.starts_with("in ");
  expect_verdict(c.input, limits, {c.verdict, c.input.size()});
  if (open) return;
  // A failure consumes nothing of what follows, and a request nothing of the next one.
  const bool complete = ends_complete(c.verdict);
  expect_verdict(c.input + simple_get, limits,
                 {complete ? c.verdict + " | GET /next keep" : c.verdict,
                  c.input.size() + (complete ? simple_get.size() : 0)});
}

/// Feeds `input` in one piece and returns the error.
base::error failure_of(std::string_view input) {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  REQUIRE(framer.feed(input, got).status == framer_status::failed);
  return framer.failure();
}

std::string detail_of(std::string_view input) {
  return failure_of(input).detail;
}

request complete(std::string_view input) {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  const auto result = framer.feed(input, got);
  REQUIRE(result.status == framer_status::complete);
  REQUIRE(result.consumed == input.size());
  return got;
}

} // namespace

TEST_CASE("request lines have one verdict however they are cut", "[framer]") {
  for (const auto& c : request_line_cases())
    expect_case(c, {});
}

TEST_CASE("header lines have one verdict however they are cut", "[framer]") {
  for (const auto& c : header_cases())
    expect_case(c, {});
}

TEST_CASE("a head's demands have one verdict in a fixed order", "[framer]") {
  for (const auto& c : head_end_cases())
    expect_case(c, {});
}

TEST_CASE("bodies end where their framing says", "[framer]") {
  for (const auto& c : body_cases())
    expect_case(c, {});
}

TEST_CASE("limits are exact and decided at their byte", "[framer]") {
  // The request that follows a case must also fit the tight limits.
  for (const auto& c : limit_cases())
    expect_case(c, case_limits());
}

TEST_CASE("the headers that the service reads are handed on, all others dropped", "[framer]") {
  const auto got =
      complete("GET /a?b=1 HTTP/1.1\r\nhost:  a:80 \r\nAUTHORIZATION: Bearer x\r\n"
               "Content-Type: application/json\r\nX-Other: 1\r\nREMOTE_ADDR: 1\r\n"
               "X-Forwarded-For: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2 \r\nAccept:\r\n\r\n");
  CHECK(got.get(header::host) == "a:80");
  CHECK(got.get(header::authorization) == "Bearer x");
  CHECK(got.get(header::content_type) == "application/json");
  CHECK(got.get(header::x_forwarded_for) == "1.1.1.1, 2.2.2.2");
  CHECK(got.has(header::accept));
  CHECK(got.get(header::accept).empty());
  CHECK_FALSE(got.has(header::origin));
  CHECK(got.method == method::get);
  CHECK(got.path() == "/a");
  CHECK(got.query() == "b=1");
}

TEST_CASE("the host of an absolute target stands for Host", "[framer]") {
  CHECK(complete("GET http://b:81/x HTTP/1.1\r\nHost: a\r\n\r\n").get(header::host) == "b:81");
  CHECK(complete("GET http://b/x HTTP/1.0\r\n\r\n").get(header::host) == "b");
  // The previous request's headers are not kept.
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  framer.feed("GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n", got);
  got.clear(1024);
  framer.feed(simple_get, got);
  CHECK(got.get(header::host) == "a");
}

TEST_CASE("lines of If-Match are one list", "[framer]") {
  CHECK(complete("GET / HTTP/1.1\r\nHost: a\r\nif-match: \"x\"\r\nIf-Match: \"y\"\r\n\r\n")
            .get(header::if_match) == "\"x\", \"y\"");
}

TEST_CASE("a refusal of a large body names the limit and advice", "[framer]") {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const std::string expected =
      "The body has more than 1048576 bytes, the limit. Send less, or split it into several "
      "requests if possible. The service's operator can raise body-limit-bytes.";
  CHECK(detail_of(post + "Content-Length: 1048577\r\n\r\n") == expected);
  CHECK(detail_of(post + "Transfer-Encoding: chunked\r\n\r\n100001\r\n") == expected);
}

TEST_CASE("100 Continue is due once, and only while no body byte has come", "[framer]") {
  const framer_limits limits;
  const std::string start = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
  const auto due = [&](const std::string& input) {
    request_framer framer{limits};
    request got;
    framer.feed(input, got);
    const bool first = framer.take_continue();
    CHECK_FALSE(framer.take_continue());
    return first;
  };
  CHECK(due(start + "Content-Length: 2\r\n\r\n"));
  CHECK(due(start + "Transfer-Encoding: chunked\r\n\r\n"));
  CHECK_FALSE(due(start + "Content-Length: 2\r\n\r\nx"));
  CHECK_FALSE(due(start + "Transfer-Encoding: chunked\r\n\r\n1"));
  CHECK_FALSE(due(start + "Content-Length: 0\r\n\r\n"));
  CHECK_FALSE(due(start + "\r\n"));
  CHECK_FALSE(due(start + "Content-Length: 2\r\n"));
  CHECK_FALSE(due("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  CHECK_FALSE(due("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"));
}

TEST_CASE("100 Continue is not due after the body began in a later feed", "[framer]") {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  framer.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
              got);
  REQUIRE(framer.accept_body(limits.body_limit_bytes) == framer_status::need_more);
  framer.feed("x", got);
  CHECK_FALSE(framer.take_continue());
}

TEST_CASE("a framer may stop at each head until the body is accepted", "[framer]") {
  framer_limits limits;
  limits.stops_before_bodies = true;
  request_framer framer{limits};
  request got;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
  auto fed = framer.feed(head + "abc", got);
  CHECK(fed.status == framer_status::body_next);
  CHECK(fed.consumed == head.size());
  CHECK(framer.announced_length() == 3);
  CHECK_FALSE(framer.in_body());
  fed = framer.feed("abc", got);
  CHECK(fed.status == framer_status::body_next);
  CHECK(fed.consumed == 0);
  REQUIRE(framer.accept_body(3) == framer_status::need_more);
  request body; // may be another object from here on
  CHECK(framer.feed("abc", body).status == framer_status::complete);
  CHECK(body.body == "abc");
  CHECK(got.body.empty());
  got.clear(0);
  CHECK(framer.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n", got).status == framer_status::complete);
}

TEST_CASE("an accepted body has its own limit, announced or in chunks", "[framer]") {
  framer_limits limits;
  limits.stops_before_bodies = true;
  const auto refused = [&](const std::string& fields, const std::string& body) {
    request_framer framer{limits};
    request got;
    REQUIRE(framer.feed("POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n", got).status ==
            framer_status::body_next);
    if (framer.accept_body(4) == framer_status::failed) return true;
    // What was taken out in the meantime still counts.
    for (const char byte : body) {
      if (framer.feed({&byte, 1}, got).status == framer_status::failed) return true;
      got.body.clear();
    }
    return false;
  };
  CHECK(refused("Content-Length: 5", ""));
  CHECK_FALSE(refused("Content-Length: 4", "abcd"));
  CHECK_FALSE(refused("Transfer-Encoding: chunked", "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n"));
  CHECK(refused("Transfer-Encoding: chunked", "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"));
}

TEST_CASE("the framer says where in a request it is", "[framer]") {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  CHECK(framer.idle());
  framer.feed("\r\n", got);
  CHECK(framer.idle());
  framer.feed("P", got);
  CHECK_FALSE(framer.idle());
  CHECK_FALSE(framer.in_body());
  framer.feed("OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n", got);
  CHECK(framer.in_body());
  framer.feed("ok", got);
  CHECK(framer.idle());
  CHECK_FALSE(framer.in_body());
}

TEST_CASE("a failed framer stays failed and consumes nothing", "[framer]") {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  CHECK(framer.feed("GET\r\n", got).status == framer_status::failed);
  const auto again = framer.feed(simple_get, got);
  CHECK(again.status == framer_status::failed);
  CHECK(again.consumed == 0);
  CHECK_FALSE(framer.idle());
  CHECK_FALSE(framer.in_body());
}

TEST_CASE("an announced body reserves little until it comes", "[framer]") {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  framer.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\nx", got);
  CHECK(got.body.capacity() <= 2 * body_reserve_bytes);
}

TEST_CASE("a body of one-byte chunks passes, a body of extensions does not", "[framer]") {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto body = [&](std::string_view chunk, int count) {
    auto text = head;
    for (int i = 0; i < count; ++i)
      text += chunk;
    return text + "0\r\n\r\n";
  };
  CHECK(complete(body("1\r\nx\r\n", 20'000)).body.size() == 20'000);
  const auto why = failure_of(body("1;" + std::string(200, 'a') + "\r\nx\r\n", 20'000));
  CHECK(why.code == base::errc::request_malformed);
  CHECK(why.detail == "Chunk lines are too long; send fewer extensions");
}

TEST_CASE("the overhead of chunks is decided at its byte", "[framer]") {
  std::string input = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 100; ++i)
    input += "1;" + std::string(240, 'a') + "\r\nx\r\n";
  const framer_limits limits;
  const auto whole = read(input, limits, [&](std::size_t) { return input.size(); });
  CHECK(whole.verdict == "request_malformed");
  for (const std::size_t step : {1, 7, 1000}) {
    const auto cut = read(input, limits, [&](std::size_t at) { return at + step; });
    CHECK(cut.verdict == whole.verdict);
    CHECK(cut.consumed == whole.consumed);
  }
}

TEST_CASE("a refusal says where, what and what to do", "[framer]") {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  CHECK(detail_of("GET  / HTTP/1.1\r\n") ==
        "Request line: there is no target after the method and exactly one space");
  CHECK(detail_of(head + "X : 1\r\n") ==
        "Head line 3: white space after 'X'; the colon must follow");
  CHECK(detail_of(head + "X: a\x1b\r\n") == "Head line 3: byte 0x1B at position 1 of the value of "
                                            "'X'; control characters are refused");
  CHECK(detail_of(head + "Y: 1\r\nX: 1\n") ==
        "Head line 4: it ends with LF alone; end lines with CRLF");
  CHECK(detail_of(head + "Host: b\r\n") == "Head line 3: a second 'Host'; send one");
  CHECK(detail_of("\x16\x03\x01") ==
        "The first byte of the request is byte 0x16, which no method begins with; send plain "
        "HTTP/1.1 (no TLS), one request after another, with at most one empty line between them");
}

TEST_CASE("a refusal shows at most 64 bytes and no control byte", "[framer]") {
  const auto detail = detail_of("GET / HTTP/1.1\r\nHost: " + std::string(500, '<') + "\r\n");
  CHECK(detail ==
        "Head line 2: Host '" + std::string(64, '<') + "..' is not a host with an optional port");
  CHECK(detail_of("GET / HTTP/1.1\r\nHost: a'\x80\r\n") ==
        "Head line 2: Host 'a?"
        "?' is not a host with an optional port");
}

TEST_CASE("a credential in a refused line is not shown", "[framer]") {
  const auto detail = detail_of("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret%0d\r\n");
  CHECK_FALSE(contains(detail, "secret"));
}

TEST_CASE("a request that is reused allocates nothing new", "[framer]") {
  const framer_limits limits;
  request_framer framer{limits};
  request got;
  const std::string input = "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  framer.feed(input, got);
  const auto* memory = got.target.data();
  got.clear(1024);
  framer.feed(input, got);
  CHECK(got.target.data() == memory);
}

} // namespace matchcloud::http
