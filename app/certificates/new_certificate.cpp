#include "app/certificates/new_certificate.hpp"

#include "base/crypto/openssl_objects.hpp"
#include "base/hexadecimal.hpp"
#include "base/randomness.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_host.hpp"

#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <span>

namespace matchcloud::app {

base::expected<certificate_host> parse_certificate_host(std::string_view text) {
  auto address = model::parse_ip_address(text);
  // This recognizes spellings of addresses that look like names, such as 127.1.
  const auto host = model::parse_url_host(text);
  if (!address && host) address = host->address;
  if (address) return certificate_host{true, to_string(*address)};
  auto name = model::to_lower(host ? host->name : std::string_view{});
  if (model::is_host_name(name)) return certificate_host{false, std::move(name)};
  return base::fail(base::errc::config_invalid,
                    "\"" + std::string{text} +
                        "\" is neither a host name nor an address; use one without scheme and "
                        "port, such as play.example, 192.0.2.1 or ::1");
}

namespace {

using extension_ptr = std::unique_ptr<X509_EXTENSION, base::openssl_free<X509_EXTENSION_free>>;
using number_ptr = std::unique_ptr<BIGNUM, base::openssl_free<BN_free>>;
using serial_bytes = std::array<std::uint8_t, 16>;

constexpr const char* making_it = "making a certificate";
/// `X509_set_version` counts from zero.
constexpr long version_3 = 2;

/// An extension in OpenSSL's notation (x509v3_config(5)).
struct extension {
  int id;
  std::string value;
};

/// The signer of a certificate.
struct signer {
  X509* certificate;
  EVP_PKEY* key;
};

serial_bytes random_serial() {
  serial_bytes serial{};
  base::fill_random(serial);
  return serial;
}

bool set_serial(X509* certificate, const serial_bytes& serial) {
  const number_ptr number{BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr)};
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_name(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                    MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

bool set_validity(X509* certificate, const certificate_validity& validity) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), validity.begin) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), validity.end) != nullptr;
}

bool add(X509* certificate, X509* issuer, const extension& wanted) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const extension_ptr made{
      X509V3_EXT_nconf_nid(nullptr, &context, wanted.id, wanted.value.c_str())};
  return made && X509_add_ext(certificate, made.get(), -1) == 1;
}

/// The certificate of `key`, without extensions and not signed yet; empty where OpenSSL fails.
base::certificate_ptr begin_certificate(EVP_PKEY* key, const serial_bytes& serial,
                                        const std::string& name,
                                        const certificate_validity& validity) {
  base::certificate_ptr made{X509_new()};
  const bool done = made && X509_set_version(made.get(), version_3) == 1 &&
                    set_serial(made.get(), serial) && set_name(made.get(), name) &&
                    set_validity(made.get(), validity) && X509_set_pubkey(made.get(), key) == 1;
  return done ? std::move(made) : nullptr;
}

bool end_certificate(X509* certificate, const signer& by, std::span<const extension> extensions) {
  if (X509_set_issuer_name(certificate, X509_get_subject_name(by.certificate)) != 1) return false;
  for (const auto& each : extensions)
    if (!add(certificate, by.certificate, each)) return false;
  return X509_sign(certificate, by.key, EVP_sha256()) != 0;
}

std::string bytes_of(BIO* written) {
  char* begin = nullptr;
  const auto size = BIO_get_mem_data(written, &begin);
  return {begin, static_cast<std::size_t>(size)};
}

/// Empty where OpenSSL fails.
std::string fingerprint_of(X509* certificate) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  if (X509_digest(certificate, EVP_sha256(), digest.data(), nullptr) != 1) return {};
  std::string text;
  for (const auto byte : digest)
    text += fmt::format("{}{:02X}", text.empty() ? "" : ":", byte);
  return text;
}

base::expected<certificate_pair> render(X509* certificate, EVP_PKEY* key) {
  const base::bio_ptr certificate_pem{BIO_new(BIO_s_mem())};
  // Memory that is cleared when it is freed.
  const base::bio_ptr key_pem{BIO_new(BIO_s_secmem())};
  auto fingerprint = fingerprint_of(certificate);
  if (!certificate_pem || !key_pem || fingerprint.empty() ||
      PEM_write_bio_X509(certificate_pem.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_pem.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return base::openssl_failure(making_it, "write it as PEM");
  return certificate_pair{bytes_of(certificate_pem.get()), bytes_of(key_pem.get()),
                          std::move(fingerprint)};
}

std::string alternative_names(const std::vector<certificate_host>& hosts) {
  std::string text;
  for (const auto& each : hosts) {
    if (!text.empty()) text += ',';
    text += (each.is_address ? "IP:" : "DNS:") + each.text;
  }
  return text;
}

/// Different pairs have different names, so that a client that trusts both finds the right one.
std::string self_signed_name(const serial_bytes& serial) {
  std::string name = "matchcloud self-signed ";
  base::append_hexadecimal(name, std::span{serial}.first<4>());
  return name;
}

} // namespace

base::expected<certificate_pair> make_self_signed(const std::vector<certificate_host>& hosts,
                                                  const certificate_validity& validity) {
  const base::key_ptr key{EVP_EC_gen("P-256")};
  if (!key) return base::openssl_failure(making_it, "make a key");
  const auto serial = random_serial();
  const auto made = begin_certificate(key.get(), serial, self_signed_name(serial), validity);
  // An authority's extended key usages also apply to what it issues, hence clientAuth.
  const std::array extensions{
      extension{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
      extension{NID_key_usage, "critical,digitalSignature,keyCertSign"},
      extension{NID_ext_key_usage, "serverAuth,clientAuth"},
      extension{NID_subject_key_identifier, "hash"},
      extension{NID_subject_alt_name, alternative_names(hosts)},
  };
  if (!made || !end_certificate(made.get(), {made.get(), key.get()}, extensions))
    return base::openssl_failure(making_it, "sign it");
  return render(made.get(), key.get());
}

base::expected<certificate_pair> make_client_certificate(const std::string& name,
                                                         const certificate_validity& validity,
                                                         const certificate_pair& issuer) {
  const auto authority = base::read_certificate(base::reader_of(issuer.certificate_pem).get());
  if (!authority) return base::openssl_failure(making_it, "read the issuer's certificate");
  const auto authority_key = base::read_private_key(issuer.key_pem);
  if (!authority_key) return base::openssl_failure(making_it, "read the issuer's key");
  if (X509_check_private_key(authority.get(), authority_key.get()) != 1)
    return base::openssl_failure(making_it, "use the issuer's key with its certificate");
  if (X509_check_ca(authority.get()) != 1)
    return base::fail(
        base::errc::io_failed,
        std::string{making_it} +
            ": the issuer's certificate is not an authority's (CA:TRUE), so it cannot sign others");

  const base::key_ptr key{EVP_EC_gen("P-256")};
  if (!key) return base::openssl_failure(making_it, "make a key");
  const auto made = begin_certificate(key.get(), random_serial(), name, validity);
  const std::array extensions{
      extension{NID_basic_constraints, "critical,CA:FALSE"},
      extension{NID_key_usage, "critical,digitalSignature"},
      extension{NID_ext_key_usage, "clientAuth"},
      extension{NID_subject_key_identifier, "hash"},
      extension{NID_authority_key_identifier, "keyid"},
  };
  if (!made || !end_certificate(made.get(), {authority.get(), authority_key.get()}, extensions))
    return base::openssl_failure(making_it, "sign it");
  return render(made.get(), key.get());
}

} // namespace matchcloud::app
