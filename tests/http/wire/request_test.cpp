#include "http/wire/request.hpp"

#include "tests/catch.hpp"

#include <array>
#include <cctype>

namespace matchcloud::http {

namespace {

/// The header names in the order of the enum `header`.
constexpr std::array<std::string_view, header_count> names = {"Host",
                                                              "Content-Type",
                                                              "Authorization",
                                                              "Origin",
                                                              "X-Request-Id",
                                                              "X-Forwarded-For",
                                                              "Forwarded",
                                                              "Accept",
                                                              "Accept-Encoding",
                                                              "Access-Control-Request-Method",
                                                              "Access-Control-Request-Headers",
                                                              "If-Match",
                                                              "If-None-Match",
                                                              "If-Range",
                                                              "Range",
                                                              "X-Fault",
                                                              "Sec-Fetch-Site",
                                                              "traceparent"};

} // namespace

TEST_CASE("every header is found by its name in any case", "[request]") {
  for (std::size_t i = 0; i < header_count; ++i) {
    std::string upper, lower;
    for (const char c : names[i]) {
      upper += static_cast<char>(std::toupper(c));
      lower += static_cast<char>(std::tolower(c));
    }
    INFO(names[i]);
    CHECK(find_header(names[i]) == i);
    CHECK(find_header(upper) == i);
    CHECK(find_header(lower) == i);
  }
}

TEST_CASE("names that only resemble a header are not found", "[request]") {
  for (const auto* name : {"", "Hos", "Hosts", "Hose", "Accept ", "X_Request_Id", "If\rRange",
                           "Content-Length", "X-Forwarded-Fo", "Cookie"})
    CHECK(find_header(name) == header_count);
}

TEST_CASE("methods are case-sensitive", "[request]") {
  CHECK(parse_method("GET") == method::get);
  CHECK(parse_method("HEAD") == method::head);
  CHECK(parse_method("POST") == method::post);
  CHECK(parse_method("PUT") == method::put);
  CHECK(parse_method("PATCH") == method::patch);
  CHECK(parse_method("DELETE") == method::del);
  CHECK(parse_method("OPTIONS") == method::options);
  for (const auto* token : {"", "get", "Get", "GETS", "TRACE", "CONNECT", "PATCh"})
    CHECK(parse_method(token) == method::other);
}

TEST_CASE("a further line of a list header is joined", "[request]") {
  request got;
  got.append(header::accept, "a");
  got.append(header::accept, "b");
  CHECK(got.get(header::accept) == "a, b");
  got.set(header::accept, "c");
  CHECK(got.get(header::accept) == "c");
}

TEST_CASE("an empty value is present", "[request]") {
  request got;
  CHECK_FALSE(got.has(header::origin));
  got.set(header::origin, "");
  CHECK(got.has(header::origin));
  CHECK(got.get(header::origin).empty());
}

TEST_CASE("path and query part at the first question mark", "[request]") {
  request got;
  got.target = "/a?b?c";
  CHECK(got.path() == "/a");
  CHECK(got.query() == "b?c");
  got.target = "/a";
  CHECK(got.path() == "/a");
  CHECK(got.query().empty());
  got.target = "*";
  CHECK(got.path() == "*");
}

TEST_CASE("a cleared request is fresh and keeps memory up to the bound", "[request]") {
  request got;
  got.method = method::post;
  got.method_token = "POST";
  got.target = std::string(100, 'a');
  got.body = std::string(5000, 'b');
  got.http_1_0 = true;
  got.keep_alive = false;
  got.peer.bytes[0] = 1;
  got.id = "x";
  got.set(header::host, std::string(100, 'h'));
  got.set(header::range, std::string(5000, 'r'));
  got.clear(1000);
  CHECK(got.method == method::other);
  CHECK(got.method_token.empty());
  CHECK(got.target.empty());
  CHECK(got.target.capacity() >= 100);
  CHECK(got.body.empty());
  CHECK(got.body.capacity() < 1000);
  CHECK_FALSE(got.http_1_0);
  CHECK(got.keep_alive);
  CHECK(got.peer == model::ip_address{});
  CHECK(got.id.empty());
  CHECK_FALSE(got.has(header::host));
  CHECK(got.get(header::host).empty());
  CHECK(got.get(header::host).capacity() >= 100);
  CHECK(got.get(header::range).capacity() < 1000);
}

} // namespace matchcloud::http
