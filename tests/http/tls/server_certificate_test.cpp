#include "http/tls/server_certificate.hpp"

#include "tests/http/tls/tls_fixture.hpp"

namespace matchcloud::http {
namespace {

using fixtures::make_tls_pair;

TEST_CASE("keys that clients accept are read") {
  for (const std::string key : {"P-256", "P-384", "P-521", "ED25519", "ED448"})
    CHECK(read_server_certificate(make_tls_pair({.key = key})));
  CHECK(read_server_certificate(make_tls_pair({.is_rsa = true})));
}

TEST_CASE("keys that no client accepts are refused, and the sentence says what to do") {
  for (const std::string key : {"secp256k1", "brainpoolP256r1", "secp224r1", "RSA:1024"}) {
    const auto pair = make_tls_pair({.key = key});
    const auto kind = read_server_certificate(pair);
    REQUIRE_FALSE(kind);
    INFO(kind.error().detail);
    CHECK(kind.error().code == base::errc::config_invalid);
    CHECK(kind.error().detail.find(key == "RSA:1024" ? "RSA with 1024 bits" : key) !=
          std::string::npos);
    CHECK(kind.error().detail.find("no client accepts") != std::string::npos);
    CHECK(kind.error().detail.find("P-256") != std::string::npos);
    const auto context = tls_context::for_server(material_of({pair}), tls_purpose::data);
    REQUIRE_FALSE(context);
    CHECK(context.error().detail == kind.error().detail);
    CHECK(context.error().detail.starts_with("cert.pem: "));
  }
}

TEST_CASE("a curve that is given by its parameters is refused, also one with a name") {
  const auto kind = read_server_certificate(make_tls_pair({.key = "P-256:explicit"}));
  REQUIRE_FALSE(kind);
  CHECK(kind.error().detail.find("that its own parameters describe") != std::string::npos);
}

} // namespace
} // namespace matchcloud::http
