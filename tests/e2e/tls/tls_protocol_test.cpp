// Which versions, suites, groups and protocols the TLS listeners take: those of `tls_context` and
// no others.
#include "http/tls/tls_context.hpp"
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using http::tls_context;
using matchcloud::fixtures::make_tls_pair;
using names = std::set<std::string>;

constexpr const char* other_name = "rsa.example";

/// A server with two certificates: one of P-256 for all names, one of RSA for `other_name`.
const server& two_certificates() {
  shared_world(); // outlives the server
  static const tls_pair_files of_rsa{
      make_tls_pair({.names = {other_name}, .subject = "rsa", .is_rsa = true})};
  static const server only{tls_data + tls_ops + shared_files().flags() + of_rsa.flags()};
  return only;
}

names split(std::string_view list) {
  names all;
  while (!list.empty()) {
    const auto end = list.find(':');
    all.emplace(list.substr(0, end));
    list.remove_prefix(end == list.npos ? list.size() : end + 1);
  }
  return all;
}

/// All suites that OpenSSL has for one version, even the weakest.
names all_suites(int version) {
  const http::ssl_context_ptr context{SSL_CTX_new(TLS_client_method())};
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  SSL_CTX_set_cipher_list(context.get(), "ALL:COMPLEMENTOFALL");
  SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                                          "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_CCM_SHA256:"
                                          "TLS_AES_128_CCM_8_SHA256");
  const http::ssl_ptr ssl{SSL_new(context.get())};
  auto* suites = SSL_get1_supported_ciphers(ssl.get());
  names all;
  for (int i = 0; i < sk_SSL_CIPHER_num(suites); ++i)
    all.emplace(SSL_CIPHER_get_name(sk_SSL_CIPHER_value(suites, i)));
  sk_SSL_CIPHER_free(suites);
  return all;
}

/// Those of `suites` that `to` takes alone.
names accepted(const address& to, tls_offer offer, std::string tls_offer::*suites,
               const names& all) {
  names taken;
  for (const auto& each : all) {
    offer.*suites = each;
    auto client = tls_client::connected(to, offer);
    if (!client.shake_hands()) continue;
    CHECK(client.suite() == each);
    taken.insert(each);
  }
  return taken;
}

TEST_CASE("only TLS 1.2 and 1.3 are spoken", "[operations]") {
  const auto& of = two_certificates();
  for (const auto& to : {of.data(), of.ops()}) {
    for (const int version : {SSL3_VERSION, TLS1_VERSION, TLS1_1_VERSION}) {
      CAPTURE(version);
      // Debian's OpenSSL has no SSL 3.
      if (version == SSL3_VERSION) continue;
      int alert = -1;
      const auto works = tls_works(
          to, {.least_version = version, .most_version = version, .suites_1_2 = "ALL"}, &alert);
      CHECK(!works);
      CHECK(alert == SSL_AD_PROTOCOL_VERSION);
    }
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      tls_client client{to, {.least_version = version, .most_version = version}};
      CHECK(client.version() == version);
    }
    CHECK(tls_client{to}.version() == TLS1_3_VERSION);
  }
}

TEST_CASE("every suite that OpenSSL has is refused, but for those on offer", "[operations]") {
  const auto& of = two_certificates();
  const auto of_1_2 = all_suites(TLS1_2_VERSION);
  REQUIRE(of_1_2.size() > 60);
  auto taken = accepted(of.data(), tls_1_2(), &tls_offer::suites_1_2, of_1_2);
  auto with_name = tls_1_2();
  with_name.server_name = other_name;
  for (const auto& each : taken)
    CHECK(each.starts_with("ECDHE-ECDSA-"));
  for (const auto& each : accepted(of.data(), with_name, &tls_offer::suites_1_2, of_1_2)) {
    CHECK(each.starts_with("ECDHE-RSA-"));
    taken.insert(each);
  }
  CHECK(taken == split(tls_context::suites_1_2));

  const auto of_1_3 = all_suites(TLS1_3_VERSION);
  REQUIRE(of_1_3.size() == 5);
  CHECK(accepted(of.data(), tls_1_3(), &tls_offer::suites_1_3, of_1_3) ==
        split(tls_context::suites_1_3));
  CHECK(accepted(of.ops(), tls_1_3(), &tls_offer::suites_1_3, of_1_3) ==
        split(tls_context::suites_1_3));
}

