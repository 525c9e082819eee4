// Deliberately wrong requests over real sockets: a refused request ends its connection with
// everything hidden behind it, an unusual one is answered once, and other clients are not affected.
#include "tests/catch.hpp"
#include "tests/service/shared_servers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using namespace std::string_literals;

const std::string host = "Host: a\r\n";
const std::string get_line = "GET /matchmaker/regions HTTP/1.1\r\n";
const std::string post_line = "POST /cloud/groups/validate HTTP/1.1\r\n";

/// A request that must never be answered after a refusal.
const std::string smuggled = request("GET", regions_target, {}, "X-Request-Id: smuggled\r\n");

struct refused_case {
  std::string name;
  std::string bytes;
  int status = 400;
  std::string code = "request_malformed";
};

struct served_case {
  std::string name;
  std::string bytes;
  int status = 200;
};

/// A refused GET with the header lines `lines`.
refused_case head(std::string name, const std::string& lines, int status = 400,
                  std::string code = "request_malformed") {
  return {std::move(name), get_line + host + lines + "\r\n", status, std::move(code)};
}

/// A refused POST with the header lines `lines`, and a 5-byte body in either framing.
refused_case body(std::string name, const std::string& lines, int status = 400,
                  std::string code = "request_malformed") {
  return {std::move(name), post_line + host + lines + "\r\n5\r\nhello\r\n0\r\n\r\n", status,
          std::move(code)};
}

refused_case chunks(std::string name, const std::string& text, int status = 400,
                    std::string code = "request_malformed") {
  return {std::move(name), post_line + host + "Transfer-Encoding: chunked\r\n\r\n" + text, status,
          std::move(code)};
}

/// A refused request line.
refused_case line(std::string name, const std::string& text, int status = 400,
                  std::string code = "request_malformed") {
  return {std::move(name), text + "\r\n" + host + "\r\n", status, std::move(code)};
}

