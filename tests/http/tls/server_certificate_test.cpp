#include "http/tls/server_certificate.hpp"

#include "base/clock.hpp"
#include "http/tls/tls_files.hpp"
#include "tests/http/tls/tls_fixture.hpp"

namespace matchcloud::http {
namespace {

using fixtures::make_tls_pair;

TEST_CASE("keys that clients accept are told by their kind") {
  const auto kind_of = [](const tls_material::pair& pair) {
    return read_server_certificate(pair).value().kind;
  };
  CHECK(kind_of(make_tls_pair({.key = "P-256"})) == "P-256");
  CHECK(kind_of(make_tls_pair({.key = "P-384"})) == "P-384");
  CHECK(kind_of(make_tls_pair({.key = "P-521"})) == "P-521");
  CHECK(kind_of(make_tls_pair({.is_rsa = true})) == "RSA");
  CHECK(kind_of(make_tls_pair({.key = "ED25519"})) == "Ed25519");
  CHECK(kind_of(make_tls_pair({.key = "ED448"})) == "Ed448");
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

TEST_CASE("a certificate that not all browsers accept is warned of, unless another is there") {
  const auto rare = make_tls_pair({.names = {"a.example", "b.example"}, .key = "ED25519"});
  const auto less = make_tls_pair({.names = {"a.example"}});
  const auto all = make_tls_pair({.names = {"B.example", "a.example", "c.example"}});
  const auto now_ts = base::machine_clock().unix_ms();
  const auto warnings = [&](std::vector<tls_material::pair> pairs) {
    return warnings_of(material_of(std::move(pairs)), now_ts).size();
  };
  // All of them end within a day, and that is a line for each.
  CHECK(warnings({less}) == 1);
  CHECK(warnings({rare}) == 2);
  CHECK(warnings({rare, less}) == 3);
  CHECK(warnings({rare, all}) == 2);
  CHECK(warnings({make_tls_pair({.key = "P-521"})}) == 2);
}

} // namespace
} // namespace matchcloud::http
