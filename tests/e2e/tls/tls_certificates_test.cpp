// Certificates: those that are replaced while the service is used, of several kinds of keys, and
// processes that take over with TLS.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/load.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::make_tls_pair;

std::string shown_by(const address& to) {
  return tls_client{to}.shown_name();
}

bool comes_to_show(const address& to, const std::string& name) {
  return eventually([&] { return shown_by(to) == name; });
}

TEST_CASE("a certificate is replaced under load, and no request fails", "[lifecycle][shipped]") {
  const tls_pair_files files;
  const server of{tls_data + tls_ops + files.flags() + arguments{"--loops", "2"}};
  tls_client old{of.data()};
  CHECK(old.ask(regions_request).status == 200);
  visiting_load clients{of.data(), 2, 2, true};
  for (const std::string name : {"second", "third"}) {
    REQUIRE(clients.goes_on());
    files.replace(make_tls_pair({.subject = name}));
    CHECK(comes_to_show(of.data(), name));
    // The other loops and the other plane soon follow.
    CHECK(comes_to_show(of.ops(), name));
    CHECK(eventually([&] {
      for (int i = 0; i < 10; ++i)
        if (shown_by(of.data()) != name) return false;
      return true;
    }));
  }
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
  CHECK(clients.resumed() > 0);
  CHECK(old.ask(regions_request).status == 200);
  CHECK(old.shown_name() == "test");
  CHECK(of.metric("matchcloud_tls_reloads_total") == 2);
  CHECK(of.metric("matchcloud_tls_refused_total") == 0);
}

TEST_CASE("a replaced certificate that cannot be used is refused, and the former stays",
          "[lifecycle]") {
  const tls_pair_files files;
  const server of{tls_data + files.flags()};
  const auto good = make_tls_pair({.subject = "good"});
  double refused = 0;
  for (const auto& [name, bytes] :
       {std::pair{"key.pem", std::string{"-----BEGIN PRIVATE KEY-----\nno\n"}},
        {"key.pem", good.key},
        {"cert.pem", std::string{}},
        {"cert.pem", good.certificate.substr(0, good.certificate.size() / 2)}}) {
    files.put(name, bytes);
    ++refused;
    CAPTURE(name, refused);
    CHECK(eventually([&] { return of.metric("matchcloud_tls_refused_total") == refused; }));
    CHECK(of.process().says(std::string{name} + ": "));
    CHECK(shown_by(of.data()) == "test");
  }
  std::filesystem::remove(files.key());
  ++refused;
  CHECK(eventually([&] { return of.metric("matchcloud_tls_refused_total") == refused; }));
  CHECK(tls_client{of.data()}.ask(regions_request).status == 200);
  files.replace(good);
  CHECK(comes_to_show(of.data(), "good"));
  CHECK(of.metric("matchcloud_tls_reloads_total") == 1);
}

TEST_CASE("the end of the first certificate is told, and warned of", "[operations]") {
  const auto expiry = [](const server& of) {
    return of.metric("matchcloud_tls_certificate_expiry_timestamp_seconds");
  };
  const tls_pair_files late{make_tls_pair({.to_s = 90 * 86'400})};
  const server calm{tls_data + late.flags()};
  CHECK(calm.process().errors().find("expire") == std::string::npos);
  const tls_pair_files soon{make_tls_pair({.to_s = 3 * 86'400 + 3'600})};
  const server of{tls_data + late.flags() + soon.flags()};
  CHECK(of.process().says(soon.certificate() + ": the certificate expires in 3 days"));
  CHECK(expiry(of) == Approx(expiry(calm) - 87.0 * 86'400 + 3'600).margin(60).epsilon(0));
  const tls_pair_files over{make_tls_pair({.from_s = -7'200, .to_s = -3'600})};
  const server expired{tls_data + over.flags()};
  CHECK(expired.process().says("has expired"));
}

// -- taking over --------------------------------------------------------------

/// Flags for a successor with the listeners of `of`, of which the data plane's have `suffix`.
arguments same_as(const server& of, const std::string& suffix = "/tls") {
  return {"--take-over", "--listen", of.data().authority() + suffix, "--ops-listen",
          of.ops().authority() + "/tls"};
}

TEST_CASE("taking over with TLS under load loses no request, and sessions go on", "[lifecycle]") {
  const world own;
  const auto flags = shared_files().flags();
  auto now = std::make_unique<server>(tls_data + tls_ops + flags + arguments{"--loops", "2"}, own);
  visiting_load clients{now->data(), 3, 3, true};
  for (const auto* loops : {"3", "1"}) {
    REQUIRE(clients.goes_on());
    auto next = std::make_unique<server>(same_as(*now) + flags + arguments{"--loops", loops}, own);
    CHECK(next->took_over_from() == now->process().pid());
    CHECK(now->process().exit_code() == 0);
    now = std::move(next);
    CHECK(now->ready_status() == 200);
  }
  CHECK(clients.goes_on());
  CHECK(clients.finish() == "");
  CHECK(clients.resumed() > 0);
}

TEST_CASE("a listener with TLS is not taken over as one without", "[lifecycle]") {
  const world own;
  const auto flags = shared_files().flags();
  const server first{tls_data + tls_ops + flags, own};
  const auto refused =
      run(arguments{"serve", "--data-dir", own.data_dir()} + flags + same_as(first, ""));
  CHECK(refused.exit_code == 1);
  INFO(refused.errors);
  CHECK(refused.errors.find(first.data().authority() + "/tls") != std::string::npos);
  CHECK(tls_client{first.data()}.ask(regions_request).status == 200);
}

TEST_CASE("a PROXY header comes before the handshake", "[operations]") {
  const server of{arguments{"--listen", "127.0.0.1:0/proxy/tls", "--trusted-proxies", "127.0.0.1",
                            "--geoip", shared_world().geoip()} +
                  shared_files().flags()};
  const std::string header = "PROXY TCP4 198.51.100.7 192.0.2.2 1 2\r\n";
  auto client = tls_client::connected(of.data());
  client.under().send(header);
  REQUIRE(client.shake_hands());
  const auto got = client.ask(regions_request);
  // The client is in Tokyo.
  CHECK(text_at(parse_json(got.body)["regions"][0], "region_id") == "nrt");
  auto at_once = tls_client::connected(of.data());
  at_once.under().send(header + at_once.handshake_bytes());
  REQUIRE(at_once.shake_hands());
  CHECK(at_once.ask(regions_request).body == got.body);
  int alert = -1;
  CHECK(!tls_works(of.data(), {}, &alert));
}

// -- kinds of keys -----------------------------------------------------------

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
