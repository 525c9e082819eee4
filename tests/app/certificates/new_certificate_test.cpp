#include "app/certificates/new_certificate.hpp"

#include "base/crypto/openssl_objects.hpp"
#include "tests/catch.hpp"

#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <set>

namespace matchcloud::app {
namespace {

constexpr certificate_validity in_force{1'000'000'000, 4'000'000'000};

base::certificate_ptr certificate_of(const certificate_pair& pair) {
  return base::read_certificate(base::reader_of(pair.certificate_pem).get());
}

certificate_pair self_signed() {
  auto made =
      make_self_signed({{false, "play.example"}, {true, "192.0.2.1"}, {true, "::1"}}, in_force);
  REQUIRE(made.has_value());
  return *std::move(made);
}

/// OpenSSL's verdict on `pair` for a purpose, as somebody who trusts `authority` alone comes to it.
int verdict(const certificate_pair& pair, const certificate_pair& authority, int purpose) {
  const std::unique_ptr<X509_STORE, base::openssl_free<X509_STORE_free>> trusted{X509_STORE_new()};
  const std::unique_ptr<X509_STORE_CTX, base::openssl_free<X509_STORE_CTX_free>> check{
      X509_STORE_CTX_new()};
  const auto root = certificate_of(authority);
  const auto leaf = certificate_of(pair);
  REQUIRE(X509_STORE_add_cert(trusted.get(), root.get()) == 1);
  REQUIRE(X509_STORE_CTX_init(check.get(), trusted.get(), leaf.get(), nullptr) == 1);
  REQUIRE(X509_STORE_CTX_set_purpose(check.get(), purpose) == 1);
  X509_verify_cert(check.get());
  return X509_STORE_CTX_get_error(check.get());
}

std::int64_t unix_time(const ASN1_TIME* time) {
  tm parts{};
  REQUIRE(ASN1_TIME_to_tm(time, &parts) == 1);
  return ::timegm(&parts);
}

TEST_CASE("a self-signed certificate is for its hosts and no others") {
  const auto made = certificate_of(self_signed());
  REQUIRE(made);
  const auto is_for = [&](const std::string& name) {
    return X509_check_host(made.get(), name.data(), name.size(), 0, nullptr) == 1;
  };
  CHECK(is_for("play.example"));
  CHECK(is_for("PLAY.example"));
  CHECK_FALSE(is_for("example"));
  CHECK_FALSE(is_for("a.play.example"));
  CHECK_FALSE(is_for("192.0.2.1"));
  CHECK(X509_check_ip_asc(made.get(), "192.0.2.1", 0) == 1);
  CHECK(X509_check_ip_asc(made.get(), "::1", 0) == 1);
  CHECK(X509_check_ip_asc(made.get(), "127.0.0.1", 0) == 0);
}

TEST_CASE("a self-signed certificate is an authority of servers and clients for its time alone") {
  const auto pair = self_signed();
  const auto made = certificate_of(pair);
  CHECK(X509_get_version(made.get()) == 2);
  CHECK(X509_check_ca(made.get()) == 1);
  CHECK(X509_get_pathlen(made.get()) == 0);
  CHECK(X509_get_key_usage(made.get()) == (KU_DIGITAL_SIGNATURE | KU_KEY_CERT_SIGN));
  CHECK(X509_get_extended_key_usage(made.get()) == (XKU_SSL_SERVER | XKU_SSL_CLIENT));
  CHECK(unix_time(X509_get0_notBefore(made.get())) == in_force.begin);
  CHECK(unix_time(X509_get0_notAfter(made.get())) == in_force.end);
  CHECK(verdict(pair, pair, X509_PURPOSE_SSL_SERVER) == X509_V_OK);
  const auto expired = make_self_signed({{false, "a"}}, {1'000'000'000, 1'000'000'001});
  REQUIRE(expired.has_value());
  CHECK(verdict(*expired, *expired, X509_PURPOSE_SSL_SERVER) == X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST_CASE("serials of 128 bits and keys are each certificate's own") {
  std::set<std::string> serials;
  std::set<std::string> keys;
  int longest = 0;
  for (int i = 0; i < 20; ++i) {
    const auto pair = self_signed();
    const auto made = certificate_of(pair);
    const auto* serial = X509_get0_serialNumber(made.get());
    const std::unique_ptr<BIGNUM, base::openssl_free<BN_free>> number{
        ASN1_INTEGER_to_BN(serial, nullptr)};
    CHECK_FALSE(BN_is_negative(number.get()));
    longest = std::max(longest, BN_num_bits(number.get()));
    serials.emplace(reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
                    static_cast<std::size_t>(ASN1_STRING_length(serial)));
    keys.insert(pair.key_pem);
  }
  CHECK(longest > 120);
  CHECK(longest <= 128);
  CHECK(serials.size() == 20);
  CHECK(keys.size() == 20);
}

TEST_CASE("a client's certificate is for clients, of its issuer, and no authority") {
  const auto issuer = self_signed();
  const auto client = make_client_certificate("bob", in_force, issuer);
  REQUIRE(client.has_value());
  CHECK(verdict(*client, issuer, X509_PURPOSE_SSL_CLIENT) == X509_V_OK);
  CHECK(verdict(*client, issuer, X509_PURPOSE_SSL_SERVER) != X509_V_OK);
  CHECK(verdict(*client, self_signed(), X509_PURPOSE_SSL_CLIENT) != X509_V_OK);
  const auto made = certificate_of(*client);
  CHECK(X509_check_ca(made.get()) == 0);
  char name[64]{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(made.get()), NID_commonName, name, sizeof name);
  CHECK(std::string{name} == "bob");
}

TEST_CASE("a pair that cannot issue a client's certificate is refused with the reason") {
  const auto issuer = self_signed();
  const auto client = make_client_certificate("bob", in_force, issuer);
  REQUIRE(client.has_value());
  const auto why = [](const certificate_pair& from) {
    const auto made = make_client_certificate("eve", in_force, from);
    REQUIRE_FALSE(made.has_value());
    return made.error().detail;
  };
  CHECK(why({"junk", issuer.key_pem, {}}).find("cannot read the issuer's certificate") !=
        std::string::npos);
  CHECK(why({issuer.certificate_pem, "junk", {}}).find("cannot read the issuer's key") !=
        std::string::npos);
  CHECK(why({issuer.certificate_pem, client->key_pem, {}}).find("with its certificate") !=
        std::string::npos);
  CHECK(why(*client).find("not an authority's") != std::string::npos);
}

TEST_CASE("hosts of a certificate are names and addresses, in one spelling each") {
  const auto read = [](const std::string& text) {
    const auto host = parse_certificate_host(text);
    return host ? (host->is_address ? "IP:" : "DNS:") + host->text : std::string{};
  };
  CHECK(read("Play.Example") == "DNS:play.example");
  CHECK(read("play.example.") == "DNS:play.example");
  CHECK(read("192.0.2.1") == "IP:192.0.2.1");
  CHECK(read("::1") == "IP:::1");
  CHECK(read("[2001:DB8::0]") == "IP:2001:db8::");
  // A resolver takes it for an address, and so may not be sent to a name of that spelling.
  CHECK(read("127.1") == "IP:127.0.0.1");
  for (const std::string wrong : {"", "http://a", "a:80", "a b", "*.example", "a,DNS:b", "-a",
                                  "1.2.3.4.5", "::1%eth0", "a..b", "\n"})
    CHECK(read(wrong).empty());
}

} // namespace
} // namespace matchcloud::app
