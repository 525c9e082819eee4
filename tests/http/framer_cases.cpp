#include "tests/http/framer_cases.hpp"

namespace matchcloud::http {

namespace {

using namespace std::string_literals;

const std::string host = "Host: a\r\n";
const std::string bad = "request_malformed";

/// A request line alone where it is refused, a whole request where it is not.
framer_case line(std::string name, std::string text, std::string verdict) {
  return {std::move(name), text + "\r\n", std::move(verdict)};
}

framer_case whole_line(std::string name, const std::string& text, std::string verdict) {
  return {std::move(name), text + "\r\n" + host + "\r\n", std::move(verdict)};
}

/// A head that is refused at its last line, which is `text`.
framer_case field(std::string name, const std::string& text, std::string verdict) {
  return {std::move(name), "GET / HTTP/1.1\r\n" + host + text, std::move(verdict)};
}

/// A whole head with the lines `text`.
framer_case head(std::string name, const std::string& text, std::string verdict) {
  return {std::move(name), "GET / HTTP/1.1\r\n" + host + text + "\r\n", std::move(verdict)};
}

/// A whole head without Host, but with the lines `text`.
framer_case hosts(std::string name, const std::string& text, std::string verdict) {
  return {std::move(name), "GET / HTTP/1.1\r\n" + text, std::move(verdict)};
}

framer_case chunked(std::string name, const std::string& body, std::string verdict) {
  return {std::move(name),
          "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n" + body,
          std::move(verdict)};
}

} // namespace

std::vector<framer_case> request_line_cases() {
  return {
      whole_line("plain", "GET / HTTP/1.1", "GET / keep"),
      whole_line("query", "GET /a?b=c&d=%20 HTTP/1.1", "GET /a?b=c&d=%20 keep"),
      whole_line("question mark alone", "GET /? HTTP/1.1", "GET /? keep"),
      whole_line("double slash is a path", "GET //b/c HTTP/1.1", "GET //b/c keep"),
      whole_line("all that RFC 3986 allows", "GET /-._~:/?[]@!$&'()*+,;=%41 HTTP/1.1",
                 "GET /-._~:/?[]@!$&'()*+,;=%41 keep"),
      whole_line("percent is checked elsewhere", "GET /%zz HTTP/1.1", "GET /%zz keep"),
      whole_line("any method token", "M-SEARCH!#$%&'*+.^_`|~ / HTTP/1.1",
                 "M-SEARCH!#$%&'*+.^_`|~ / keep"),
      whole_line("method is case-sensitive", "get / HTTP/1.1", "get / keep"),
      whole_line("method of 32 bytes", std::string(32, 'M') + " / HTTP/1.1",
                 std::string(32, 'M') + " / keep"),
      line("method of 33 bytes", std::string(33, 'M') + " / HTTP/1.1", bad),
      whole_line("absolute form", "GET http://a/b?c HTTP/1.1", "GET /b?c keep"),
      whole_line("absolute form, upper case", "GET HTTPS://A/b HTTP/1.1", "GET /b keep"),
      whole_line("absolute form without path", "GET http://a HTTP/1.1", "GET / keep"),
      whole_line("absolute form, query only", "GET http://a?b HTTP/1.1", "GET /?b keep"),
      whole_line("absolute form unlike Host", "GET http://b/ HTTP/1.1", bad),
      whole_line("absolute form with a port unlike Host", "GET http://a:80/ HTTP/1.1", bad),
      line("absolute form without host", "GET http:///a HTTP/1.1", bad),
      line("absolute form with port only", "GET http://:80/a HTTP/1.1", bad),
      line("absolute form with user", "GET http://u@a/ HTTP/1.1", bad),
      line("absolute form of another scheme", "GET ftp://a/ HTTP/1.1", bad),
      line("scheme without slashes", "GET http:a HTTP/1.1", bad),
      line("relative target", "GET a/b HTTP/1.1", bad),
      line("query without path", "GET ?a HTTP/1.1", bad),
      line("authority form", "GET a:80 HTTP/1.1", bad),
      line("CONNECT", "CONNECT a:80 HTTP/1.1", bad),
      line("CONNECT with a path", "CONNECT / HTTP/1.1", bad),
      whole_line("asterisk", "OPTIONS * HTTP/1.1", "OPTIONS * keep"),
      line("asterisk of GET", "GET * HTTP/1.1", bad),
      line("asterisk and more", "OPTIONS *a HTTP/1.1", bad),
      line("fragment", "GET /a#b HTTP/1.1", bad),
      line("quote in target", "GET /\" HTTP/1.1", bad),
      line("angle in target", "GET /< HTTP/1.1", bad),
      line("backslash in target", "GET /a\\b HTTP/1.1", bad),
      line("caret in target", "GET /^ HTTP/1.1", bad),
      line("backtick in target", "GET /` HTTP/1.1", bad),
      line("brace in target", "GET /{id} HTTP/1.1", bad),
      line("bar in target", "GET /a|b HTTP/1.1", bad),
      line("UTF-8 in target", "GET /\xc3\xa9 HTTP/1.1", bad),
      line("NUL in target", "GET /\0 HTTP/1.1"s, bad),
      line("DEL in target", "GET /\x7f HTTP/1.1", bad),
      line("HTAB in target", "GET /\ta HTTP/1.1", bad),
      line("CR in target", "GET /\ra HTTP/1.1", bad),
      line("CR twice", "GET / HTTP/1.1\r", bad),
      line("HTTP/0.9", "GET /", bad),
      line("method alone", "GET", bad),
      line("method and space", "GET ", bad),
      line("two spaces before the target", "GET  / HTTP/1.1", bad),
      line("two spaces after the target", "GET /  HTTP/1.1", bad),
      line("space after the version", "GET / HTTP/1.1 ", bad),
      line("space in target", "GET /a b HTTP/1.1", bad),
      line("HTAB for space", "GET\t/ HTTP/1.1", bad),
      {"space before the method", " ", bad},
      {"HTAB before the method", "\t", bad},
      line("byte in the method", "GE\x01T / HTTP/1.1", bad),
      line("colon in the method", "Host: a", bad),
      line("lower case version", "GET / http/1.1", bad),
      line("other protocol", "GET / HTCPCP/1.0", bad),
      line("version without minor", "GET / HTTP/1", bad),
      line("version of two digits", "GET / HTTP/1.10", bad),
      line("version with zero", "GET / HTTP/01.1", bad),
      line("version with sign", "GET / HTTP/+1.1", bad),
      line("version 1.2", "GET / HTTP/1.2", "version_unsupported"),
      line("version 0.9", "GET / HTTP/0.9", "version_unsupported"),
      line("HTTP/2 preface", "PRI * HTTP/2.0", "version_unsupported"),
      line("version counts before the target", "GET a HTTP/3.0", "version_unsupported"),
      {"LF alone", "GET / HTTP/1.1\n", bad},
      {"LF first", "\n", bad},
      {"TLS", "\x16", bad},
      {"NUL first", "\0"s, bad},
      {"one empty line before", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / keep"},
      {"two empty lines before", "\r\n\r", bad},
      {"CR before the method", "\rG", bad},
      {"nothing", "", ""},
      {"empty line alone", "\r\n", ""},
      {"first byte", "G", "in head"},
      {"line without end", "GET / HTTP/1.1\r", "in head"},
      {"head without end", "GET / HTTP/1.1\r\nHost: a\r\n\r", "in head"},
  };
}

std::vector<framer_case> header_cases() {
  return {
      head("unknown headers", "X: 1\r\nY:2\r\n", "GET / keep"),
      head("empty value", "X:\r\nAccept:\r\n", "GET / keep"),
      head("HTAB around and in a value", "X:\t1\t2\t\r\n", "GET / keep"),
      head("obs-text in a value", "X: \xff\x80 and seven more\r\n", "GET / keep"),
      head("token characters in a name", "!#$%&'*+-.^_`|~09Az: 1\r\n", "GET / keep"),
      field("space before the colon", "X : 1\r\n", bad),
      field("HTAB before the colon", "X\t: 1\r\n", bad),
      field("Content-Length with a space", "Content-Length : 5\r\n", bad),
      field("no name", ": 1\r\n", bad),
      field("no colon", "Accept\r\n", bad),
      field("folded by space", "X: 1\r\n 2\r\n", bad),
      field("folded by HTAB", "X: 1\r\n\t2\r\n", bad),
      hosts("space before the first header", " Host: a\r\n", bad),
      field("white space alone", " \r\n", bad),
      field("space in a name", "X Y: 1\r\n", bad),
      field("slash in a name", "X/Y: 1\r\n", bad),
      field("UTF-8 in a name", "X\xc3\xa9: 1\r\n", bad),
      field("NUL in a name", "X\0: 1\r\n"s, bad),
      field("NUL in a value", "X: 1\0 2\r\n"s, bad),
      field("NUL at the end of a long value", "X: 12345678 12345678\0\r\n"s, bad),
      field("control byte in a long value",
            "X: 1234\x01"
            "5678 12345678\r\n",
            bad),
      field("DEL in a value", "X: 1\x7f\r\n", bad),
      field("escape in a value", "X: \x1b[31m\r\n", bad),
      field("CR in a value", "X: 1\r2\r\n", bad),
      field("CR before a smuggled header", "X: 1\rContent-Length: 5\r\n", bad),
      field("CR at the end of a value", "X: 1\r\r\n", bad),
      field("LF alone", "X: 1\n", bad),
      field("LF ends the head", "\n", bad),
      field("CR CR LF ends the head", "\r\r\n", bad),
      field("encoded CR in a kept value", "X-Request-Id: a%0db\r\n", bad),
      field("encoded LF in a kept value", "Authorization: a%0Ab\r\n", bad),
      field("encoded CR in upper case", "Origin: a%0Db\r\n", bad),
      field("encoded NUL in a kept value", "Accept: %2525%00\r\n", bad),
      head("encoded CR in a dropped value", "X: a%0d%0ab\r\n", "GET / keep"),
      head("other encoded bytes", "Accept: %20%0\r\n", "GET / keep"),
      hosts("Host with port", "Host: a.b-c:8080\r\n\r\n", "GET / keep"),
      hosts("Host of IPv6", "HOST: [2001:db8::1]:80\r\n\r\n", "GET / keep"),
      hosts("Host empty", "Host:\r\n", bad),
      hosts("Host of blanks", "Host: \t \r\n", bad),
      hosts("Host of port", "Host: :80\r\n", bad),
      hosts("Host with path", "Host: a/b\r\n", bad),
      hosts("Host with user", "Host: u@a\r\n", bad),
      hosts("Host with space", "Host: a b\r\n", bad),
      hosts("Host with a bad port", "Host: a:8x\r\n", bad),
      hosts("Host with two ports", "Host: a:1:2\r\n", bad),
      hosts("Host with an open bracket", "Host: [::1\r\n", bad),
      hosts("Host with empty brackets", "Host: []\r\n", bad),
      hosts("Host after brackets", "Host: [::1]a\r\n", bad),
      hosts("Host with obs-text", "Host: \xc3\xa9\r\n", bad),
      field("two Hosts", "Host: b\r\n", bad),
      field("two equal Hosts", "host: a\r\n", bad),
      field("two Content-Types", "Content-Type: a\r\nContent-Type: a\r\n", bad),
      field("two Authorizations", "Authorization: a\r\nauthorization: b\r\n", bad),
      field("two Origins", "Origin: a\r\nOrigin: b\r\n", bad),
      field("two X-Request-Ids", "X-Request-Id: a\r\nX-Request-ID: b\r\n", bad),
      field("two Ranges", "Range: a\r\nRange: b\r\n", bad),
      field("two If-Ranges", "If-Range: a\r\nIf-Range: b\r\n", bad),
      field("two request methods",
            "Access-Control-Request-Method: a\r\nAccess-Control-Request-Method: b\r\n", bad),
      field("two Expects", "Expect: 100-continue\r\nExpect: 100-continue\r\n", bad),
      field("two Content-Lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", bad),
      field("two equal Content-Lengths", "Content-Length: 5\r\nContent-Length: 5\r\n", bad),
      field("two Transfer-Encodings",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", bad),
      field("Content-Length list", "Content-Length: 5, 5\r\n", bad),
      field("Content-Length empty", "Content-Length:\r\n", bad),
      field("Content-Length with sign", "Content-Length: +5\r\n", bad),
      field("Content-Length negative", "Content-Length: -1\r\n", bad),
      field("Content-Length in hex", "Content-Length: 0x5\r\n", bad),
      field("Content-Length and letter", "Content-Length: 4x\r\n", bad),
      field("Content-Length with fraction", "Content-Length: 5.0\r\n", bad),
      field("Content-Length with space inside", "Content-Length: 1 0\r\n", bad),
      field("Content-Length of other digits", "Content-Length: \xd9\xa5\r\n", bad),
      field("Content-Length, then chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            bad),
      field("chunked, then Content-Length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            bad),
      field("chunked, then Content-Length 0", "Transfer-Encoding: chunked\r\ncontent-length: 0\r\n",
            bad),
      field("Transfer-Encoding gzip", "Transfer-Encoding: gzip\r\n", bad),
      field("Transfer-Encoding gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", bad),
      field("Transfer-Encoding xchunked", "Transfer-Encoding: xchunked\r\n", bad),
      field("Transfer-Encoding identity", "Transfer-Encoding: identity\r\n", bad),
      field("Transfer-Encoding quoted", "Transfer-Encoding: \"chunked\"\r\n", bad),
      field("Transfer-Encoding with parameter", "Transfer-Encoding: chunked;a=b\r\n", bad),
      field("Transfer-Encoding with comma", "Transfer-Encoding: chunked,\r\n", bad),
      field("Transfer-Encoding empty", "Transfer-Encoding:\r\n", bad),
      field("Transfer-Encoding with VT", "Transfer-Encoding: \vchunked\r\n", bad),
      {"Transfer-Encoding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", bad},
  };
}

std::vector<framer_case> head_end_cases() {
  const auto huge = "Content-Length: 2000000\r\n"s;
  return {
      hosts("no Host", "\r\n", bad),
      hosts("no Host, other headers", "X-Host: a\r\n\r\n", bad),
      {"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "GET / close 1.0"},
      {"HTTP/1.0 kept", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / keep 1.0"},
      {"HTTP/1.0 absolute form without Host", "GET http://a/ HTTP/1.0\r\n\r\n", bad},
      {"HTTP/1.0 absolute form", "GET http://a/ HTTP/1.0\r\nHost: a\r\n\r\n", "GET / close 1.0"},
      head("close", "Connection: close\r\n", "GET / close"),
      head("Close", "connection: Close\r\n", "GET / close"),
      head("close in a list", "Connection: x , CLOSE,\r\n", "GET / close"),
      head("close wins", "Connection: close\r\nConnection: keep-alive\r\n", "GET / close"),
      head("close as part of a word", "Connection: closed\r\n", "GET / keep"),
      head("Upgrade, TE and Trailer are ignored",
           "Connection: Upgrade\r\nUpgrade: h2c\r\nTE: trailers\r\nTrailer: X\r\n", "GET / keep"),
      head("Expect of a GET", "Expect: 100-Continue\r\n", "GET / keep"),
      head("Expect other", "Expect: 200-ok\r\n", "expectation_failed"),
      head("Expect empty", "Expect:\r\n", "expectation_failed"),
      {"Expect in HTTP/1.0", "GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", "GET / close 1.0"},
      {"two Expects in HTTP/1.0",
       "GET / HTTP/1.0\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n", bad},
      {"Expect other in HTTP/1.0", "GET / HTTP/1.0\r\nExpect: x\r\n\r\n", "expectation_failed"},
      head("Content-Encoding identity", "Content-Encoding: Identity\r\n", "GET / keep"),
      head("Content-Encoding gzip", "Content-Encoding: gzip\r\n", "media_type_unsupported"),
      head("Content-Encoding list", "Content-Encoding: identity, br\r\n", "media_type_unsupported"),
      head("Content-Encoding of two lines",
           "Content-Encoding: br\r\nContent-Encoding: identity\r\n", "media_type_unsupported"),
      head("body over the limit", huge, "body_too_large"),
      head("body one over the limit", "Content-Length: 1048577\r\n", "body_too_large"),
      head("19 digits", "Content-Length: 9999999999999999999\r\n", "body_too_large"),
      head("2^64", "Content-Length: 18446744073709551616\r\n", "body_too_large"),
      head("2^64 + 5", "Content-Length: 18446744073709551621\r\n", "body_too_large"),
      head("40 digits", "Content-Length: " + std::string(40, '9') + "\r\n", "body_too_large"),
      head("order: Expect before Content-Encoding", huge + "Content-Encoding: br\r\nExpect: x\r\n",
           "expectation_failed"),
      head("order: Content-Encoding before length", huge + "Content-Encoding: br\r\n",
           "media_type_unsupported"),
      hosts("order: Host first", huge + "Content-Encoding: br\r\nExpect: x\r\n\r\n", bad),
  };
}

std::vector<framer_case> body_cases() {
  const auto post = "POST /p HTTP/1.1\r\n" + host;
  return {
      {"length 0", post + "Content-Length: 0\r\n\r\n", "POST /p keep"},
      {"length 5", post + "Content-Length: 5\r\n\r\nhello", "POST /p keep 'hello'"},
      {"length with zeros before", post + "Content-Length: 0005\r\n\r\nhello",
       "POST /p keep 'hello'"},
      {"length in blanks", post + "Content-Length: \t5\t\r\n\r\nhello", "POST /p keep 'hello'"},
      {"length not reached", post + "Content-Length: 5\r\n\r\nhell", "in body"},
      {"no length, no body", post + "\r\n", "POST /p keep"},
      {"body of line ends", post + "Content-Length: 4\r\n\r\n\r\n\r\n", "POST /p keep '\r\n\r\n'"},
      {"body of a GET", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
       "GET / keep 'hi'"},
      {"request as a body, then a request",
       post + "Content-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
       "POST /p keep 'GET / HTTP/1.1\r\n\r\n' | GET /b close 1.0"},
      {"three requests", post + "\r\n" + post + "Content-Length: 1\r\n\r\nx\r\n" + post + "\r\n",
       "POST /p keep | POST /p keep 'x' | POST /p keep"},
      {"bytes after a body", post + "Content-Length: 1\r\n\r\nx\r\n\r",
       "POST /p keep 'x' | " + bad},
      {"HTTP/1.0 with length", "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok",
       "POST / close 1.0 'ok'"},
      chunked("one chunk", "5\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("two chunks", "5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n",
              "POST / keep 'hello0123456789'"),
      chunked("no chunk", "0\r\n\r\n", "POST / keep"),
      chunked("zeros", "0000\r\n\r\n", "POST / keep"),
      chunked("16 digits", "0000000000000005\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("17 digits", "00000000000000005\r\n", bad),
      chunked("extension", "5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n", "POST / keep 'hello'"),
      chunked("blanks before an extension", "5 \t;a\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("obs-text in an extension", "5;a=\"\xff\"\r\nhello\r\n0\r\n\r\n",
              "POST / keep 'hello'"),
      chunked("trailer", "0\r\nX-Sum: 1\r\nY:\r\n\r\n", "POST / keep"),
      {"chunked in any case", post + "TRANSFER-ENCODING: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
       "POST /p keep 'x'"},
      chunked("chunk unfinished", "5\r\nhello", "in body"),
      chunked("last chunk unfinished", "0\r\n", "in body"),
      chunked("trailer unfinished", "0\r\nX: 1\r\n", "in body"),
      chunked("control byte in an extension", "5;a=\x01\r\n", bad),
      chunked("CR in an extension", "5;a\rb\r\n", bad),
      chunked("NUL in an extension", "5;\0\r\n"s, bad),
      chunked("LF alone", "5\n", bad),
      chunked("LF alone after an extension", "5;a\n", bad),
      chunked("space after the size", "5 \r\n", bad),
      chunked("space before the size", " 5\r\n", bad),
      chunked("sign", "+5\r\n", bad),
      chunked("negative", "-1\r\n", bad),
      chunked("0x", "0x5\r\n", bad),
      chunked("underscore", "1_0\r\n", bad),
      chunked("letter", "5g\r\n", bad),
      chunked("word after the size", "5 a\r\n", bad),
      chunked("empty size", "\r\n", bad),
      chunked("extension without size", ";a\r\n", bad),
      chunked("size over the limit", "100001\r\n", "body_too_large"),
      chunked("sizes add up over the limit", "5\r\nhello\r\nffffc\r\n", "body_too_large"),
      chunked("size 2^64-1", "ffffffffffffffff\r\n", "body_too_large"),
      chunked("size that would wrap", "5\r\nhello\r\nfffffffffffffffb\r\n", "body_too_large"),
      chunked("chunk longer than its size", "4\r\nhello", bad),
      chunked("chunk shorter than its size", "6\r\nhello\r\n", bad),
      chunked("LF after a chunk", "5\r\nhello\n", bad),
      chunked("CR CR after a chunk", "5\r\nhello\r\r", bad),
      chunked("trailer Content-Length", "0\r\nContent-Length: 5\r\n", bad),
      chunked("trailer Transfer-Encoding", "0\r\nX: 1\r\ntransfer-encoding: chunked\r\n", bad),
      chunked("trailer Host", "0\r\nHost: b\r\n", bad),
      chunked("trailer Authorization", "0\r\nAuthorization: b\r\n", bad),
      chunked("trailer Content-Encoding", "0\r\nContent-Encoding: b\r\n", bad),
      chunked("trailer Expect", "0\r\nExpect: b\r\n", bad),
      chunked("trailer folded", "0\r\nX: 1\r\n 2\r\n", bad),
      chunked("trailer without colon", "0\r\nGET / HTTP/1.1\r\n", bad),
      chunked("trailer with a control byte", "0\r\nX: \x01\r\n", bad),
      chunked("trailer with LF alone", "0\r\nX: 1\n", bad),
      chunked("LF ends the trailers", "0\r\n\n", bad),
      chunked("chunk line of 256 bytes", "1;" + std::string(252, 'a') + "\r\nx\r\n0\r\n\r\n",
              "POST / keep 'x'"),
      chunked("chunk line of 257 bytes", "1;" + std::string(253, 'a') + "\r\n", bad),
      chunked("chunk line without end", "1;" + std::string(255, 'a'), bad),
  };
}

framer_limits case_limits() {
  return {128, 32, 4, 64};
}

std::vector<framer_case> limit_cases() {
  // "GET / HTTP/1.1\r\nHost: a\r\nX: " is 28 bytes, the two line ends behind it are 4.
  const auto start = "GET / HTTP/1.1\r\n" + host;
  const auto lines = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      text += "X: 1\r\n";
    return text;
  };
  return {
      {"head of 128 bytes", start + "X: " + std::string(96, 'x') + "\r\n\r\n", "GET / keep"},
      {"head of 129 bytes", start + "X: " + std::string(97, 'x') + "\r\n\r\n", "head_too_large"},
      {"head line without end", start + "X: " + std::string(101, 'x'), "head_too_large"},
      {"head limit at a line's end", start + "X: " + std::string(98, 'x') + "\r\nY",
       "head_too_large"},
      {"an error before the limit counts", start + "X\n", bad},
      {"the limit counts before an error", start + "X: \x01" + std::string(100, 'x'),
       "head_too_large"},
      {"an empty line before counts nothing",
       "\r\n" + start + "X: " + std::string(96, 'x') + "\r\n\r\n", "GET / keep"},
      {"method without end", std::string(129, 'M'), "head_too_large"},
      {"target of 32 bytes", "GET /" + std::string(31, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
       "GET /" + std::string(31, 'a') + " keep"},
      {"target of 33 bytes", "GET /" + std::string(32, 'a') + " HTTP/1.1\r\n", "target_too_long"},
      {"long target without version", "GET /" + std::string(32, 'a') + "\r\n", "target_too_long"},
      {"long target over the head limit", "GET /" + std::string(124, 'a'), "target_too_long"},
      {"version over the head limit", "GET / " + std::string(123, 'a'), "head_too_large"},
      {"long method before a long target",
       std::string(33, 'M') + " /" + std::string(33, 'a') + "\r\n", bad},
      {"absolute form counts as sent", "GET http://a/" + std::string(24, 'b') + " HTTP/1.1\r\n",
       "target_too_long"},
      {"4 headers", start + lines(3) + "\r\n", "GET / keep"},
      {"5 headers", start + lines(4), "head_too_large"},
      {"5 headers, the last is bad", start + lines(3) + ":\r\n", "head_too_large"},
      {"body of 64 bytes", start + "Content-Length: 64\r\n\r\n" + std::string(64, 'b'),
       "GET / keep '" + std::string(64, 'b') + "'"},
      {"body of 65 bytes", start + "Content-Length: 65\r\n\r\n", "body_too_large"},
      chunked("chunks of 64 bytes", "3f\r\n" + std::string(63, 'b') + "\r\n1\r\nb\r\n0\r\n\r\n",
              "POST / keep '" + std::string(64, 'b') + "'"),
      chunked("chunks of 65 bytes", "3f\r\n" + std::string(63, 'b') + "\r\n2\r\n",
              "body_too_large"),
      chunked("4 trailers", "0\r\n" + lines(4) + "\r\n", "POST / keep"),
      chunked("5 trailers", "0\r\n" + lines(5), "head_too_large"),
      chunked("trailers of 8 KiB", "0\r\nX: " + std::string(8192 - 7, 'x') + "\r\n\r\n",
              "POST / keep"),
      chunked("trailers over 8 KiB", "0\r\nX: " + std::string(8192 - 6, 'x') + "\r\n\r\n",
              "head_too_large"),
  };
}

} // namespace matchcloud::http
