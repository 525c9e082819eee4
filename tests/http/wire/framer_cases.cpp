#include "tests/http/wire/framer_cases.hpp"

namespace matchcloud::http {

namespace {

using namespace std::string_literals;

const std::string host = "Host: a\r\n";
const std::string bad = "request_malformed";

/// A request line that is refused; nothing follows it.
framer_case line(const std::string& text, std::string verdict) {
  return {text + "\r\n", std::move(verdict)};
}

framer_case whole_line(const std::string& text, std::string verdict) {
  return {text + "\r\n" + host + "\r\n", std::move(verdict)};
}

/// A head that is refused at its last line, `text`.
framer_case field(const std::string& text, std::string verdict) {
  return {"GET / HTTP/1.1\r\n" + host + text, std::move(verdict)};
}

/// A complete head with the lines `text`.
framer_case head(const std::string& text, std::string verdict) {
  return {"GET / HTTP/1.1\r\n" + host + text + "\r\n", std::move(verdict)};
}

/// A complete head with the lines `text` and no other Host.
framer_case hosts(const std::string& text, std::string verdict) {
  return {"GET / HTTP/1.1\r\n" + text, std::move(verdict)};
}

framer_case chunked(const std::string& body, std::string verdict) {
  return {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n" + body,
          std::move(verdict)};
}

/// Adds a refused case for each text.
void add_refused(std::vector<framer_case>& to,
                 framer_case (*made_of)(const std::string&, std::string),
                 std::initializer_list<std::string> texts) {
  for (const auto& each : texts)
    to.push_back(made_of(each, bad));
}

} // namespace

std::vector<framer_case> request_line_cases() {
  std::vector<framer_case> all{
      whole_line("GET / HTTP/1.1", "GET / keep"),
      whole_line("GET /a?b=c&d=%20 HTTP/1.1", "GET /a?b=c&d=%20 keep"),
      whole_line("GET /? HTTP/1.1", "GET /? keep"),
      // Double slash is a path.
      whole_line("GET //b/c HTTP/1.1", "GET //b/c keep"),
      whole_line("GET /-._~:/?[]@!$&'()*+,;=%41 HTTP/1.1", "GET /-._~:/?[]@!$&'()*+,;=%41 keep"),
      // Percent is checked elsewhere.
      whole_line("GET /%zz HTTP/1.1", "GET /%zz keep"),
      whole_line("M-SEARCH!#$%&'*+.^_`|~ / HTTP/1.1", "M-SEARCH!#$%&'*+.^_`|~ / keep"),
      whole_line("get / HTTP/1.1", "get / keep"),
      whole_line(std::string(32, 'M') + " / HTTP/1.1", std::string(32, 'M') + " / keep"),
      line(std::string(33, 'M') + " / HTTP/1.1", bad),
      whole_line("GET http://a/b?c HTTP/1.1", "GET /b?c keep"),
      whole_line("GET HTTPS://A/b HTTP/1.1", "GET /b keep"),
      whole_line("GET http://a HTTP/1.1", "GET / keep"),
      whole_line("GET http://a?b HTTP/1.1", "GET /?b keep"),
      // Absolute form unlike Host.
      whole_line("GET http://b/ HTTP/1.1", "GET / keep"),
      // Absolute form with a port unlike Host.
      whole_line("GET http://a:80/ HTTP/1.1", "GET / keep"),
      // Absolute form without Host.
      {"GET http://a/ HTTP/1.1\r\n\r\n", bad},
      {"GET http://a/ HTTP/1.1\r\nHost: a/b\r\n", bad},
      {"GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n", bad},
      line("CONNECT a:80 HTTP/1.1", "method_not_implemented"),
      line("CONNECT / HTTP/1.1", "method_not_implemented"),
      // TRACE is a method as any other here.
      whole_line("TRACE / HTTP/1.1", "TRACE / keep"),
      whole_line("OPTIONS * HTTP/1.1", "OPTIONS * keep"),
      // What browsers and nginx take in a query.
      whole_line("GET /a?\"|{}^`\\=1 HTTP/1.1", "GET /a?\"|{}^`\\=1 keep"),
      whole_line("GET http://a?b|c HTTP/1.1", "GET /?b|c keep"),
      whole_line("GET /?a?b|c HTTP/1.1", "GET /?a?b|c keep"),
      {" ", bad},
      {"\t", bad},
      whole_line("GET / HTTP/1.2", "GET / keep"),
      whole_line("GET / HTTP/1.9", "GET / keep"),
      line("GET / HTTP/0.9", "version_unsupported"),
      // HTTP/2 preface.
      line("PRI * HTTP/2.0", "version_unsupported"),
      // Version counts before the target.
      line("GET a HTTP/3.0", "version_unsupported"),
      {"GET / HTTP/1.1\n", bad},
      {"\n", bad},
      {"\x16", bad},
      {"\0"s, bad},
      {"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / keep"},
      {"\r\n\r", bad},
      {"\rG", bad},
      {"", ""},
      {"\r\n", ""},
      {"G", "in head"},
      {"GET / HTTP/1.1\r", "in head"},
      {"GET / HTTP/1.1\r\nHost: a\r\n\r", "in head"},
  };
  add_refused(all, line,
              {
                  "GET http:///a HTTP/1.1",
                  "GET http://:80/a HTTP/1.1",
                  "GET http://u@a/ HTTP/1.1",
                  "GET ftp://a/ HTTP/1.1",
                  "GET http:a HTTP/1.1",
                  "GET a/b HTTP/1.1",
                  "GET ?a HTTP/1.1",
                  "GET a:80 HTTP/1.1",
                  "GET * HTTP/1.1",
                  "OPTIONS *a HTTP/1.1",
                  "GET /a#b HTTP/1.1",
                  "GET /a|b?c HTTP/1.1",
                  "GET /a|b?c|d HTTP/1.1",
                  "GET http://a|b?c HTTP/1.1",
                  "GET /?a<b HTTP/1.1",
                  "GET /?a>b HTTP/1.1",
                  "GET /?a#b HTTP/1.1",
                  "GET /?a|#b HTTP/1.1",
                  "GET /?\xc3\xa9 HTTP/1.1",
                  "GET /?a|\0 HTTP/1.1"s,
                  "GET /?a\x1b[31m HTTP/1.1",
                  "GET /?|\x7f HTTP/1.1",
                  "GET /?a|\rb HTTP/1.1",
                  "GET /?a\t| HTTP/1.1",
                  "GET /\ra HTTP/1.1",
                  "GET / HTTP/1.1\r",
                  "GET /",
                  "GET",
                  "GET ",
                  "GET  / HTTP/1.1",
                  "GET /  HTTP/1.1",
                  "GET / HTTP/1.1 ",
                  "GET /a b HTTP/1.1",
                  "GET\t/ HTTP/1.1",
                  "GE\x01T / HTTP/1.1",
                  "Host: a",
                  "GET / http/1.1",
                  "GET / HTCPCP/1.0",
                  "GET / HTTP/1",
                  "GET / HTTP/1.10",
                  "GET / HTTP/01.1",
                  "GET / HTTP/+1.1",
              });
  return all;
}

std::vector<framer_case> header_cases() {
  std::vector<framer_case> all{
      head("X: 1\r\nY:2\r\n", "GET / keep"),
      head("X:\r\nAccept:\r\n", "GET / keep"),
      head("X:\t1\t2\t\r\n", "GET / keep"),
      head("X: \xff\x80 and seven more\r\n", "GET / keep"),
      head("!#$%&'*+-.^_`|~09Az: 1\r\n", "GET / keep"),
      field("X: 1234\x01"
            "5678 12345678\r\n",
            bad),
      // Encoded CR in a dropped value.
      head("X: a%0d%0ab\r\n", "GET / keep"),
      head("Accept: %20%0\r\n", "GET / keep"),
      hosts("Host: a.b-c:8080\r\n\r\n", "GET / keep"),
      hosts("HOST: [2001:db8::1]:80\r\n\r\n", "GET / keep"),
      field("Transfer-Encoding: gzip, chunked\r\n", "transfer_coding_unsupported"),
      field("Transfer-Encoding: identity ,\tChunked\r\n", "transfer_coding_unsupported"),
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", bad},
  };
  add_refused(all, field,
              {
                  "X : 1\r\n",
                  "X\t: 1\r\n",
                  "Content-Length : 5\r\n",
                  ": 1\r\n",
                  "Accept\r\n",
                  "X: 1\r\n 2\r\n",
                  "X: 1\r\n\t2\r\n",
                  " \r\n",
                  "X: 12345678 12345678\0\r\n"s,
                  "X: 1\r2\r\n",
                  // CR before a smuggled header.
                  "X: 1\rContent-Length: 5\r\n",
                  "X: 1\r\r\n",
                  "X: 1\n",
                  "\n",
                  "\r\r\n",
                  // Encoded CR in a kept value.
                  "X-Request-Id: a%0db\r\n",
                  // Encoded LF in a kept value.
                  "Authorization: a%0Ab\r\n",
                  "Origin: a%0Db\r\n",
                  // Encoded NUL in a kept value.
                  "Accept: %2525%00\r\n",
                  "Host: b\r\n",
                  "host: a\r\n",
                  "Content-Type: a\r\nContent-Type: a\r\n",
                  "Authorization: a\r\nauthorization: b\r\n",
                  "Origin: a\r\nOrigin: b\r\n",
                  "X-Request-Id: a\r\nX-Request-ID: b\r\n",
                  "Range: a\r\nRange: b\r\n",
                  "If-Range: a\r\nIf-Range: b\r\n",
                  "Access-Control-Request-Method: a\r\nAccess-Control-Request-Method: b\r\n",
                  "Content-Length: 5\r\nContent-Length: 6\r\n",
                  "Content-Length: 5\r\nContent-Length: 5\r\n",
                  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                  "Content-Length: 5, 5\r\n",
                  "Content-Length:\r\n",
                  "Content-Length: +5\r\n",
                  "Content-Length: -1\r\n",
                  "Content-Length: 0x5\r\n",
                  "Content-Length: 4x\r\n",
                  "Content-Length: 5.0\r\n",
                  "Content-Length: 1 0\r\n",
                  "Content-Length: \xd9\xa5\r\n",
                  "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                  "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                  "Transfer-Encoding: chunked\r\ncontent-length: 0\r\n",
                  "Transfer-Encoding: gzip\r\n",
                  "Transfer-Encoding: chunked, gzip\r\n",
                  "Transfer-Encoding: chunked, chunked\r\n",
                  "Transfer-Encoding: , chunked\r\n",
                  "Transfer-Encoding: gzip, xchunked\r\n",
                  "Content-Length: 5\r\nTransfer-Encoding: gzip, chunked\r\n",
                  "Transfer-Encoding: xchunked\r\n",
                  "Transfer-Encoding: identity\r\n",
                  "Transfer-Encoding: \"chunked\"\r\n",
                  "Transfer-Encoding: chunked;a=b\r\n",
                  "Transfer-Encoding: chunked,\r\n",
                  "Transfer-Encoding:\r\n",
                  "Transfer-Encoding: \vchunked\r\n",
              });
  add_refused(all, hosts,
              {
                  " Host: a\r\n",
                  "Host:\r\n",
                  "Host: \t \r\n",
                  "Host: :80\r\n",
                  "Host: a:8x\r\n",
                  "Host: a:1:2\r\n",
                  "Host: [::1\r\n",
                  "Host: []\r\n",
                  "Host: [::1]a\r\n",
              });
  return all;
}

std::vector<framer_case> head_end_cases() {
  const auto huge = "Content-Length: 2000000\r\n"s;
  return {
      hosts("\r\n", bad),
      hosts("X-Host: a\r\n\r\n", bad),
      // HTTP/1.0 without Host.
      {"GET / HTTP/1.0\r\n\r\n", "GET / close 1.0"},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / keep 1.0"},
      // HTTP/1.0 absolute form without Host.
      {"GET http://a/ HTTP/1.0\r\n\r\n", "GET / close 1.0"},
      {"GET http://a/ HTTP/1.0\r\nHost: a\r\n\r\n", "GET / close 1.0"},
      head("Connection: close\r\n", "GET / close"),
      head("connection: Close\r\n", "GET / close"),
      head("Connection: x , CLOSE,\r\n", "GET / close"),
      head("Connection: ,,close,,\r\n", "GET / close"),
      head("Connection:\r\nConnection: ,\r\n", "GET / keep"),
      // Close wins.
      head("Connection: close\r\nConnection: keep-alive\r\n", "GET / close"),
      head("Connection: closed\r\n", "GET / keep"),
      // Upgrade, TE and Trailer are ignored.
      head("Connection: Upgrade\r\nUpgrade: h2c\r\nTE: trailers\r\nTrailer: X\r\n", "GET / keep"),
      head("Expect: 100-Continue\r\n", "GET / keep"),
      head("Expect: 200-ok\r\n", "expectation_failed"),
      head("Expect:\r\n", "GET / keep"),
      head("Expect: , ,\r\n", "GET / keep"),
      head("Expect: ,100-continue ,, 100-Continue,\r\n", "GET / keep"),
      head("Expect: 100-continue\r\nExpect: 100-continue\r\n", "GET / keep"),
      head("Expect: 100-continue\r\nExpect:\r\n", "GET / keep"),
      head("Expect: 100-continue, x\r\n", "expectation_failed"),
      head("Expect: x\r\nExpect: 100-continue\r\n", "expectation_failed"),
      head("Expect: x=\"a,100-continue,b\"\r\n", "expectation_failed"),
      head("Expect: 100-continue;a=b\r\n", "expectation_failed"),
      {"GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", "GET / close 1.0"},
      {"GET / HTTP/1.0\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n\r\n", "GET / close 1.0"},
      {"GET / HTTP/1.0\r\nExpect: x\r\n\r\n", "expectation_failed"},
      head("Content-Encoding: Identity\r\n", "GET / keep"),
      head("Content-Encoding: identity,, identity\r\n", "GET / keep"),
      head("Content-Encoding:\r\n", "GET / keep"),
      head("Content-Encoding: gzip\r\n", "content_coding_unsupported"),
      head("Content-Encoding: identity, br\r\n", "content_coding_unsupported"),
      head("Content-Encoding: br\r\nContent-Encoding: identity\r\n", "content_coding_unsupported"),
      head(huge, "body_too_large"),
      head("Content-Length: 1048577\r\n", "body_too_large"),
      head("Content-Length: 9999999999999999999\r\n", "body_too_large"),
      head("Content-Length: 18446744073709551616\r\n", "body_too_large"),
      head("Content-Length: 18446744073709551621\r\n", "body_too_large"),
      head("Content-Length: " + std::string(40, '9') + "\r\n", "body_too_large"),
      // Order: Expect before Content-Encoding.
      head(huge + "Content-Encoding: br\r\nExpect: x\r\n", "expectation_failed"),
      // Order: Content-Encoding before length.
      head(huge + "Content-Encoding: br\r\n", "content_coding_unsupported"),
      // Order: Host first.
      hosts(huge + "Content-Encoding: br\r\nExpect: x\r\n\r\n", bad),
  };
}

std::vector<framer_case> body_cases() {
  const auto post = "POST /p HTTP/1.1\r\n" + host;
  std::vector<framer_case> all{
      {post + "Content-Length: 0\r\n\r\n", "POST /p keep"},
      {post + "Content-Length: 5\r\n\r\nhello", "POST /p keep 'hello'"},
      {post + "Content-Length: 0005\r\n\r\nhello", "POST /p keep 'hello'"},
      {post + "Content-Length: \t5\t\r\n\r\nhello", "POST /p keep 'hello'"},
      {post + "Content-Length: 5\r\n\r\nhell", "in body"},
      {post + "\r\n", "POST /p keep"},
      {post + "Content-Length: 4\r\n\r\n\r\n\r\n", "POST /p keep '\r\n\r\n'"},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "GET / keep 'hi'"},
      // Request as a body, then a request.
      {post + "Content-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
       "POST /p keep 'GET / HTTP/1.1\r\n\r\n' | GET /b close 1.0"},
      {post + "\r\n" + post + "Content-Length: 1\r\n\r\nx\r\n" + post + "\r\n",
       "POST /p keep | POST /p keep 'x' | POST /p keep"},
      {post + "Content-Length: 1\r\n\r\nx\r\n\r", "POST /p keep 'x' | " + bad},
      {"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok", "POST / close 1.0 'ok'"},
      chunked("5\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n", "POST / keep 'hello0123456789'"),
      chunked("0\r\n\r\n", "POST / keep"),
      chunked("0000\r\n\r\n", "POST / keep"),
      chunked("0000000000000005\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n", "POST / keep 'hello'"),
      chunked("5 \t;a\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("5;a=\"\xff\"\r\nhello\r\n0\r\n\r\n", "POST / keep 'hello'"),
      chunked("0\r\nX-Sum: 1\r\nY:\r\n\r\n", "POST / keep"),
      {post + "TRANSFER-ENCODING: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "POST /p keep 'x'"},
      chunked("5\r\nhello", "in body"),
      chunked("0\r\n", "in body"),
      chunked("0\r\nX: 1\r\n", "in body"),
      chunked("100001\r\n", "body_too_large"),
      // Sizes add up over the limit.
      chunked("5\r\nhello\r\nffffc\r\n", "body_too_large"),
      chunked("ffffffffffffffff\r\n", "body_too_large"),
      // Size that would wrap.
      chunked("5\r\nhello\r\nfffffffffffffffb\r\n", "body_too_large"),
      chunked("1;" + std::string(252, 'a') + "\r\nx\r\n0\r\n\r\n", "POST / keep 'x'"),
      chunked("1;" + std::string(253, 'a') + "\r\n", bad),
      chunked("1;" + std::string(255, 'a'), bad),
  };
  add_refused(all, chunked,
              {
                  "00000000000000005\r\n",
                  "5;a=\x01\r\n",
                  "5;a\rb\r\n",
                  "5;\0\r\n"s,
                  "5\n",
                  "5;a\n",
                  "5 \r\n",
                  " 5\r\n",
                  "+5\r\n",
                  "-1\r\n",
                  "0x5\r\n",
                  "1_0\r\n",
                  "5g\r\n",
                  "5 a\r\n",
                  "\r\n",
                  ";a\r\n",
                  "4\r\nhello",
                  "6\r\nhello\r\n",
                  "5\r\nhello\n",
                  "5\r\nhello\r\r",
                  "0\r\nContent-Length: 5\r\n",
                  "0\r\nX: 1\r\ntransfer-encoding: chunked\r\n",
                  "0\r\nHost: b\r\n",
                  "0\r\nAuthorization: b\r\n",
                  "0\r\nContent-Encoding: b\r\n",
                  "0\r\nExpect: b\r\n",
                  "0\r\nX: 1\r\n 2\r\n",
                  "0\r\nGET / HTTP/1.1\r\n",
                  "0\r\nX: \x01\r\n",
                  "0\r\nX: 1\n",
                  "0\r\n\n",
              });
  return all;
}

framer_limits case_limits() {
  return {128, 32, 4, 64};
}

std::vector<framer_case> limit_cases() {
  // "GET / HTTP/1.1\r\nHost: a\r\nX: " is 28 bytes, and the two line ends after it are 4.
  const auto start = "GET / HTTP/1.1\r\n" + host;
  const auto lines = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      text += "X: 1\r\n";
    return text;
  };
  return {
      {start + "X: " + std::string(96, 'x') + "\r\n\r\n", "GET / keep"},
      {start + "X: " + std::string(97, 'x') + "\r\n\r\n", "head_too_large"},
      {start + "X: " + std::string(101, 'x'), "head_too_large"},
      {start + "X: " + std::string(98, 'x') + "\r\nY", "head_too_large"},
      // An error before the limit counts.
      {start + "X\n", bad},
      // The limit counts before an error.
      {start + "X: \x01" + std::string(100, 'x'), "head_too_large"},
      // An empty line before counts nothing.
      {"\r\n" + start + "X: " + std::string(96, 'x') + "\r\n\r\n", "GET / keep"},
      {std::string(129, 'M'), "head_too_large"},
      {"GET /" + std::string(31, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
       "GET /" + std::string(31, 'a') + " keep"},
      {"GET /" + std::string(32, 'a') + " HTTP/1.1\r\n", "target_too_long"},
      {"GET /" + std::string(32, 'a') + "\r\n", "target_too_long"},
      {"GET /" + std::string(124, 'a'), "target_too_long"},
      {"GET / " + std::string(123, 'a'), "head_too_large"},
      {std::string(33, 'M') + " /" + std::string(33, 'a') + "\r\n", bad},
      // Absolute form counts as sent.
      {"GET http://a/" + std::string(24, 'b') + " HTTP/1.1\r\n", "target_too_long"},
      {start + lines(3) + "\r\n", "GET / keep"},
      {start + lines(4), "head_too_large"},
      {start + lines(3) + ":\r\n", "head_too_large"},
      {start + "Content-Length: 64\r\n\r\n" + std::string(64, 'b'),
       "GET / keep '" + std::string(64, 'b') + "'"},
      {start + "Content-Length: 65\r\n\r\n", "body_too_large"},
      chunked("3f\r\n" + std::string(63, 'b') + "\r\n1\r\nb\r\n0\r\n\r\n",
              "POST / keep '" + std::string(64, 'b') + "'"),
      chunked("3f\r\n" + std::string(63, 'b') + "\r\n2\r\n", "body_too_large"),
      chunked("0\r\n" + lines(4) + "\r\n", "POST / keep"),
      chunked("0\r\n" + lines(5), "head_too_large"),
      chunked("0\r\nX: " + std::string(8192 - 7, 'x') + "\r\n\r\n", "POST / keep"),
      chunked("0\r\nX: " + std::string(8192 - 6, 'x') + "\r\n\r\n", "head_too_large"),
  };
}

} // namespace matchcloud::http