std::vector<refused_case> framing_cases() {
  const auto chunked = "Transfer-Encoding: chunked\r\n"s;
  const auto length = "Content-Length: 5\r\n"s;
  const auto not_supported = "transfer_coding_unsupported"s;
  return {
      body("length, then chunked", length + chunked),
      body("chunked, then length", chunked + length),
      body("chunked, then length 0", chunked + "Content-Length: 0\r\n"),
      body("two lengths", length + "Content-Length: 6\r\n"),
      body("two equal lengths", length + length),
      body("length list", "Content-Length: 5, 5\r\n"),
      body("length with plus", "Content-Length: +5\r\n"),
      body("length with minus", "Content-Length: -5\r\n"),
      body("length in hexadecimal", "Content-Length: 0x5\r\n"),
      body("length with exponent", "Content-Length: 1e1\r\n"),
      body("length with underscore", "Content-Length: 1_0\r\n"),
      body("length with vertical tab", "Content-Length: \v5\r\n"),
      body("length empty", "Content-Length:\r\n"),
      body("length in quotes", "Content-Length: \"5\"\r\n"),
      body("length of 2^64 + 5", "Content-Length: 18446744073709551621\r\n", 413, "body_too_large"),
      body("length with space before the colon", "Content-Length : 5\r\n"),
      body("length folded", "Content-Length:\r\n 5\r\n"),
      body("chunked with space before the colon", "Transfer-Encoding : chunked\r\n"),
      body("chunked folded", "Transfer-Encoding:\r\n chunked\r\n"),
      body("chunked twice", chunked + chunked),
      body("chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n"),
      body("chunked, identity", "Transfer-Encoding: chunked, identity\r\n"),
      body("xchunked", "Transfer-Encoding: xchunked\r\n"),
      body("chunked in quotes", "Transfer-Encoding: \"chunked\"\r\n"),
      body("chunked with parameter", "Transfer-Encoding: chunked;q=1\r\n"),
      body("chunked behind a vertical tab", "Transfer-Encoding: \vchunked\r\n"),
      body("chunked before NUL", "Transfer-Encoding: chunked\0\r\n"s),
      body("chunked before CR", "Transfer-Encoding: chunked\r\r\n"),
      body("chunked behind CR", "X: y\rTransfer-Encoding: chunked\r\n"),
      body("chunked behind LF", "X: y\nTransfer-Encoding: chunked\r\n"),
      body("gzip", "Transfer-Encoding: gzip\r\n"),
      body("identity", "Transfer-Encoding: identity\r\n"),
      body("empty coding", "Transfer-Encoding:\r\n"),
      body("gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", 501, not_supported),
      body("identity, chunked", "Transfer-Encoding: identity, chunked\r\n", 501, not_supported),
      body("two lines of codings", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"),
      {"chunked in HTTP/1.0",
       "POST /cloud/groups/validate HTTP/1.0\r\n" + chunked + "\r\n0\r\n\r\n"},
      body("gzip body", "Content-Encoding: gzip\r\n" + length, 415, "content_coding_unsupported"),
      body("gzip body behind identity", "Content-Encoding: identity, gzip\r\n" + length, 415,
           "content_coding_unsupported"),
  };
}

std::vector<refused_case> head_cases() {
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "X: y\r\n";
  return {
      head("folded", "X: y\r\n z\r\n"),
      head("folded by tab", "X: y\r\n\tz\r\n"),
      {"folded first", get_line + " " + host + "\r\n"},
      head("blank line", " \r\n"),
      head("space before the colon", "X : y\r\n"),
      head("tab before the colon", "X\t: y\r\n"),
      head("no colon", "X\r\n"),
      head("no name", ": y\r\n"),
      head("space in a name", "X Y: z\r\n"),
      head("NUL in a name", "X\0: y\r\n"s),
      head("NUL in a value", "X: y\0z\r\n"s),
      head("CR in a value", "X: y\rz\r\n"),
      head("CR alone ends a line", "X: y\rHost: b\r\n"),
      head("LF alone ends a line", "X: y\n"),
      {"LF alone everywhere", "GET / HTTP/1.1\nHost: a\n\n"},
      {"LF alone ends the head", get_line + host + "\n"},
      head("CR CR LF", "X: y\r\r\n"),
      head("escape", "X: \x1b[2J\r\n"),
      head("DEL", "X: \x7f\r\n"),
      head("obs-text in a name", "X\xff: y\r\n"),
      head("encoded line end in a kept value", "X-Request-Id: a%0d%0aX: y\r\n"),
      head("two Hosts", "Host: b\r\n"),
      head("two equal Hosts", host),
      {"no Host", get_line + "\r\n"},
      {"empty Host", get_line + "Host:\r\n\r\n"},
      {"Host with path", get_line + "Host: a/b\r\n\r\n"},
      {"Host with user", get_line + "Host: u@a\r\n\r\n"},
      {"Host list", get_line + "Host: a, b\r\n\r\n"},
      {"Host with spaces", get_line + "Host: a b\r\n\r\n"},
      head("two types", "Content-Type: application/json\r\nContent-Type: text/plain\r\n"),
      head("another expectation", "Expect: 200-ok\r\n", 417, "expectation_failed"),
      head("a hundred lines more", many, 431, "head_too_large"),
      head("a line over the limit", "X: " + std::string(9'000, 'y') + "\r\n", 431,
           "head_too_large"),
  };
}

std::vector<refused_case> chunk_cases() {
  std::string many;
  for (int i = 0; i < 101; ++i)
    many += "X: y\r\n";
  return {
      chunks("size of 17 digits", "10000000000000000\r\n"),
      chunks("size of 2^64-1", "ffffffffffffffff\r\n", 413, "body_too_large"),
      chunks("size that wraps", "5\r\nhello\r\nfffffffffffffffb\r\n", 413, "body_too_large"),
      chunks("size over the limit", "100001\r\n", 413, "body_too_large"),
      chunks("size with plus", "+5\r\nhello\r\n0\r\n\r\n"),
      chunks("size with minus", "-5\r\nhello\r\n0\r\n\r\n"),
      chunks("size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"),
      chunks("size with space before", " 5\r\nhello\r\n0\r\n\r\n"),
      chunks("size with space behind", "5 \r\nhello\r\n0\r\n\r\n"),
      chunks("size empty", "\r\nhello\r\n0\r\n\r\n"),
      chunks("size line ends with LF", "5\nhello\r\n0\r\n\r\n"),
      chunks("LF in an extension", "5;x\nhello\r\n0\r\n\r\n"),
      chunks("CR in an extension", "5;x\ry\r\nhello\r\n0\r\n\r\n"),
      chunks("NUL in an extension", "5;\0\r\nhello\r\n0\r\n\r\n"s),
      chunks("extension over the limit", "5;" + std::string(300, 'x') + "\r\nhello\r\n0\r\n\r\n"),
      chunks("chunk longer than its size", "4\r\nhello\r\n0\r\n\r\n"),
      chunks("chunk shorter than its size", "6\r\nhello\r\n0\r\n\r\n"),
      chunks("chunk ends with LF", "5\r\nhello\n0\r\n\r\n"),
      chunks("trailers end with LF", "0\r\n\n"),
      chunks("length among the trailers", "0\r\nContent-Length: 5\r\n\r\n"),
      chunks("coding among the trailers", "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
      chunks("Host among the trailers", "0\r\nHost: b\r\n\r\n"),
      chunks("trailer folded", "0\r\nX: y\r\n z\r\n\r\n"),
      chunks("trailer without colon", "0\r\nGET / HTTP/1.1\r\n\r\n"),
      chunks("trailers over the limit", "0\r\nX: " + std::string(9'000, 'y') + "\r\n\r\n", 431,
             "head_too_large"),
      chunks("a hundred and one trailers", "0\r\n" + many + "\r\n", 431, "head_too_large"),
  };
}

std::vector<refused_case> line_cases() {
  const auto version = "version_unsupported"s;
  return {
      line("two spaces before the target", "GET  / HTTP/1.1"),
      line("two spaces before the version", "GET /  HTTP/1.1"),
      line("space behind the version", "GET / HTTP/1.1 "),
      line("tab for a space", "GET\t/\tHTTP/1.1"),
      line("space in the target", "GET /a b HTTP/1.1"),
      line("NUL in the target", "GET /\0 HTTP/1.1"s),
      line("CR in the target", "GET /\r HTTP/1.1"),
      line("UTF-8 in the target", "GET /\xc3\xa9 HTTP/1.1"),
      line("backslash", "GET \\ HTTP/1.1"),
      line("fragment", "GET /#a HTTP/1.1"),
      line("relative target", "GET matchmaker/regions HTTP/1.1"),
      line("asterisk of a GET", "GET * HTTP/1.1"),
      line("another scheme", "GET ftp://a/ HTTP/1.1"),
      line("user in the target", "GET http://u:p@a/ HTTP/1.1"),
      line("no host in the target", "GET http:///a HTTP/1.1"),
      line("authority form", "GET a:80 HTTP/1.1"),
      line("CONNECT", "CONNECT a:80 HTTP/1.1", 501, "method_not_implemented"),
      line("no version: HTTP/0.9", "GET /matchmaker/regions"),
      line("version 0.9", "GET / HTTP/0.9", 505, version),
      line("version 2.0", "GET / HTTP/2.0", 505, version),
      line("version 3.0", "GET / HTTP/3.0", 505, version),
      line("version in lower case", "GET / http/1.1"),
      line("version of two digits", "GET / HTTP/1.10"),
      line("another protocol", "GET / SIP/2.0"),
      line("control byte in the method", "GE\x01T / HTTP/1.1"),
      line("method too long", std::string(40, 'A') + " / HTTP/1.1"),
      line("target too long", "GET /" + std::string(3'000, 'a') + " HTTP/1.1", 414,
           "target_too_long"),
      line("response", "HTTP/1.1 200 OK"),
      {"space first", " " + get_line + host + "\r\n"},
      {"two empty lines first", "\r\n\r\n" + get_line + host + "\r\n"},
      {"CR first", "\r" + get_line + host + "\r\n"},
      {"LF first", "\n" + get_line + host + "\r\n"},
      {"byte order mark first", "\xef\xbb\xbf" + get_line + host + "\r\n"},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"s, 505, version},
      {"TLS hello", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"s + std::string(160, '\x42')},
      {"SSH", "SSH-2.0-OpenSSH_9.2\r\n"},
      {"SMTP", "EHLO example\r\n"},
      {"SOCKS", "\x05\x01\x00"s},
      {"PROXY header where none is expected", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"},
  };
}

/// Sends `each.bytes` followed at once by a request that a genuine client never sent.
void check_refused(const refused_case& each) {
  INFO(each.name);
  const auto& to = plain_server("loops").data();
  raw_connection client{to};
  client.send(each.bytes + smuggled);
  const auto got = client.receive();
  INFO(got.body);
  CHECK(got.status == each.status);
  CHECK(got.problem_code() == each.code);
  CHECK(got.header("connection") == "close");
  CHECK(got.header("x-request-id") != "smuggled");
  CHECK(client.closed());
  raw_connection honest{to};
  CHECK(honest.ask(request("GET", regions_target)).status == 200);
}

TEST_CASE("bodies whose end two parsers could see at two places are refused", "[limits][hostile]") {
  for (const auto& each : framing_cases())
    check_refused(each);
}

TEST_CASE("heads that two parsers could read differently are refused", "[limits][hostile]") {
  for (const auto& each : head_cases())
    check_refused(each);
}

TEST_CASE("chunks that two parsers could read differently are refused", "[limits][hostile]") {
  for (const auto& each : chunk_cases())
    check_refused(each);
}

TEST_CASE("request lines that are none of this protocol are refused", "[limits][hostile]") {
  for (const auto& each : line_cases())
    check_refused(each);
}

std::vector<served_case> served_cases() {
  const auto whole_get = get_line + host;
  const auto post = post_line + host;
  const auto in_chunks = post + "Transfer-Encoding: Chunked\r\n\r\n";
  return {
      {"one empty line first", "\r\n" + whole_get + "\r\n"},
      {"HTTP/1.2", "GET /matchmaker/regions HTTP/1.2\r\n" + host + "\r\n"},
      {"absolute form", "GET http://a/matchmaker/regions HTTP/1.1\r\n" + host + "\r\n"},
      {"absolute form unlike Host", "GET http://b/matchmaker/regions HTTP/1.1\r\n" + host + "\r\n"},
      {"unknown method", "BREW /matchmaker/regions HTTP/1.1\r\n" + host + "\r\n", 501},
      {"method in lower case", "get /matchmaker/regions HTTP/1.1\r\n" + host + "\r\n", 501},
      {"TRACE", "TRACE /matchmaker/regions HTTP/1.1\r\n" + host + "\r\n", 501},
      {"wrong method", "PUT /matchmaker/regions HTTP/1.1\r\n" + host + "\r\n", 405},
      {"request in the body of a GET",
       whole_get + "Content-Length: " + std::to_string(smuggled.size()) + "\r\n\r\n" + smuggled},
      {"request in the body of an unknown method",
       "BREW / HTTP/1.1\r\n" + host + "Content-Length: " + std::to_string(smuggled.size()) +
           "\r\n\r\n" + smuggled,
       501},
      {"no header that frames", whole_get + "Transfer_Encoding: chunked\r\n\r\n"},
      {"no list that frames", whole_get + "X-Transfer-Encoding: chunked\r\nTE: chunked\r\n\r\n"},
      {"zeros before a length", post + "Content-Length: 0000002\r\n\r\n{}"},
      {"zeros before a size", in_chunks + "0002\r\n{}\r\n0000\r\n\r\n"},
      {"extensions and trailers", in_chunks + "2;a=b;c=\"d\"\r\n{}\r\n0;e\r\nX: y\r\n\r\n"},
      {"Content-Encoding identity",
       post + "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}"},
      {"empty Content-Type", post + "Content-Type:\r\nContent-Length: 2\r\n\r\n{}"},
      {"Upgrade", whole_get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"},
      {"asterisk", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 204},
  };
}

TEST_CASE("what is odd and clear is answered once, and its connection serves on",
          "[limits][hostile]") {
  for (const auto& each : served_cases()) {
    INFO(each.name);
    raw_connection client{plain_server("loops").data()};
    client.send(each.bytes + request("GET", "/nowhere", {}, "X-Request-Id: next\r\n"));
    const auto got = client.receive();
    INFO(got.body);
    CHECK(got.status == each.status);
    CHECK(got.header("x-request-id") != "smuggled");
    CHECK(client.receive().header("x-request-id") == "next");
    CHECK_FALSE(client.readable(milliseconds{0}));
  }
}

TEST_CASE("a 415 for a coding says which is taken, one for a type does not", "[limits][hostile]") {
  const auto ask = [&](const std::string& lines, const std::string& body) {
    raw_connection client{plain_server().data()};
    return client.ask(request("POST", groups_target, body, lines));
  };
  const auto coded = ask("Content-Encoding: zstd\r\n", good_group);
  CHECK(coded.status == 415);
  CHECK(coded.problem_code() == "content_coding_unsupported");
  CHECK(coded.header("accept-encoding") == "identity");
  const auto typed = ask("Content-Type: text/plain\r\n", good_group);
  CHECK(typed.status == 415);
  CHECK(typed.header("accept-encoding").empty());
}

TEST_CASE("both transports say the same of types and sizes", "[limits][hostile]") {
  const auto transport = GENERATE("loops", "httplib");
  raw_connection client{plain_server(transport).data()};
  CHECK(client.ask(request("POST", groups_target, good_group, "Content-Type:\r\n")).status == 200);
  CHECK(client.ask(request("POST", groups_target, good_group, "Content-Encoding: identity\r\n"))
            .status == 200);
  CHECK(client.ask(request("TRACE", regions_target)).problem_code() == "method_not_implemented");
  raw_connection large{plain_server(transport).data()};
  const auto refused = large.ask(request("POST", groups_target, std::string(1'048'577, ' ')));
  CHECK(refused.status == 413);
  CHECK(refused.body.find("The body has more than 1048576 bytes, the limit. Send less, or split "
                          "it into several requests if possible. The service's operator can raise "
                          "body-limit-bytes.") != std::string::npos);
}

/// A server with deadlines short enough to wait for.
server& hasty_server() {
  shared_world(); // outlives the server
  static server only{{"--loops", "2", "--head-timeout-ms", "300", "--body-timeout-ms", "300",
                      "--idle-timeout-ms", "300"}};
  return only;
}

TEST_CASE("clients that trickle are refused in time, whatever part they are in",
          "[limits][hostile]") {
  const std::string padding(4'000, 'x');
  const auto in_chunks = post_line + host + "Transfer-Encoding: chunked\r\n\r\n";
  struct slow {
    raw_connection client;
    std::string_view code;
    std::string begin;
    std::string trickle;
  };
  const auto& to = hasty_server().data();
  const auto add = [&to](std::vector<slow>& all, std::string_view code, const std::string& begin,
                         const std::string& trickle) {
    all.push_back({raw_connection{to}, code, begin, trickle});
    all.back().client.send(begin);
  };
  std::vector<slow> all;
  for (int i = 0; i < 8; ++i) {
    add(all, "head_timeout", "GET /", padding);
    add(all, "head_timeout", get_line + host + "X: ", padding);
    add(all, "body_timeout", post_line + host + "Content-Length: 5000\r\n\r\n", padding);
    add(all, "body_timeout", in_chunks + "fa0\r\n", padding);
    add(all, "body_timeout", in_chunks + "1;", "x" + std::string(200, 'y'));
    add(all, "body_timeout", in_chunks + "0\r\nX: ", padding);
  }
  std::size_t sent = 0;
  std::size_t waiting = all.size();
  for (const deadline until; waiting > 0 && !until.passed(); ++sent) {
    waiting = 0;
    for (auto& each : all) {
      if (each.client.readable(milliseconds{0}) || sent >= each.trickle.size()) continue;
      ++waiting;
      each.client.try_send(std::string_view{each.trickle}.substr(sent, 1));
    }
    // Other clients are served in the meantime.
    raw_connection honest{to};
    REQUIRE(honest.ask(request("GET", regions_target)).status == 200);
    honest.readable(milliseconds{5});
  }
  CHECK(waiting == 0);
  for (auto& each : all) {
    INFO(each.begin);
    const auto got = each.client.receive();
    CHECK(got.status == 408);
    CHECK(got.problem_code() == each.code);
    CHECK(each.client.closed());
  }
}

TEST_CASE("clients that stall before a request are closed without an answer", "[limits][hostile]") {
  for (const std::string_view begin : {"", "\r\n"}) {
    raw_connection client{hasty_server().data()};
    client.send(begin);
    CHECK(client.closed());
  }
}

} // namespace
