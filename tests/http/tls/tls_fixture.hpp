#pragma once

#include "http/tls/tls_stream.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/http/tls/memory_pipe.hpp"
#include "tests/http/tls/tls_pair.hpp"

#include <fstream>
#include <memory>
#include <string>

namespace matchcloud::http {

inline const tls_material::pair& test_pair() {
  static const auto made = fixtures::make_tls_pair();
  return made;
}

inline tls_material material_of(std::vector<tls_material::pair> pairs = {test_pair()},
                                std::vector<ticket_key> keys = {ticket_key{{1}, {}, {}}}) {
  return {std::move(pairs), {}, {}, std::move(keys)};
}

inline std::shared_ptr<tls_context> server_context(const tls_material& of = material_of(),
                                                   tls_purpose purpose = tls_purpose::data) {
  auto made = tls_context::for_server(of, purpose);
  REQUIRE(made);
  return *made;
}

/// A client's context that trusts `authority`.
inline std::shared_ptr<tls_context> client_context(const tls_material::pair& authority) {
  const fixtures::temporary_directory in;
  const auto file = in.path() + "/ca.pem";
  std::ofstream{file} << authority.certificate;
  auto made = tls_context::for_client(file);
  REQUIRE(made);
  return *made;
}

/// A client and a server that are connected in memory.
struct tls_link {
  std::shared_ptr<direction> to_server = std::make_shared<direction>();
  std::shared_ptr<direction> to_client = std::make_shared<direction>();
  tls_stream server;
  tls_stream client;

  explicit tls_link(const std::shared_ptr<tls_context>& serves = server_context(),
                    const std::shared_ptr<tls_context>& asks = client_context(test_pair()),
                    const std::string& host = "localhost")
      : server{std::make_unique<pipe_end>(to_server, to_client), serves},
        client{std::make_unique<pipe_end>(to_client, to_server), asks, host} {}

  /// Continues both handshakes until they are done or one fails. Returns whether they are done.
  bool shake_hands() {
    auto one = handshake_status::blocked;
    auto other = handshake_status::blocked;
    const auto over = [](handshake_status at) {
      return at == handshake_status::done || at == handshake_status::failed;
    };
    for (int i = 0; i < 200'000 && !(over(one) && over(other)); ++i) {
      if (!over(other)) other = client.handshake();
      if (!over(one)) one = server.handshake();
      if (one == handshake_status::failed) to_client->ended = true;
      if (other == handshake_status::failed) to_server->ended = true;
    }
    return one == handshake_status::done && other == handshake_status::done;
  }
};

inline io_result write_text(byte_stream& to, std::string_view text) {
  const iovec piece{const_cast<char*>(text.data()), text.size()};
  return to.write({&piece, 1}, false);
}

/// Reads until `from` is blocked or over; `how` gets how it ended.
inline std::string read_all(byte_stream& from, io_status* how = nullptr,
                            std::size_t at_once = 64 * 1024) {
  std::string all;
  std::string buffer(at_once, '\0');
  while (true) {
    const auto got = from.read(buffer);
    all.append(buffer, 0, got.status == io_status::moved ? got.bytes : 0);
    if (got.status == io_status::moved) continue;
    if (how != nullptr) *how = got.status;
    return all;
  }
}

} // namespace matchcloud::http
