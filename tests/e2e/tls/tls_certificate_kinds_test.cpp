// Certificates of several kinds of keys: those for one name, and those that no client accepts.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"

#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::make_tls_pair;

/// What a client offers that can check certificates of one kind alone, and the kind.
struct narrow_client {
  tls_offer offer;
  std::string sees;
};

std::vector<narrow_client> narrow_clients() {
  const auto of_1_2 = [](const std::string& suites, const std::string& signatures,
                         const std::string& groups) {
    auto offer = tls_1_2();
    offer.suites_1_2 = suites;
    offer.signatures = signatures;
    offer.groups = groups;
    return offer;
  };
  const auto of_1_3 = [](const std::string& signatures) {
    auto offer = tls_1_3();
    offer.signatures = signatures;
    return offer;
  };
  return {
      {of_1_2("ECDHE-RSA-AES128-GCM-SHA256", "", ""), "rsa"},
      {of_1_2("ECDHE-ECDSA-AES128-GCM-SHA256", "", ""), "ec"},
      {of_1_2("", "RSA+SHA256", ""), "rsa"},
      {of_1_2("", "RSA-PSS+SHA256", ""), "rsa"},
      {of_1_2("", "ECDSA+SHA384", ""), "ec"},
      // No curve of the ECDSA key.
      {of_1_2("", "", "X25519:P-384"), "rsa"},
      {of_1_3("RSA-PSS+SHA256"), "rsa"},
      {of_1_3("ECDSA+SHA256"), "ec"},
  };
}

/// Two certificates for the same names, and a server that has both.
struct both_kinds {
  tls_pair_files ec{make_tls_pair({.subject = "ec"})};
  tls_pair_files rsa{make_tls_pair({.subject = "rsa", .is_rsa = true})};

  arguments flags(bool rsa_is_first) const {
    const auto planes = tls_data + tls_ops + arguments{"--loops", "1"};
    return planes + (rsa_is_first ? rsa.flags() + ec.flags() : ec.flags() + rsa.flags());
  }
};

std::string shown(const address& to, const tls_offer& offer) {
  tls_client client{to, offer};
  CHECK(client.ask(regions_request).status == 200);
  return client.shown_name();
}

TEST_CASE(
    "of an RSA and an ECDSA certificate for one name the one is shown that a client can check",
    "[operations]") {
  const bool rsa_is_first = GENERATE(false, true);
  const both_kinds files;
  const server of{files.flags(rsa_is_first)};
  CAPTURE(rsa_is_first);
  for (const std::string name : {"localhost", "", "unknown.example"}) {
    for (auto [offer, sees] : narrow_clients()) {
      CAPTURE(name, sees, offer.suites_1_2, offer.signatures, offer.groups);
      offer.server_name = name;
      CHECK(shown(of.data(), offer) == sees);
      CHECK(tls_client{of.ops(), offer}.shown_name() == sees);
    }
    for (auto offer : {tls_1_2(), tls_1_3()}) {
      offer.server_name = name;
      CHECK(shown(of.data(), offer) == "ec");
    }
  }
  // Where no certificate fits, the handshake fails as with one alone.
  auto none = tls_1_3();
  none.signatures = "ECDSA+SHA384";
  CHECK_FALSE(tls_works(of.data(), none));
}

TEST_CASE("of ECDSA certificates for one name the one is shown whose curve most clients know",
          "[operations]") {
  const tls_pair_files rare{make_tls_pair({.subject = "rare", .key = "P-521"})};
  const tls_pair_files usual{make_tls_pair({.subject = "usual"})};
  const server of{tls_data + rare.flags() + usual.flags()};
  auto browser = tls_1_3();
  browser.signatures = "ECDSA+SHA256:RSA-PSS+SHA256";
  CHECK(shown(of.data(), browser) == "usual");
  CHECK(shown(of.data(), tls_1_2()) == "usual");
}

