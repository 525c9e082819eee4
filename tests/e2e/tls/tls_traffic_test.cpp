// Requests and answers of all kinds over TLS, how its connections end, and what is spoken on the
// wrong port.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/lobby_lines.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <algorithm>
#include <csignal>
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

// -- ends of connections -----------------------------------------------------

const std::string half_request = regions_request.substr(0, regions_request.size() / 2);

const server& tls_server() {
  shared_world(); // outlives the server
  static const server only{tls_data + shared_files().flags() + arguments{"--loops", "2"}};
  return only;
}

TEST_CASE("the server says by a close_notify that it has sent all", "[operations]") {
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    tls_client client{tls_server().data(), offer};
    const auto got = client.ask(request("GET", regions_target, {}, "Connection: close\r\n"));
    CHECK(got.status == 200);
    CHECK(client.receive_end() == tls_end::close_notify);
    tls_client refused{tls_server().data(), offer};
    CHECK(refused.ask("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status == 400);
    CHECK(refused.receive_end() == tls_end::close_notify);
  }
}

TEST_CASE("an idle connection that the server ends gets a close_notify", "[limits]") {
  const server hasty{tls_data + shared_files().flags() +
                     arguments{"--idle-timeout-ms", "300", "--head-timeout-ms", "300"}};
  tls_client idle{hasty.data()};
  CHECK(idle.ask(regions_request).status == 200);
  CHECK(idle.receive_end() == tls_end::close_notify);
  tls_client never_asked{hasty.data()};
  CHECK(never_asked.receive_end() == tls_end::close_notify);
  tls_client within_head{hasty.data()};
  within_head.send(half_request);
  CHECK(within_head.receive().status == 408);
  CHECK(within_head.receive_end() == tls_end::close_notify);
  // A part of a record is as good as a part of a head.
  tls_client within_record{hasty.data()};
  const auto record = within_record.encrypted(regions_request);
  within_record.under().send(std::string_view{record}.substr(0, record.size() - 1));
  CHECK(within_record.receive().status == 408);
  CHECK(within_record.receive_end() == tls_end::close_notify);
}

TEST_CASE("a drained server ends its connections by close_notify", "[lifecycle]") {
  server of{tls_data + shared_files().flags() + arguments{"--drain-timeout-ms", "900"}};
  tls_client kept{of.data()};
  CHECK(kept.ask(regions_request).status == 200);
  auto shaking = tls_client::connected(of.data());
  shaking.under().send(std::string_view{shaking.handshake_bytes()}.substr(0, 20));
  REQUIRE(eventually([&] { return of.metric("matchcloud_tls_handshakes_in_progress") == 1; }));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
  CHECK(kept.receive_end() == tls_end::close_notify);
}

TEST_CASE("HTTP on a port with TLS gets an answer that says so", "[operations]") {
  const server of{tls_data + tls_ops + shared_files().flags()};
  for (const auto& to : {of.data(), of.ops()})
    for (const auto& asked :
         {regions_request, request("POST", groups_target, std::string(100'000, ' ')),
          std::string{"G"}}) {
      raw_connection plain{to};
      static_cast<void>(plain.try_send(asked));
      const auto got = plain.receive();
      CHECK(got.status == 400);
      CHECK(got.body.find("https://") != std::string::npos);
      CHECK(got.header("connection") == "close");
      CHECK(plain.closed());
    }
  CHECK(tls_client{of.data()}.ask(regions_request).status == 200);
}

TEST_CASE("a TLS hello on a port without TLS is in the log, once", "[operations][plain]") {
  const server of{{"--loops", "1"}};
  for (int i = 0; i < 5; ++i) {
    int alert = -1;
    CHECK(!tls_works(of.data(), {}, &alert));
    CHECK(!tls_works(of.ops(), {}, &alert));
  }
  const auto said = [&] {
    const auto log = of.process().errors();
    std::size_t count = 0;
    for (auto at = log.find("speaks TLS"); at != log.npos; at = log.find("speaks TLS", at + 1))
      ++count;
    return count;
  };
  CHECK(eventually([&] { return said() == 2; })); // by the loop of each plane
  CHECK(of.process().says("/tls"));
  check_serves(of.data());
}

TEST_CASE("failed handshakes in the log do not hide who speaks TLS to a plain port",
          "[operations]") {
  const server of{tls_data + shared_files().flags() +
                  arguments{"--loops", "1", "--listen", "127.0.0.1:0"}};
  REQUIRE(of.listeners().size() == 2);
  tls_offer old;
  old.least_version = old.most_version = TLS1_1_VERSION;
  CHECK(!tls_works(of.listeners()[0], old));
  CHECK(of.process().says("[info] tls: no TLS with 127.0.0.1: unsupported protocol"));
  CHECK(!tls_works(of.listeners()[1], {}));
  CHECK(of.process().says(
      "[warning] tls: no TLS with 127.0.0.1: it speaks TLS to a listener without"));
}

} // namespace
