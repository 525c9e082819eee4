// The OpenAPI documents: the same from a service and from the command.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/process.hpp"
#include "tests/service/shared_servers.hpp"

namespace {

using namespace matchcloud::e2e;

answer ask_openapi(const address& port, const std::string& target,
                   const std::string& headers = {}) {
  raw_connection client{port};
  return client.ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

TEST_CASE("a service answers the document that the command prints, of each plane", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& of = plain_server(transport);
  const auto data = run({"openapi"});
  REQUIRE(data.exit_code == 0);
  CHECK(run({"openapi", "--plane", "data"}).out == data.out);
  const auto ops = run({"openapi", "--plane", "ops"});
  CHECK(text_at(parse_json(data.out), "openapi") == "3.1.0");
  CHECK(ask_openapi(of.data(), "/openapi.json").body + "\n" == data.out);
  CHECK(ask_openapi(of.ops(), "/openapi.json").body + "\n" == ops.out);
  CHECK(ask_openapi(of.ops(), "/data/openapi.json").body + "\n" == data.out);
}

TEST_CASE("a document is revalidated and compressed", "[operations]") {
  const auto& of = plain_server("loops");
  const auto plain = ask_openapi(of.data(), "/openapi.json");
  CHECK(plain.status == 200);
  CHECK(plain.header("content-type") == "application/json");
  CHECK(plain.header("cache-control") == "no-cache");
  CHECK(plain.header("vary") == "Accept-Encoding");
  CHECK(plain.header("access-control-allow-origin") == "*");
  const auto known =
      ask_openapi(of.data(), "/openapi.json", "If-None-Match: " + plain.header("etag") + "\r\n");
  CHECK(known.status == 304);
  CHECK(known.body.empty());
  const auto small = ask_openapi(of.data(), "/openapi.json", "Accept-Encoding: gzip\r\n");
  CHECK(small.header("content-encoding") == "gzip");
  CHECK(small.header("etag") != plain.header("etag"));
  CHECK(small.body.size() < plain.body.size() / 4);
  CHECK(matchcloud::fixtures::inflated(small.body) == plain.body);
}

TEST_CASE("openapi of an unknown plane exits with 2", "[operations]") {
  const auto got = run({"openapi", "--plane", "side"});
  CHECK(got.exit_code == 2);
  CHECK(got.out.empty());
}

} // namespace
