// Requests and flows against servers that are not the service.
#include "load/report.hpp"
#include "load/run.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/load/servers.hpp"

#include <algorithm>
#include <chrono>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

options closed(const std::string& url, const std::string& mix) {
  const fixtures::temporary_directory directory;
  options made;
  made.url = url;
  auto read = base::attempt([&] { return read_mix(directory.file("mix.toml", mix)); });
  INFO((read ? "" : read.error().detail));
  REQUIRE(read);
  made.mix = *std::move(read);
  made.duration = 300ms;
  made.timeout = 5s;
  made.connections = 4;
  return made;
}

results measured_there(const options& options) {
  const cli::interrupt signals;
  auto made = base::attempt([&] { return run(options, signals); });
  REQUIRE(made);
  return *std::move(made);
}

std::uint64_t count(const tally& of, failure kind) {
  return of.failed(kind);
}

const std::string& example(const tally& of, failure kind) {
  return of.examples[static_cast<std::size_t>(kind)];
}

TEST_CASE("any server is loaded: lengths, chunks, no body, and connections that end", "[load]") {
  const auto reply = GENERATE(
      std::string{"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX-A: b\r\n\r\n{\"a\": 1}"},
      std::string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n"
                  "3\r\n{\"a\r\n5\r\n\": 1}\r\n0\r\n\r\n"},
      std::string{"HTTP/1.1 200 OK\r\nX-A: b\r\nConnection: close\r\n\r\n{\"a\": 1}"},
      std::string{"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\nX-A: b\r\n\r\n"
                  "{\"a\": 1}"});
  const scripted_server server{[&](const auto&) { return reply; }};
  const auto of = measured_there(closed(server.url(), R"(
    [[request]]
    name = "it"
    path = "/{int:1-9}"
    expect.json = { "/a" = 1 }
    expect.header = { X-A = "b" }
  )"));
  CHECK(of.all.answered > 3);
  CHECK(of.all.errors() == 0);
}

