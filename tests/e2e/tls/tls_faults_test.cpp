// Faults injected below TLS, where the network is: an answer is right or there is none.
#include "tests/catch.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"
#include "tests/service/tokens.hpp"

#include <exception>
#include <optional>
#include <string>

namespace {

using namespace matchcloud::e2e;

const auto large_request = request("POST", groups_target, good_group + std::string(60'000, ' '));

/// A server whose network can be broken, with an image. What waits for bytes that never come ends
/// soon.
struct broken_network {
  world of;
  media_file image;
  server at{tls_data + shared_files().flags() +
                arguments{"--enable-fault-injection", "--fault-seed", "11", "--loops", "1",
                          "--head-timeout-ms", "300", "--idle-timeout-ms", "300",
                          "--body-timeout-ms", "300", "--write-timeout-ms", "300",
                          "--tls-handshake-timeout-ms", "300"},
            of};

  broken_network() {
    image.content = matchcloud::fixtures::numbered_bytes(200'000);
    image.put(of);
  }
  void put(const std::string& point, const std::string& rule) const {
    CHECK(ask_ops(at, "PUT", "/faults/" + point, rule).status == 200);
  }
  double hits(const std::string& point) const {
    return at.metric("matchcloud_faults_hit_total{point=\"" + point + "\"}");
  }
};

struct tally {
  int answered = 0;
  int failed = 0;
};

/// Asks again and again, on a new connection after each that broke. Every answer must be the one
/// that came while nothing was broken.
tally ask_much(const broken_network& on, int rounds, const tls_offer& offer,
               const std::string& listing) {
  const auto download = request("GET", on.image.target());
  tally all;
  std::optional<tls_client> client;
  for (int i = 0; i < rounds; ++i)
    try {
      if (!client) client.emplace(on.at.data(), offer);
      const auto listed = client->ask(regions_request);
      CHECK(listed.status == 200);
      CHECK(listed.body == listing);
      const auto validated = client->ask(large_request);
      CHECK(validated.status == 200);
      const auto got = client->ask(download);
      CHECK(got.status == 200);
      CHECK(got.body == on.image.content);
      ++all.answered;
    } catch (const std::exception&) {
      ++all.failed;
      client.reset();
    }
  return all;
}

TEST_CASE("with TLS no byte that the network changed is ever taken for one that was sent",
          "[operations]") {
  const auto offer = GENERATE(tls_1_2(), tls_1_3());
  const std::string point = GENERATE("read", "write");
  const broken_network on;
  const auto listing = tls_client{on.at.data()}.ask(regions_request).body;
  on.put(point, R"({"kind":"corrupt","probability":0.08})");
  const auto all = ask_much(on, 40, offer, listing);
  CAPTURE(point, all.answered, all.failed);
  CHECK(all.failed > 0);
  CHECK(on.hits(point) > 0);
  CHECK(ask_ops(on.at, "DELETE", "/faults").status == 204);
  const auto after = ask_much(on, 3, offer, listing);
  CHECK(after.failed == 0);
}

TEST_CASE("a changed request ends its connection by an alert", "[operations]") {
  const broken_network on;
  // The first part of a record is its length: only what is behind is changed.
  tls_client client{on.at.data(), tls_1_3()};
  CHECK(client.ask(regions_request).status == 200);
  auto record = client.encrypted(regions_request);
  record[20] = static_cast<char>(record[20] ^ 1);
  client.under().send(record);
  CHECK(client.receive_end() == tls_end::broken);
  CHECK(client.alert() == SSL_AD_BAD_RECORD_MAC);
}

TEST_CASE("short writes and late bytes below TLS are made up for", "[operations]") {
  const auto offer = GENERATE(tls_1_2(), tls_1_3());
  const broken_network on;
  const auto listing = tls_client{on.at.data()}.ask(regions_request).body;
  on.put("write", R"({"kind":"short-write"})");
  on.put("read", R"({"kind":"delay","delay_ms":[1,3],"probability":0.3})");
  const auto all = ask_much(on, 5, offer, listing);
  CHECK(all.failed == 0);
  on.put("write", R"({"kind":"delay","delay_ms":2,"probability":0.5})");
  CHECK(ask_much(on, 5, offer, listing).failed == 0);
  CHECK(on.hits("write") > 0);
  CHECK(on.hits("read") > 0);
}

TEST_CASE("a network that fails under TLS ends that connection alone", "[operations]") {
  const std::string point = GENERATE("read", "write");
  const broken_network on;
  const auto listing = tls_client{on.at.data()}.ask(regions_request).body;
  on.put(point, R"({"kind":"error","probability":0.05})");
  const auto all = ask_much(on, 60, tls_1_3(), listing);
  CAPTURE(point);
  CHECK(all.answered > 0);
  CHECK(all.failed > 0);
  CHECK(ask_ops(on.at, "DELETE", "/faults").status == 204);
  CHECK(ask_much(on, 3, tls_1_3(), listing).failed == 0);
  CHECK(eventually([&] { return on.at.metric("matchcloud_tls_handshakes_in_progress") == 0; }));
}

TEST_CASE("what stalls under TLS goes on when the stall is over", "[operations]") {
  const std::string point = GENERATE("read", "write");
  const server of{tls_data + shared_files().flags() + arguments{"--enable-fault-injection"}};
  tls_client kept{of.data()};
  CHECK(kept.ask(regions_request).status == 200);
  CHECK(ask_ops(of, "PUT", "/faults/" + point, R"({"kind":"stall"})").status == 200);
  kept.send(regions_request);
  auto shaking = tls_client::connected(of.data());
  shaking.under().send(shaking.handshake_bytes());
  CHECK(!kept.under().readable(milliseconds{200}));
  CHECK(!shaking.under().readable(milliseconds{0}));
  CHECK(ask_ops(of, "DELETE", "/faults").status == 204);
  CHECK(kept.receive().status == 200);
  REQUIRE(shaking.shake_hands());
  CHECK(shaking.ask(regions_request).status == 200);
}

} // namespace