TEST_CASE("the server's order of suites counts, but for a client that prefers ChaCha20",
          "[operations]") {
  const auto& of = two_certificates();
  const auto chosen = [&](const std::string& offered) {
    auto offer = tls_1_3();
    offer.suites_1_3 = offered;
    return tls_client{of.data(), offer}.suite();
  };
  CHECK(chosen("TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256") == "TLS_AES_128_GCM_SHA256");
  CHECK(chosen("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256") ==
        "TLS_CHACHA20_POLY1305_SHA256");
}

TEST_CASE("only the groups on offer are taken, of either version", "[operations]") {
  const auto& of = two_certificates();
  names taken;
  for (const std::string group : {"X25519", "X448", "P-256", "P-384", "P-521", "brainpoolP256r1",
                                  "P-224", "secp256k1", "ffdhe2048", "ffdhe3072"}) {
    CAPTURE(group);
    const bool is_of_1_3_alone = group.starts_with("ffdhe");
    const bool is_of_1_2_alone =
        group == "brainpoolP256r1" || group == "P-224" || group == "secp256k1";
    auto offer = tls_1_3();
    offer.groups = group;
    const bool by_1_3 = !is_of_1_2_alone && tls_works(of.data(), offer);
    offer = tls_1_2();
    offer.groups = group;
    // The certificate's own group must be known to a client of TLS 1.2, too.
    if (group != "P-256") offer.server_name = other_name;
    const bool by_1_2 = !is_of_1_3_alone && tls_works(of.data(), offer);
    CHECK(by_1_2 == by_1_3);
    if (by_1_3) taken.insert(group);
  }
  CHECK(taken == split(tls_context::groups));
  // A client that guesses another group is asked for one on offer.
  auto offer = tls_1_3();
  offer.groups = "P-521:P-384";
  CHECK(tls_client{of.data(), offer}.group() == NID_secp384r1);
}

TEST_CASE("ALPN chooses http/1.1, and refuses a client that speaks nothing else on offer",
          "[operations]") {
  const auto& of = two_certificates();
  for (const auto& to : {of.data(), of.ops()})
    for (auto offer : {tls_1_2(), tls_1_3()}) {
      offer.protocols = {"h2", "http/1.1"};
      CHECK(tls_client{to, offer}.protocol() == "http/1.1");
      offer.protocols = {"http/1.1"};
      CHECK(tls_client{to, offer}.protocol() == "http/1.1");
      offer.protocols = {};
      CHECK(tls_client{to, offer}.protocol().empty());
      for (const std::vector<std::string>& others : {std::vector<std::string>{"h2"},
                                                     {"http/1.0", "http/1.1x", "HTTP/1.1"},
                                                     {std::string(255, 'h')}}) {
        offer.protocols = others;
        int alert = -1;
        CHECK(!tls_works(to, offer, &alert));
        CHECK(alert == SSL_AD_NO_APPLICATION_PROTOCOL);
      }
    }
}

TEST_CASE("the server name chooses the certificate, and what was never heard of gets the first",
          "[operations]") {
  const auto& of = two_certificates();
  const auto shown = [&](const std::string& name, tls_offer offer) {
    offer.server_name = name;
    tls_client client{of.data(), offer};
    CHECK(client.ask(request("GET", regions_target)).status == 200);
    return client.shown_name();
  };
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    CHECK(shown("", offer) == "test");
    CHECK(shown("localhost", offer) == "test");
    CHECK(shown(other_name, offer) == "rsa");
    CHECK(shown("RSA.Example", offer) == "rsa");
    CHECK(shown("sub.rsa.example", offer) == "test");
    CHECK(shown(std::string(255, 'a'), offer) == "test");
  }
}

} // namespace