TEST_CASE("replies without a body end with their head", "[load]") {
  const scripted_server server{[](const received_request& request) -> std::string {
    return request.head.starts_with("HEAD ") ? "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"
                                             : "HTTP/1.1 204 No Content\r\n\r\n";
  }};
  const auto of = measured_there(closed(server.url(), R"(
    [[request]]
    method = "HEAD"
    path = "/"
    expect.header = { Content-Length = "500" }
    [[request]]
    method = "DELETE"
    path = "/"
    expect.status = 204
  )"));
  CHECK(of.all.errors() == 0);
  CHECK(of.parts[0].answered > 3);
  CHECK(of.parts[1].answered > 3);
}

TEST_CASE("the expectations of each part of a mix are checked", "[load]") {
  const scripted_server server{[](const auto&) { return ok_reply(R"({"a":1})"); }};
  const auto options = closed(server.url(), R"(
    [[request]]
    name = "status"
    path = "/"
    expect.status = 201
    [[request]]
    name = "json"
    path = "/"
    expect.json = { "/a" = 2 }
    [[request]]
    name = "header"
    path = "/"
    expect.header_has = ["ETag"]
    [[request]]
    name = "good"
    path = "/"
    expect.json_has = ["/a"]
  )");
  const auto of = measured_there(options);
  REQUIRE(of.parts.size() == 4);
  CHECK(count(of.parts[0], failure::status) == of.parts[0].sent);
  CHECK(example(of.parts[1], failure::content) == "has `1` at `/a` where `2` was expected");
  CHECK(example(of.parts[2], failure::content) == "has no header `ETag`");
  CHECK(of.parts[3].answered == of.parts[3].sent);
  const auto report = e2e::parse_json(json_report(options, of));
  REQUIRE(report["operations"].Size() == 4);
  CHECK(report["operations"][2]["name"].GetString() == std::string{"header"});
  CHECK(text_report(options, of).find("\ngood  ") != std::string::npos);
}

TEST_CASE("a token that a reply repeats is not in the report, not even in part", "[load]") {
  const std::string token = "mc_game_" + std::string(49, 'k');
  const std::size_t before = GENERATE(0, 60, 92);
  const scripted_server server{[=](const auto&) {
    return ok_reply(R"({"a":")" + std::string(before, '-') + token + R"("})");
  }};
  auto options = closed(server.url(), "[[request]]\npath = '/'\nexpect.json = { '/a' = 2 }\n");
  options.tokens = {token};
  const auto of = measured_there(options);
  CHECK(
      example(of.all, failure::content).starts_with("has `\"" + std::string(before, '-') + "***"));
  for (const auto& report : {text_report(options, of), json_report(options, of)})
    CHECK(report.find("mc_game") == std::string::npos);
}

/// A server with a file of 1,000 bytes that a POST leads to.
std::string file_answer(const received_request& request) {
  const std::string file(1'000, 'x');
  if (request.head.starts_with("POST "))
    return ok_reply(R"({"url":"http://elsewhere.example/file?sig=)" + request.body + R"("})");
  const auto at = request.head.find("Range: bytes=");
  if (at == std::string::npos)
    return "HTTP/1.1 200 OK\r\nETag: \"f\"\r\nContent-Length: 1000\r\n\r\n" + file;
  const auto from = std::stoul(request.head.substr(at + 13));
  return "HTTP/1.1 206 Partial Content\r\nContent-Length: " + std::to_string(1'000 - from) +
         "\r\n\r\n" + file.substr(from);
}

constexpr const char* file_flow = R"(
  [[flow]]
  name = "file"
  [[flow.step]]
  name = "ask"
  method = "POST"
  path = "/ask"
  body = "{int:1-9}"
  save = { url = "/url" }
  [[flow.step]]
  name = "download"
  path = "{url}"
  cut_bytes = 400
  save = { tag = "ETag", got = ":bytes" }
  [[flow.step]]
  name = "resume"
  path = "{url}"
  headers = { Range = "bytes={got}-", If-Range = "{tag}" }
  expect = { status = 206, header = { Content-Length = "600" } }
)";

TEST_CASE("a flow uses what it was answered, on one connection until that is cut", "[load]") {
  const scripted_server server{file_answer};
  auto options = closed(server.url(), file_flow);
  options.connections = 1;
  const auto of = measured_there(options);
  INFO(text_report(options, of));
  CHECK(of.all.errors() == 0);
  REQUIRE(of.flows.size() == 1);
  const auto& flow = of.flows.front();
  CHECK(flow.answered > 1);
  CHECK(flow.answered == flow.sent);
  for (const auto& step : of.parts)
    CHECK(step.answered == flow.answered);
  // A flow takes as long as its steps together, and a little more.
  const auto steps =
      of.parts[0].latency.mean_ns() + of.parts[1].latency.mean_ns() + of.parts[2].latency.mean_ns();
  CHECK(flow.latency.mean_ns() >= 0.98 * steps);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3 * flow.answered);
  CHECK(requests[1].head.starts_with("GET /file?sig=" + requests[0].body + " HTTP/1.1\r\n"));
  CHECK(requests[1].connection == requests[0].connection);
  CHECK(requests[2].connection != requests[1].connection);
  CHECK(requests[3].connection == requests[2].connection);
  CHECK(requests[2].head.find("\r\nRange: bytes=400-\r\n") != std::string::npos);
  CHECK(requests[2].head.find("\r\nIf-Range: \"f\"\r\n") != std::string::npos);
  const auto report = e2e::parse_json(json_report(options, of));
  CHECK(report["flows"][0]["answered"].GetUint64() == flow.answered);
}

TEST_CASE("a flow ends at its first failed step, which is counted once", "[load]") {
  const auto [answer, says] = GENERATE(
      std::pair{R"({"no":1})", "ask: has no `/url` to save"},
      std::pair{R"({"url":"/a b"})",
                "ask: `download` needs a path or a URL, but the saved value is "
                "\"/a b\""},
      std::pair{R"({"url":"/other"})", "download: has 2 bytes, too few to be cut off after 400"});
  const scripted_server server{[answer = std::string{answer}](const received_request& request) {
    return ok_reply(request.head.starts_with("POST ") ? answer : "{}");
  }};
  const auto options = closed(server.url(), file_flow);
  const auto of = measured_there(options);
  const auto& flow = of.flows.front();
  CHECK(flow.sent > 3);
  CHECK(flow.answered == 0);
  CHECK(flow.errors() == flow.sent);
  CHECK(example(flow, failure::content) == says);
  CHECK(of.all.errors() == flow.sent);
  CHECK(of.parts[2].sent == 0);
  CHECK(text_report(options, of).find(says) != std::string::npos);
}

} // namespace
} // namespace matchcloud::load
