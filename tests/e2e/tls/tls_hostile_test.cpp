// Handshakes and records that are wrong, cut or slow, and a network that changes bytes: each
// connection ends itself and no other.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tokens.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using namespace std::string_literals;
using std::chrono::steady_clock;

const server& hostile_tls_server() {
  shared_world(); // outlives the server
  static const server only{tls_data + shared_files().flags() + arguments{"--loops", "2"}};
  return only;
}

void check_serves_tls(const address& to) {
  for (const auto& offer : {tls_1_2(), tls_1_3()})
    CHECK(tls_client{to, offer}.ask(regions_request).status == 200);
}

double ended(const server& of, const std::string& how) {
  return of.metric("matchcloud_tls_handshakes_total{how=\"" + how + "\"}");
}

double in_progress(const server& of) {
  return of.metric("matchcloud_tls_handshakes_in_progress");
}

/// A record of the kind `kind` with `bytes`.
std::string record(char kind, const std::string& bytes) {
  return std::string{kind} + "\x03\x03"s + static_cast<char>(bytes.size() >> 8U) +
         static_cast<char>(bytes.size() & 0xffU) + bytes;
}

constexpr char handshake_record = 22;

TEST_CASE("a handshake that is cut off anywhere ends, and is counted", "[limits]") {
  const auto& of = hostile_tls_server();
  const auto before = ended(of, "failed");
  double cut = 0;
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    const auto size = tls_client::connected(of.data(), offer).handshake_bytes().size();
    for (std::size_t at = 0; at < size; at += at < 60 ? 1 : 37) {
      auto client = tls_client::connected(of.data(), offer);
      const auto hello = client.handshake_bytes();
      client.under().send(std::string_view{hello}.substr(0, at));
      // By an end and by a reset.
      if (at % 2 == 0)
        client.under().finish();
      else
        client.under().reset();
      ++cut;
    }
  }
  CHECK(eventually([&] { return ended(of, "failed") >= before + cut; }));
  CHECK(eventually([&] { return in_progress(of) == 0; }));
  check_serves_tls(of.data());
}

