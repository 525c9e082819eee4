#include "tests/http/tls/tls_pair.hpp"

#include "base/check.hpp"
#include "http/tls/tls_context.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <string_view>

namespace matchcloud::fixtures {

namespace {

template <class Write>
std::string pem_of(Write write) {
  const base::bio_ptr text{BIO_new(BIO_s_mem())};
  base::check(write(text.get()) == 1, "PEM is written");
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

void add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  auto* made = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  base::check(made != nullptr, "an extension is made");
  X509_add_ext(to, made, -1);
  X509_EXTENSION_free(made);
}

EVP_PKEY* new_key(const tls_pair_of& what) {
  if (what.is_rsa) return EVP_RSA_gen(2'048);
  if (what.key.empty()) return EVP_EC_gen("P-256");
  constexpr std::string_view rsa = "RSA:";
  if (what.key.starts_with(rsa))
    return EVP_RSA_gen(static_cast<unsigned>(std::stoul(what.key.substr(rsa.size()))));
  constexpr std::string_view explicit_end = ":explicit";
  if (what.key.ends_with(explicit_end)) {
    const auto curve = what.key.substr(0, what.key.size() - explicit_end.size());
    auto* made = EVP_EC_gen(curve.c_str());
    base::check(EVP_PKEY_set_utf8_string_param(made, OSSL_PKEY_PARAM_EC_ENCODING,
                                               OSSL_PKEY_EC_ENCODING_EXPLICIT) == 1,
                "the curve is written out");
    return made;
  }
  if (what.key.starts_with("ED")) return EVP_PKEY_Q_keygen(nullptr, nullptr, what.key.c_str());
  return EVP_EC_gen(what.key.c_str());
}

http::tls_material::pair make(const tls_pair_of& what, X509* issuer, EVP_PKEY* signs) {
  const base::key_ptr key{new_key(what)};
  base::check(key != nullptr, "a key is made");
  const base::certificate_ptr made{X509_new()};
  X509_set_version(made.get(), X509_VERSION_3);
  std::int64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial - 1);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(made.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), what.from_s);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), what.to_s);
  auto* name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(what.subject.c_str()), -1, -1,
                             0);
  if (issuer == nullptr) issuer = made.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  X509_set_pubkey(made.get(), key.get());
  std::string names;
  for (const auto& each : what.names)
    names += (names.empty() ? "" : ",") + std::string{each.starts_with("IP:") ? "" : "DNS:"} + each;
  if (!names.empty()) add_extension(made.get(), issuer, NID_subject_alt_name, names);
  add_extension(made.get(), issuer, NID_basic_constraints,
                what.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  auto* by = signs == nullptr ? key.get() : signs;
  // Ed25519 and the like have a digest of their own.
  const bool has_digest = EVP_PKEY_is_a(by, "RSA") == 1 || EVP_PKEY_is_a(by, "EC") == 1;
  base::check(X509_sign(made.get(), by, has_digest ? EVP_sha256() : nullptr) != 0, "it is signed");
  return {{"cert.pem", "key.pem"},
          pem_of([&](BIO* to) { return PEM_write_bio_X509(to, made.get()); }),
          pem_of([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

} // namespace

http::tls_material::pair make_tls_pair(const tls_pair_of& what) {
  return make(what, nullptr, nullptr);
}

http::tls_material::pair make_tls_pair(const tls_pair_of& what,
                                       const http::tls_material::pair& by) {
  const auto issuer = base::read_certificate(base::reader_of(by.certificate).get());
  const auto key = base::read_private_key(by.key);
  return make(what, issuer.get(), key.get());
}

} // namespace matchcloud::fixtures
