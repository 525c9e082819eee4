#include "http/wire/request.hpp"

#include "http/transport/transport_metrics.hpp"
#include "http/wire/response.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <rapidjson/document.h>

namespace matchcloud::http {
namespace {

using base::errc;
using fixtures::contains;

constexpr std::string_view date = "Tue, 14 Nov 2023 22:13:20 GMT";

std::string head_of(const response& answer, bool keep_alive = true, bool http_1_0 = false) {
  std::string out;
  write_head(out, answer, {"id-1", date, keep_alive, http_1_0});
  return out;
}

response json(std::string body) {
  response answer;
  answer.content_type = json_type;
  answer.body = std::move(body);
  return answer;
}

TEST_CASE("a head with everything") {
  auto answer = json("");
  answer.status = 404;
  answer.fixed_headers = "Fixed: 1\r\n";
  answer.headers = "Own: 2\r\n";
  CHECK(head_of(answer, false) == "HTTP/1.1 404 Not Found\r\n"
                                  "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
                                  "X-Content-Type-Options: nosniff\r\n"
                                  "Content-Type: application/json\r\n"
                                  "Content-Length: 0\r\n"
                                  "X-Request-Id: id-1\r\n"
                                  "Fixed: 1\r\n"
                                  "Own: 2\r\n"
                                  "Connection: close\r\n"
                                  "\r\n");
}

TEST_CASE("the head is appended to what waits already") {
  std::string out = "before";
  write_head(out, json("{}"), {"x", date, true, false});
  CHECK(out.starts_with("beforeHTTP/1.1 200 OK\r\n"));
}

TEST_CASE("Connection says what the version does not") {
  CHECK_FALSE(contains(head_of(json(""), true, false), "Connection"));
  CHECK(contains(head_of(json(""), false, false), "\r\nConnection: close\r\n"));
  CHECK(contains(head_of(json(""), true, true), "\r\nConnection: keep-alive\r\n"));
  CHECK(contains(head_of(json(""), false, true), "\r\nConnection: close\r\n"));
}

TEST_CASE("204 has neither length nor type") {
  response answer;
  answer.status = 204;
  CHECK(head_of(answer) == "HTTP/1.1 204 No Content\r\n"
                           "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
                           "X-Request-Id: id-1\r\n"
                           "\r\n");
}

TEST_CASE("a shared body counts like an owned one, an absent one as empty") {
  response answer;
  answer.body = std::make_shared<const std::string>(1'234, 'x');
  CHECK(contains(head_of(answer), "Content-Length: 1234\r\n"));
  CHECK(answer.body_bytes().size() == 1'234);
  answer.body = std::shared_ptr<const std::string>{};
  CHECK(answer.body_bytes().empty());
}

TEST_CASE("a file's part counts with its length, and has no bytes in memory") {
  response answer;
  answer.body = file_range{nullptr, 7, 5'000'000'000};
  CHECK(contains(head_of(answer), "Content-Length: 5000000000\r\n"));
  CHECK(answer.body_bytes().empty());
  answer.status = 304;
  CHECK(head_of(answer).starts_with("HTTP/1.1 304 Not Modified\r\n"));
  CHECK_FALSE(contains(head_of(answer), "Content-Length"));
  answer.status = 206;
  CHECK(head_of(answer).starts_with("HTTP/1.1 206 Partial Content\r\n"));
}

TEST_CASE("a problem says what happened, for programs and for people") {
  const auto answer = problem({errc::route_not_found, "No \"such\" path."}, {"id-7"});
  CHECK(answer.status == 404);
  CHECK(answer.content_type == "application/problem+json");
  CHECK(answer.fixed_headers.empty());
  CHECK(answer.body_bytes() ==
        R"({"type":"urn:matchcloud:problem:route_not_found","title":"No such operation",)"
        R"("status":404,"detail":"No \"such\" path.","code":"route_not_found",)"
        R"("message":"No \"such\" path.","request_id":"id-7"})");
}

TEST_CASE("every error is a JSON problem, with Retry-After on 503") {
  for (int i = 0; i <= static_cast<int>(errc::address_unavailable); ++i) {
    const auto code = static_cast<base::errc>(i);
    const auto answer = problem({code, "line\nbreak \x01", true}, {"r"});
    CAPTURE(describe(code).code);
    rapidjson::Document parsed;
    parsed.Parse(std::string{answer.body_bytes()}.c_str());
    REQUIRE(parsed.IsObject());
    CHECK(parsed.MemberCount() == 7);
    CHECK(parsed["status"].GetInt() == answer.status);
    CHECK(parsed["detail"].GetString() == std::string{"line\nbreak \x01"});
    CHECK(parsed["message"] == parsed["detail"]);
    // Here a store for newer programs stays one.
    CHECK(answer.fixed_headers.starts_with("Retry-After: ") ==
          (answer.status == 503 && code != errc::store_newer));
    CHECK(reason_phrase(answer.status) != "Unknown");
    CHECK(std::count(known_statuses.begin(), known_statuses.end(), answer.status) == 1);
  }
}

TEST_CASE("a problem names no path of the machine unless meant for clients") {
  const std::string detail = "/srv/data/matchcloud.db: cannot open the database";
  for (int i = 0; i <= static_cast<int>(errc::address_unavailable); ++i) {
    const auto code = static_cast<base::errc>(i);
    CAPTURE(describe(code).code);
    const auto told = [&](bool for_clients) {
      const auto answer = problem({code, detail, for_clients}, {"r"});
      return answer.body_bytes().find("matchcloud.db") != std::string_view::npos;
    };
    CHECK(told(false) == !is_local_failure(code));
    CHECK(told(true));
  }
  const auto failed = problem({errc::store_failed, detail}, {"r"});
  CHECK(contains(failed.body_bytes(), "Its server is out of reach"));
  CHECK(contains(failed.body_bytes(), "log has the cause"));
}

TEST_CASE("only a 415 for the coding has Accept-Encoding") {
  CHECK(problem({errc::content_coding_unsupported, ""}, {"r"}).fixed_headers ==
        "Accept-Encoding: identity\r\n");
  CHECK(problem({errc::media_type_unsupported, ""}, {"r"}).fixed_headers.empty());
}

TEST_CASE("dates are IMF-fixdate") {
  CHECK(http_date(1'700'000'000) == date);
  CHECK(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(http_date(951'782'400) == "Tue, 29 Feb 2000 00:00:00 GMT");
}

} // namespace
} // namespace matchcloud::http

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
