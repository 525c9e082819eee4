#include "http/wire/response.hpp"

#include "http/transport/transport_metrics.hpp"
#include "tests/catch.hpp"

#include <rapidjson/document.h>

#include <algorithm>

namespace matchcloud::http {
namespace {

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

TEST_CASE("a head, byte for byte") {
  CHECK(head_of(json("{}")) == "HTTP/1.1 200 OK\r\n"
                               "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
                               "X-Content-Type-Options: nosniff\r\n"
                               "Content-Type: application/json\r\n"
                               "Content-Length: 2\r\n"
                               "X-Request-Id: id-1\r\n"
                               "\r\n");
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
  CHECK(head_of(json(""), true, false).find("Connection") == std::string::npos);
  CHECK(head_of(json(""), false, false).find("\r\nConnection: close\r\n") != std::string::npos);
  CHECK(head_of(json(""), true, true).find("\r\nConnection: keep-alive\r\n") != std::string::npos);
  CHECK(head_of(json(""), false, true).find("\r\nConnection: close\r\n") != std::string::npos);
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
  CHECK(head_of(answer).find("Content-Length: 1234\r\n") != std::string::npos);
  CHECK(answer.body_bytes().size() == 1'234);
  answer.body = std::shared_ptr<const std::string>{};
  CHECK(answer.body_bytes().empty());
}

TEST_CASE("a file's part counts with its length, and has no bytes in memory") {
  response answer;
  answer.body = file_range{nullptr, 7, 5'000'000'000};
  CHECK(head_of(answer).find("Content-Length: 5000000000\r\n") != std::string::npos);
  CHECK(answer.body_bytes().empty());
  answer.status = 304;
  CHECK(head_of(answer).starts_with("HTTP/1.1 304 Not Modified\r\n"));
  CHECK(head_of(answer).find("Content-Length") == std::string::npos);
  answer.status = 206;
  CHECK(head_of(answer).starts_with("HTTP/1.1 206 Partial Content\r\n"));
}

TEST_CASE("a problem says what happened, for programs and for people") {
  const auto answer = problem({base::errc::route_not_found, "No \"such\" path."}, {"id-7"});
  CHECK(answer.status == 404);
  CHECK(answer.content_type == "application/problem+json");
  CHECK(answer.fixed_headers.empty());
  CHECK(answer.body_bytes() ==
        R"({"type":"urn:matchcloud:problem:route_not_found","title":"No such operation",)"
        R"("status":404,"detail":"No \"such\" path.","code":"route_not_found",)"
        R"("message":"No \"such\" path.","request_id":"id-7"})");
}

TEST_CASE("every error's problem is one JSON object, with Retry-After on every 503 but one") {
  for (int i = 0; i <= static_cast<int>(base::errc::address_unavailable); ++i) {
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
          (answer.status == 503 && code != base::errc::store_newer));
    CHECK(reason_phrase(answer.status) != "Unknown");
    CHECK(std::count(known_statuses.begin(), known_statuses.end(), answer.status) == 1);
  }
}

TEST_CASE("a problem names no path of the machine, unless it was written for clients") {
  const std::string detail = "/srv/data/matchcloud.db: cannot open the database";
  for (int i = 0; i <= static_cast<int>(base::errc::address_unavailable); ++i) {
    const auto code = static_cast<base::errc>(i);
    CAPTURE(describe(code).code);
    const auto told = [&](bool for_clients) {
      const auto answer = problem({code, detail, for_clients}, {"r"});
      return answer.body_bytes().find("matchcloud.db") != std::string_view::npos;
    };
    CHECK(told(false) == !is_local_failure(code));
    CHECK(told(true));
  }
  const auto failed = problem({base::errc::store_failed, detail}, {"r"});
  CHECK(failed.body_bytes().find("Its server is out of reach") != std::string_view::npos);
  CHECK(failed.body_bytes().find("log has the cause") != std::string_view::npos);
}

TEST_CASE("a 415 says which codings are taken where the coding was the problem, and only there") {
  CHECK(problem({base::errc::content_coding_unsupported, ""}, {"r"}).fixed_headers ==
        "Accept-Encoding: identity\r\n");
  CHECK(problem({base::errc::media_type_unsupported, ""}, {"r"}).fixed_headers.empty());
}

TEST_CASE("dates are IMF-fixdate") {
  CHECK(http_date(1'700'000'000) == date);
  CHECK(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(http_date(951'782'400) == "Tue, 29 Feb 2000 00:00:00 GMT");
}

} // namespace
} // namespace matchcloud::http
