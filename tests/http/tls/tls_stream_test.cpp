#include "http/tls/tls_stream.hpp"

#include "tests/contains.hpp"
#include "tests/http/tls/tls_fixture.hpp"
#include "tests/http/tls/tls_stream_law.hpp"

#include <openssl/ssl.h>

#include <fcntl.h>

#include <random>

namespace matchcloud::http {
namespace {

using fixtures::contains;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  std::minstd_rand random{7};
  for (auto& each : text)
    each = static_cast<char>(random());
  return text;
}

TEST_CASE("while anything is unsent the last byte is not reported") {
  tls_link on;
  REQUIRE(on.shake_hands());
  CHECK(read_all(on.client).empty()); // the ticket is not sent yet
  on.to_client->room = 1'000;
  const auto sent = pattern(3'000);
  std::size_t reported = 0;
  for (auto moved = write_text(on.server, sent); moved.status == io_status::moved;
       moved = write_text(on.server, std::string_view{sent}.substr(reported)))
    reported += moved.bytes;
  CHECK(reported < sent.size());
  CHECK(on.server.held_bytes() > 0);
  on.to_client->room = SIZE_MAX;
  reported += write_text(on.server, std::string_view{sent}.substr(reported)).bytes;
  CHECK(reported == sent.size());
  CHECK(read_all(on.client) == sent);
}

TEST_CASE("one call reads once and writes once") {
  tls_link on;
  REQUIRE(on.shake_hands());
  REQUIRE(write_text(on.client, "ask").status == io_status::moved);
  on.to_server->reads = 0;
  on.to_client->writes = 0;
  std::string buffer(64 * 1024, '\0');
  CHECK(on.server.read(buffer).bytes == 3);
  CHECK(on.to_server->reads == 1);
  CHECK(write_text(on.server, pattern(60'000)).bytes == 60'000);
  CHECK(on.to_client->writes == 1); // with the ticket
}

TEST_CASE("a small buffer reads in steps, and each read says if there is more") {
  tls_link on;
  REQUIRE(on.shake_hands());
  const auto sent = pattern(50'000);
  std::string got;
  REQUIRE(write_text(on.client, sent).bytes == sent.size());
  std::string buffer(700, '\0');
  for (int i = 0; i < 1'000; ++i) {
    const auto read = on.server.read(buffer);
    if (read.status == io_status::blocked) break;
    REQUIRE(read.status == io_status::moved);
    got.append(buffer, 0, read.bytes);
    if (got.size() < sent.size()) CHECK(read.more);
  }
  CHECK(got == sent);
}

TEST_CASE("a file is sent over TLS") {
  tls_link on;
  REQUIRE(on.shake_hands());
  const fixtures::temporary_directory in;
  const auto sent = pattern(150'000);
  std::ofstream{in.path() + "/file"} << sent;
  const int file = ::open((in.path() + "/file").c_str(), O_RDONLY);
  on.to_client->room = 40'000;
  std::string got;
  std::size_t at = 10;
  for (int i = 0; i < 1'000 && at < sent.size(); ++i) {
    const auto moved = on.server.send_file(file, at, sent.size() - at);
    REQUIRE((moved.status == io_status::moved || moved.status == io_status::blocked));
    at += moved.bytes;
    got += read_all(on.client);
  }
  CHECK(got == sent.substr(10));
  CHECK(on.server.send_file(file, sent.size(), 1).status == io_status::ended);
  ::close(file);
}

TEST_CASE("an end by close_notify is told from a cut one") {
  tls_link on;
  REQUIRE(on.shake_hands());
  REQUIRE(write_text(on.client, "last").status == io_status::moved);
  const bool cut = GENERATE(false, true);
  if (cut)
    on.to_server->ended = true;
  else
    on.client.shutdown_write();
  auto how = io_status::blocked;
  CHECK(read_all(on.server, &how) == "last");
  CHECK(how == io_status::ended);
  CHECK(on.server.is_truncated() == cut);
  CHECK(on.to_server->ended);
}

TEST_CASE("the server says that it ends, also where that must wait for room") {
  tls_link on;
  REQUIRE(on.shake_hands());
  on.to_client->room = GENERATE(0, SIZE_MAX);
  on.server.shutdown_write();
  CHECK(on.to_client->ended == (on.to_client->room != 0));
  on.to_client->room = SIZE_MAX;
  std::string buffer(100, '\0');
  CHECK(on.server.read(buffer).status == io_status::blocked);
  CHECK(on.to_client->ended);
  auto how = io_status::blocked;
  read_all(on.client, &how);
  CHECK(how == io_status::ended);
  CHECK(!on.client.is_truncated());
  // What comes after is not decrypted any more.
  REQUIRE(write_text(on.client, "late").status == io_status::moved);
  CHECK(on.server.read(buffer).bytes > 4);
}

TEST_CASE("a changed byte ends the stream with an alert") {
  tls_link on;
  REQUIRE(on.shake_hands());
  REQUIRE(write_text(on.client, "a request").status == io_status::moved);
  on.to_server->bytes[8] ^= 1;
  std::string buffer(100, '\0');
  CHECK(on.server.read(buffer).status == io_status::failed);
  CHECK(on.server.read(buffer).status == io_status::failed);
  CHECK(write_text(on.server, "x").status == io_status::failed);
  CHECK(!on.server.failure().empty());
  auto how = io_status::blocked;
  read_all(on.client, &how);
  CHECK(how == io_status::failed);
  CHECK(contains(on.client.failure(), "bad record mac"));
}

TEST_CASE("a part of a record is noticed") {
  tls_link on;
  REQUIRE(on.shake_hands());
  CHECK(!on.server.is_within_record());
  REQUIRE(write_text(on.client, "a request").status == io_status::moved);
  const auto rest = on.to_server->bytes.substr(10);
  on.to_server->bytes.resize(10);
  std::string buffer(100, '\0');
  const auto got = on.server.read(buffer);
  CHECK(got.status == io_status::moved);
  CHECK(got.bytes == 0);
  CHECK(!got.more);
  CHECK(on.server.is_within_record());
  on.to_server->bytes = rest;
  CHECK(on.server.read(buffer).bytes == 9);
  CHECK(!on.server.is_within_record());
}

TEST_CASE("HTTP without TLS is told from garbage, and nothing is answered to it") {
  tls_link on;
  SECTION("HTTP") {
    on.to_server->bytes = "GET / HTTP/1.1\r\n\r\n";
    CHECK(on.server.handshake() == handshake_status::plain_http);
    CHECK(on.to_client->bytes.empty());
    CHECK(on.server.take_under() != nullptr);
  }
  SECTION("garbage") {
    on.to_server->bytes = pattern(200);
    on.to_server->bytes[0] = '\x01';
    CHECK(on.server.handshake() == handshake_status::failed);
    CHECK(!on.server.failure().empty());
  }
  SECTION("an end in the middle") {
    on.client.handshake();
    on.to_server->bytes.resize(100);
    CHECK(on.server.handshake() == handshake_status::blocked);
    on.to_server->ended = true;
    CHECK(on.server.handshake() == handshake_status::failed);
  }
  SECTION("a hello without end") {
    // Records of a handshake message that says it is as long as they come.
    auto status = handshake_status::blocked;
    const std::string record = std::string{"\x16\x03\x01\x40\x00", 5} + std::string(0x4000, '\0');
    std::string first = record;
    first.replace(5, 4, std::string{"\x01\x0f\xff\xff", 4});
    on.to_server->bytes = first;
    for (int i = 0; i < 100 && status != handshake_status::failed; ++i) {
      status = on.server.handshake();
      on.to_server->bytes = record;
    }
    CHECK(status == handshake_status::failed);
  }
}

TEST_CASE("what came behind a preamble begins the handshake") {
  tls_link on;
  on.client.handshake();
  const auto hello = std::exchange(on.to_server->bytes, {});
  const auto cut = GENERATE(0, 1, 50, 10'000);
  const auto split = std::min(hello.size(), static_cast<std::size_t>(cut));
  tls_stream server{std::make_unique<pipe_end>(on.to_server, on.to_client), server_context(),
                    std::string_view{hello}.substr(0, split)};
  on.to_server->bytes = hello.substr(split);
  auto status = handshake_status::blocked;
  for (int i = 0; i < 10 && status != handshake_status::done; ++i) {
    status = server.handshake();
    on.client.handshake();
  }
  REQUIRE(status == handshake_status::done);
  REQUIRE(write_text(on.client, "request").status == io_status::moved);
  CHECK(read_all(server) == "request");
}

TEST_CASE("a broken stream below ends a handshake and a stream") {
  tls_link on;
  SECTION("in the handshake") {
    on.to_server->broken = true;
    CHECK(on.server.handshake() == handshake_status::failed);
  }
  SECTION("later") {
    REQUIRE(on.shake_hands());
    std::string buffer(10, '\0');
    on.to_client->broken = true;
    CHECK(write_text(on.server, "x").status == io_status::failed);
    on.to_server->broken = true;
    CHECK(on.server.read(buffer).status == io_status::failed);
  }
}

TEST_CASE("whatever becomes of the bytes, no other bytes are read than were sent") {
  std::minstd_rand random{GENERATE(1U, 2U, 3U)};
  for (int i = 0; i < 300; ++i) {
    std::string steps(2 + random() % 200, '\0');
    // Most inputs change nothing on the way, or nothing would ever be read.
    const bool touches = random() % 4 == 0;
    for (std::size_t at = 0; at + 1 < steps.size(); at += 2) {
      const auto operation = random() % (touches ? 8 : 6) + (random() % 2) * 8;
      steps[at] = static_cast<char>(operation);
      steps[at + 1] = static_cast<char>(random());
    }
    REQUIRE(tls_stream_law::check(steps) == "");
  }
}

} // namespace
} // namespace matchcloud::http