TEST_CASE("bytes that are no handshake end their own connection and no other", "[limits]") {
  const auto& of = hostile_tls_server();
  tls_client bystander{of.data()};
  const auto hello = tls_client::connected(of.data()).handshake_bytes();
  auto wrong_length = hello;
  wrong_length[7] = '\x7f';
  auto no_suites = hello;
  no_suites[3] = '\x00';
  no_suites[4] = '\x04';
  std::string noise;
  for (int i = 0; i < 4'000; ++i)
    noise += static_cast<char>(i * 131 % 251 | 0x80);
  for (const auto& bytes : {
           noise,
           "\0"s,
           "\x16\x03\x01\xff\xff"s + std::string(70'000, 'x'), // a record beyond its limit
           "\x16\x03\x01\x00\x00"s,                            // an empty one
           std::string(200, '\x16'),                           //
           record(23, std::string(100, 'x')),                  // data before any handshake
           record(21, "\x02\x28"s),                            // an alert
           record(20, "\x01"s),                                // a change of ciphers
           record(24, std::string(100, 'h')),                  // a heartbeat
           record(handshake_record, "\x01\xff\xff\xff"s),      // a hello of 16 MiB
           record(handshake_record, "\x02\x00\x00\x00"s),      // a server's hello
           record(handshake_record, "\x14\x00\x00\x0c"s + std::string(12, 'f')), // finished
           "\x80\x2e\x01\x00\x02"s + std::string(44, '\x01'),                    // SSL 2
           hello + hello,
           hello + record(23, std::string(64, 'x')),
           wrong_length,
           no_suites,
           "SSH-2.0-OpenSSH_9.2\r\n"s,
       }) {
    CAPTURE(bytes.substr(0, 12), bytes.size());
    auto client = tls_client::connected(of.data());
    static_cast<void>(client.under().try_send(bytes));
    client.under().finish();
    // Whatever is answered, an end comes.
    bool over = false;
    while (!over)
      over = !client.receive_records(); // throws where no end comes
    CHECK(bystander.ask(regions_request).status == 200);
  }
  CHECK(eventually([&] { return in_progress(of) == 0; }));
  check_serves_tls(of.data());
}

TEST_CASE("a hello without end is cut at its limit", "[limits]") {
  const auto& of = hostile_tls_server();
  raw_connection client{of.data()};
  // A message of 16 MiB in records of 1 KiB: OpenSSL alone would wait for all of it.
  auto part = record(handshake_record, "\x01\xff\xff\xff"s + std::string(1'020, 'x'));
  std::size_t sent = 0;
  while (sent < 4 * 1024 * 1024 && client.try_send(part)) {
    sent += part.size();
    part = record(handshake_record, std::string(1'024, 'x'));
    if (client.readable(milliseconds{0})) break;
  }
  CHECK(sent < 4 * 1024 * 1024);
  check_serves_tls(of.data());
}

TEST_CASE("a client of TLS 1.2 that asks to renegotiate is refused", "[limits]") {
  const auto& of = hostile_tls_server();
  tls_client client{of.data(), tls_1_2()};
  CHECK(client.ask(regions_request).status == 200);
  REQUIRE(SSL_renegotiate(client.handle()) == 1);
  CHECK(!client.shake_hands());
  CHECK(client.failure() == "no renegotiation");
  check_serves_tls(of.data());
}

TEST_CASE("a client that keeps asking for new keys and reads nothing costs the server no memory",
          "[limits][shipped]") {
  const auto& of = hostile_tls_server();
  tls_client client = tls_client::connected(of.data(), tls_1_3(), 4'096);
  REQUIRE(client.shake_hands());
  [[maybe_unused]] const auto before = number_in_status(of.process().pid(), "VmRSS");
  // Each request of 27 bytes has an answer of 27 bytes, of which the kernel takes some megabytes.
  constexpr std::size_t at_once = 2'000;
  bool is_cut = false;
  for (std::size_t sent = 0; sent < 600'000 && !is_cut; sent += at_once) {
    std::string updates;
    for (std::size_t i = 0; i < at_once; ++i) {
      SSL_key_update(client.handle(), SSL_KEY_UPDATE_REQUESTED);
      updates += client.handshake_bytes();
    }
    is_cut = !client.under().try_send(updates);
  }
  CHECK(is_cut);
  if (!matchcloud::fixtures::programs_are_sanitized())
    CHECK(number_in_status(of.process().pid(), "VmRSS") < before + 4 * 1'024);
  check_serves_tls(of.data());
}

TEST_CASE("a thousand half-open handshakes do not keep honest clients out", "[limits]") {
  raise_descriptor_limit();
  const server of{tls_data + shared_files().flags() +
                  arguments{"--loops", "2", "--max-tls-handshakes", "200"}};
  const auto hello = tls_client::connected(of.data()).handshake_bytes();
  std::vector<raw_connection> half;
  auto slowest = milliseconds{0};
  for (int i = 0; i < 1'000; ++i) {
    half.emplace_back(of.data()).send(std::string_view{hello}.substr(0, hello.size() / 2));
    if (i % 20 != 0) continue;
    const auto begin = steady_clock::now();
    tls_client honest{of.data()};
    CHECK(honest.ask(regions_request).status == 200);
    slowest = std::max(slowest, std::chrono::ceil<milliseconds>(steady_clock::now() - begin));
  }
  CHECK(slowest < milliseconds{2'000});
  CHECK(eventually([&] { return ended(of, "evicted") >= 750; }));
  CHECK(in_progress(of) <= 200);
  CHECK(ended(of, "full") == 50);
  check_serves_tls(of.data());
}

// -- faults below TLS --------------------------------------------------------

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

TEST_CASE("a connection that stalls under TLS continues when the stall is over", "[operations]") {
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
