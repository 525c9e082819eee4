// Sessions that are resumed by tickets, and those that must not be.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <filesystem>
#include <memory>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::make_tls_pair;

/// A session of `offer`; null where the server gives none.
session_ptr session_with(const address& to, const tls_offer& offer) {
  tls_client client{to, offer};
  CHECK(client.ask(regions_request).status == 200);
  return client.session();
}

/// Whether `to` resumes a copy of `session`. It answers in either case.
bool resumes(const address& to, tls_offer offer, const session_ptr& session) {
  const session_ptr copy{SSL_SESSION_dup(session.get())};
  offer.session = copy.get();
  tls_client client{to, offer};
  CHECK(client.ask(regions_request).status == 200);
  return client.is_resumed();
}

TEST_CASE("all loops resume the sessions of their process, also after a certificate was renewed",
          "[operations]") {
  const auto offer = GENERATE(tls_1_2(), tls_1_3());
  const tls_pair_files files;
  const server of{tls_data + files.flags() + arguments{"--loops", "4"}};
  const auto check_all = [&] {
    const auto session = session_with(of.data(), offer);
    REQUIRE(session);
    int resumed = 0;
    for (int i = 0; i < 100; ++i)
      resumed += resumes(of.data(), offer, session) ? 1 : 0;
    CHECK(resumed == 100);
    // A client of TLS 1.3 uses each ticket once: a resumed session brings the next one.
    if (offer.least_version != TLS1_3_VERSION) return;
    const session_ptr copy{SSL_SESSION_dup(session.get())};
    auto with_session = offer;
    with_session.session = copy.get();
    const auto next = session_with(of.data(), with_session);
    REQUIRE(next);
    CHECK(resumes(of.data(), offer, next));
  };
  check_all();
  files.replace(make_tls_pair({.subject = "next"}));
  // Each loop takes up the new certificate by itself.
  REQUIRE(eventually([&] {
    for (int i = 0; i < 40; ++i)
      if (tls_client{of.data()}.shown_name() != "next") return false;
    return true;
  }));
  check_all();
}

TEST_CASE("a session is resumed by no other process, not even after a restart", "[operations]") {
  const auto offer = GENERATE(tls_1_2(), tls_1_3());
  const world own;
  const auto flags = tls_data + shared_files().flags();
  auto first = std::make_unique<server>(flags, own);
  const auto session = session_with(first->data(), offer);
  REQUIRE(session);
  CHECK(resumes(first->data(), offer, session));
  first.reset();
  const server second{flags, own};
  CHECK(!resumes(second.data(), offer, session));
  CHECK(!std::filesystem::exists(own.data_dir() + "/ticket-roots"));
}

TEST_CASE("no session of one name is resumed for another", "[operations]") {
  const auto offer = GENERATE(tls_1_2(), tls_1_3());
  const tls_pair_files other{make_tls_pair({.names = {"other.example"}, .subject = "other"})};
  const server of{tls_data + shared_files().flags() + other.flags()};
  auto named = offer;
  named.server_name = "other.example";
  const auto session = session_with(of.data(), named);
  REQUIRE(session);
  CHECK(resumes(of.data(), named, session));
  auto first = offer;
  first.server_name = "localhost";
  CHECK(!resumes(of.data(), first, session));
}

TEST_CASE("a ticket that was changed is not resumed, and does no harm", "[operations]") {
  const server of{tls_data + shared_files().flags()};
  const auto session = session_with(of.data(), tls_1_2());
  REQUIRE(session);
  unsigned char* der = nullptr;
  const int size = i2d_SSL_SESSION(session.get(), &der);
  REQUIRE(size > 0);
  const std::string bytes(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  const unsigned char* ticket = nullptr;
  std::size_t length = 0;
  SSL_SESSION_get0_ticket(session.get(), &ticket, &length);
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(ticket), length));
  REQUIRE(at != std::string::npos);
  for (std::size_t i = 0; i < length; i += 5) {
    auto changed = bytes;
    changed[at + i] = static_cast<char>(changed[at + i] ^ 1);
    const auto* from = reinterpret_cast<const unsigned char*>(changed.data());
    const session_ptr forged{d2i_SSL_SESSION(nullptr, &from, size)};
    REQUIRE(forged);
    CHECK(!resumes(of.data(), tls_1_2(), forged));
  }
}

} // namespace
