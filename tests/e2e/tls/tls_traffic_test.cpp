// Requests and answers of all kinds over TLS: the same bytes as without.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace matchcloud::e2e;

constexpr std::size_t image_bytes = 3'000'000;

/// A server with TLS on its first listener and none on the second, and a large image.
struct both_ways {
  world of;
  media_file image;
  server at{arguments{"--listen", "127.0.0.1:0/tls", "--listen", "127.0.0.1:0", "--loops", "2"} +
                shared_files().flags(),
            of};

  both_ways() {
    image.content = matchcloud::fixtures::numbered_bytes(image_bytes);
    image.put(of);
  }
  const address& tls() const { return at.listeners()[0]; }
  const address& plain() const { return at.listeners()[1]; }
};

const both_ways& shared() {
  static const both_ways only;
  return only;
}

TEST_CASE("an image comes over TLS whole and in parts", "[operations][shipped]") {
  const auto& on = shared();
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    tls_client client{on.tls(), offer};
    const auto& image = on.image;
    CHECK(client.ask(request("GET", image.target())).body == image.content);
    const auto head = client.ask(request("HEAD", image.target()));
    CHECK(head.header("content-length") == std::to_string(image_bytes));
    struct part {
      std::string text;
      std::size_t offset;
      std::size_t length;
    };
    for (const auto& [text, offset, length] :
         {part{"0-0", 0, 1}, part{"65530-65545", 65'530, 16}, part{"-7", image_bytes - 7, 7},
          part{"16383-16385", 16'383, 3}, part{"100-2100099", 100, 2'100'000}}) {
      const auto got =
          client.ask(request("GET", image.target(), {}, "Range: bytes=" + text + "\r\n"));
      CHECK(got.status == 206);
      CHECK(got.body == image.content.substr(offset, length));
    }
    CHECK(client.ask(request("GET", image.target(), {}, "If-None-Match: *\r\n")).status == 304);
  }
}

TEST_CASE("a reader with little room gets all of a file over TLS", "[operations]") {
  const auto& on = shared();
  auto client = tls_client::connected(on.tls(), {}, 4'096);
  REQUIRE(client.shake_hands());
  std::string all;
  for (int i = 0; i < 3; ++i)
    all += request("GET", on.image.target()) + request("GET", regions_target);
  client.send(all);
  for (int i = 0; i < 3; ++i) {
    CHECK(client.receive().body == on.image.content);
    CHECK(client.receive().status == 200);
  }
}

TEST_CASE("an export over TLS has the bytes of one without, and its URL says https",
          "[operations][shipped]") {
  const auto& on = shared();
  const auto text = request(
      "POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
      R"({"query_start":0,"query_end":4102444800000})");
  tls_client client{on.tls()};
  raw_connection plain{on.plain()};
  const auto url = text_at(parse_json(client.ask(text).body), "url");
  const auto origin = "https://" + on.tls().authority();
  REQUIRE(url.starts_with(origin + "/exports/"));
  const auto target = url.substr(origin.size());
  for (const std::string headers :
       {"", "Accept-Encoding: gzip\r\n", "Range: bytes=1000-900000\r\n"}) {
    const auto by_tls = client.ask(request("GET", target, {}, headers));
    const auto without = plain.ask(request("GET", target, {}, headers));
    CHECK(by_tls.status == without.status);
    CHECK(by_tls.body == without.body);
    CHECK(by_tls.header("etag") == without.header("etag"));
    if (headers.empty()) CHECK(std::count(by_tls.body.begin(), by_tls.body.end(), '\n') == 10'001);
  }
}

TEST_CASE("requests in one record, in many and across records are answered in order",
          "[operations][shipped]") {
  const auto& on = shared();
  constexpr int count = 200;
  std::string all;
  for (int i = 0; i < count; ++i)
    all += request("GET", regions_target, {}, "X-Request-Id: n" + std::to_string(i) + "\r\n");
  for (const std::size_t at_once : {all.size(), std::size_t{16'384}, std::size_t{7}}) {
    CAPTURE(at_once);
    tls_client client{on.tls()};
    std::string records;
    for (std::size_t at = 0; at < all.size(); at += at_once)
      records += client.encrypted(std::string_view{all}.substr(at, at_once));
    client.under().send(records);
    for (int i = 0; i < count; ++i)
      CHECK(client.receive().header("x-request-id") == "n" + std::to_string(i));
  }
}

TEST_CASE("a body of 1 MiB over TLS is validated as without", "[operations]") {
  const auto& on = shared();
  std::string body = R"({"display_name":"v","config":{)";
  for (int i = 0; body.size() < 1'000'000; ++i)
    body.append("\"m").append(std::to_string(i)).append("\":1,");
  body += R"("cdn":1}})";
  const auto text = request("POST", versions_target, body);
  raw_connection plain{on.plain()};
  const auto without = plain.ask(text);
  CHECK(without.status == 200);
  tls_client client{on.tls()};
  for (int i = 0; i < 3; ++i)
    CHECK(client.ask(text).body == without.body);
  // One that waits to be asked for its body.
  const auto head = text.substr(0, text.find("\r\n\r\n")) + "\r\nExpect: 100-continue\r\n\r\n";
  client.send(head);
  CHECK(client.receive().status == 100);
  CHECK(client.ask(body).body == without.body);
}

TEST_CASE("a public URL of a server with TLS is https, and what is given counts", "[operations]") {
  const auto& on = shared();
  tls_client client{on.tls()};
  const auto target = "/cloud/games/" + std::string{demo_game} + "/avatars";
  const auto listed = client.ask(request("GET", target)).body;
  CHECK(listed.find("https://" + on.tls().authority() + "/media/") != std::string::npos);
  CHECK(listed.find("http://") == std::string::npos);
  const server first_plain{arguments{"--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0/tls"} +
                               shared_files().flags(),
                           on.of};
  CHECK(raw_connection{first_plain.data()}
            .ask(request("GET", target))
            .body.find("http://" + first_plain.data().authority()) != std::string::npos);
  const server given{
      tls_data + shared_files().flags() + arguments{"--public-url", "https://play.example"}, on.of};
  CHECK(tls_client{given.data()}
            .ask(request("GET", target))
            .body.find("https://play.example/media/") != std::string::npos);
}

TEST_CASE("lobbies are ingested over TLS", "[operations]") {
  const world own;
  const server of{tls_ops + shared_files().flags(), own};
  const auto lines = lobby_lines(8'000);
  const auto got = tls_client{of.ops()}.ask("POST /v1/lobbies HTTP/1.1\r\nHost: localhost\r\n"
                                            "Content-Type: application/x-ndjson\r\n"
                                            "Content-Length: " +
                                            std::to_string(lines.size()) + "\r\n\r\n" + lines);
  CHECK(got.status == 200);
  CHECK(parse_json(got.body)["accepted"].GetInt() == 8'000);
}

} // namespace
