// Handshakes and records that are wrong, cut or slow: each ends itself and nobody else.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"

#include <chrono>
#include <memory>
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

TEST_CASE("a handshake that comes byte by byte is completed, with the request behind it",
          "[limits]") {
  const auto& of = hostile_tls_server();
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    auto client = tls_client::connected(of.data(), offer);
    while (!client.is_done()) {
      for (const char byte : client.handshake_bytes())
        client.under().send({&byte, 1});
      if (!client.is_done()) REQUIRE(client.receive_records());
    }
    for (const char byte : client.encrypted(regions_request))
      client.under().send({&byte, 1});
    CHECK(client.receive().status == 200);
  }
}

TEST_CASE("a request in the same segment as the end of the handshake is answered", "[limits]") {
  const auto& of = hostile_tls_server();
  auto client = tls_client::connected(of.data(), tls_1_3());
  client.under().send(client.handshake_bytes());
  std::string end;
  while (!client.is_done()) {
    REQUIRE(client.receive_records());
    end += client.handshake_bytes();
  }
  end += client.encrypted(regions_request);
  end += client.encrypted(regions_request);
  client.under().send(end);
  CHECK(client.receive().status == 200);
  CHECK(client.receive().status == 200);
}

TEST_CASE("what is no handshake ends its connection, and no other", "[limits]") {
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

TEST_CASE("each byte of a handshake may be wrong", "[limits]") {
  const auto& of = hostile_tls_server();
  const auto size = tls_client::connected(of.data()).handshake_bytes().size();
  for (std::size_t at = 0; at < size; at += 7) {
    auto client = tls_client::connected(of.data());
    auto hello = client.handshake_bytes();
    hello[at] = static_cast<char>(hello[at] ^ 0x55);
    static_cast<void>(client.under().try_send(hello));
    client.under().finish();
  }
  CHECK(eventually([&] { return in_progress(of) == 0; }));
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

TEST_CASE("who asks for ever new keys and reads nothing costs the server no memory",
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

TEST_CASE("keys are renewed in the midst of requests", "[operations]") {
  const auto& of = hostile_tls_server();
  tls_client client{of.data(), tls_1_3()};
  for (int i = 0; i < 20; ++i) {
    REQUIRE(SSL_key_update(client.handle(), SSL_KEY_UPDATE_REQUESTED) == 1);
    CHECK(client.ask(regions_request).status == 200);
  }
}

TEST_CASE("silent handshakes end at their deadline, however their bytes come", "[limits]") {
  const server of{tls_data + shared_files().flags() +
                  arguments{"--tls-handshake-timeout-ms", "300"}};
  const auto begin = steady_clock::now();
  raw_connection silent{of.data()};
  auto half = tls_client::connected(of.data());
  const auto hello = half.handshake_bytes();
  half.under().send(std::string_view{hello}.substr(0, hello.size() / 2));
  raw_connection slow{of.data()};
  std::size_t sent = 0;
  // A byte each 50 ms does not put the end off.
  while (!slow.readable(milliseconds{50}))
    slow.send(std::string_view{hello}.substr(sent++ % hello.size(), 1));
  CHECK(slow.closed());
  CHECK(silent.closed());
  CHECK(half.under().closed());
  const auto took = steady_clock::now() - begin;
  CHECK(took >= milliseconds{290});
  CHECK(took < milliseconds{5'000});
  CHECK(ended(of, "timed_out") == 3);
  // A connection that has shaken hands is not meant.
  tls_client kept{of.data()};
  CHECK(!kept.under().ended_within(milliseconds{600}));
  CHECK(kept.ask(regions_request).status == 200);
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

} // namespace