TEST_CASE("a certificate for fewer names does not stand in for names that it lacks",
          "[operations]") {
  const tls_pair_files wide{make_tls_pair({.names = {"a.example", "b.example"}, .subject = "ec"})};
  const tls_pair_files narrow{
      make_tls_pair({.names = {"a.example"}, .subject = "rsa", .is_rsa = true})};
  const server of{tls_data + wide.flags() + narrow.flags()};
  auto offer = tls_1_2();
  offer.suites_1_2 = "ECDHE-RSA-AES128-GCM-SHA256";
  offer.server_name = "a.example";
  CHECK(shown(of.data(), offer) == "rsa");
  for (const std::string name : {"b.example", "unknown.example", ""}) {
    offer.server_name = name;
    CHECK_FALSE(tls_works(of.data(), offer));
  }
}

TEST_CASE("sessions of both certificates of a name are resumed, until one of them is replaced",
          "[operations]") {
  const both_kinds files;
  const server of{files.flags(false)};
  const auto visit = [&](tls_offer offer, SSL_SESSION* with) {
    const session_ptr copy{with == nullptr ? nullptr : SSL_SESSION_dup(with)};
    offer.session = copy.get();
    tls_client client{of.data(), offer};
    CHECK(client.ask(regions_request).status == 200);
    return std::pair{client.is_resumed(), client.session()};
  };
  const auto clients = narrow_clients();
  std::vector<session_ptr> sessions;
  for (const auto& [offer, sees] : clients) {
    sessions.push_back(visit(offer, nullptr).second);
    REQUIRE(sessions.back());
    CHECK(visit(offer, sessions.back().get()).first);
  }
  files.rsa.replace(make_tls_pair({.subject = "next", .is_rsa = true}));
  auto of_rsa = tls_1_3();
  of_rsa.signatures = "RSA-PSS+SHA256";
  REQUIRE(eventually([&] { return shown(of.data(), of_rsa) == "next"; }));
  for (std::size_t at = 0; at < sessions.size(); ++at) {
    const auto& [offer, sees] = clients[at];
    CAPTURE(sees, offer.suites_1_2, offer.signatures, offer.groups);
    CHECK_FALSE(visit(offer, sessions[at].get()).first);
  }
}

TEST_CASE("a certificate that no client accepts is refused at the start", "[operations]") {
  for (const std::string key : {"secp256k1", "RSA:1024"}) {
    const tls_pair_files files{make_tls_pair({.key = key})};
    const auto refused = run(
        arguments{"serve", "--data-dir", shared_world().data_dir(), "--ops-listen", "127.0.0.1:0"} +
        tls_data + files.flags());
    CAPTURE(key, refused.errors);
    CHECK(refused.exit_code == 1);
    CHECK(refused.errors.find(files.certificate() + ": the certificate's key is ") !=
          std::string::npos);
    CHECK(refused.errors.find("which no client accepts") != std::string::npos);
  }
}

TEST_CASE("a certificate that no client accepts does not replace one that is in force",
          "[lifecycle]") {
  const tls_pair_files files;
  const server of{tls_data + files.flags()};
  files.replace(make_tls_pair({.subject = "odd", .key = "secp256k1"}));
  REQUIRE(eventually([&] { return of.metric("matchcloud_tls_refused_total") == 1; }));
  CHECK(of.process().says("on the curve secp256k1"));
  CHECK(shown(of.data(), {}) == "test");
}

TEST_CASE("Ed25519 is served, and browsers get another certificate", "[operations]") {
  const tls_pair_files files{make_tls_pair({.subject = "ed", .key = "ED25519"})};
  const server alone{tls_data + files.flags()};
  CHECK(shown(alone.data(), tls_1_2()) == "ed");
  CHECK(shown(alone.data(), tls_1_3()) == "ed");
  const server with_other{tls_data + files.flags() + shared_files().flags()};
  auto browser = tls_1_3();
  browser.signatures = "ECDSA+SHA256:RSA-PSS+SHA256";
  CHECK(shown(with_other.data(), browser) == "test");
}

} // namespace
