#include "http/tls/certificate_kind.hpp"

#include "base/characters.hpp"

#include <openssl/core_names.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using names_ptr = std::unique_ptr<GENERAL_NAMES, base::openssl_free<GENERAL_NAMES_free>>;

constexpr std::uint16_t tls_1_3 = 0x0304;

/// A kind in TLS (IANA's registries "TLS SignatureScheme" and "TLS Supported Groups").
struct kind_facts {
  certificate_kind kind;
  const char* name;
  /// Of TLS 1.3, and of TLS 1.2, where any hash goes with the key; 0: no further one.
  std::array<std::uint16_t, 3> schemes;
  std::array<std::uint16_t, 3> schemes_1_2;
  /// The key's curve, which clients of TLS 1.2 list; 0: it has none.
  std::uint16_t group;
  /// How suites of TLS 1.2 authenticate it.
  int authentication;
  bool is_common;
};

constexpr std::array<std::uint16_t, 3> ecdsa_schemes{0x0403, 0x0503, 0x0603};
constexpr std::array<std::uint16_t, 3> none{};

constexpr std::array all_kinds{
    kind_facts{certificate_kind::rsa,
               "RSA",
               {0x0804, 0x0805, 0x0806},
               {0x0401, 0x0501, 0x0601},
               0,
               NID_auth_rsa,
               true},
    kind_facts{certificate_kind::rsa_pss,
               "RSA-PSS",
               {0x0809, 0x080a, 0x080b},
               none,
               0,
               NID_auth_rsa,
               false},
    kind_facts{certificate_kind::p256, "P-256", {0x0403}, ecdsa_schemes, 23, NID_auth_ecdsa, true},
    kind_facts{certificate_kind::p384, "P-384", {0x0503}, ecdsa_schemes, 24, NID_auth_ecdsa, true},
    // Firefox and Safari accept it, Chromium does not.
    kind_facts{certificate_kind::p521, "P-521", {0x0603}, ecdsa_schemes, 25, NID_auth_ecdsa, false},
    kind_facts{certificate_kind::ed25519, "Ed25519", {0x0807}, none, 0, NID_auth_ecdsa, false},
    kind_facts{certificate_kind::ed448, "Ed448", {0x0808}, none, 0, NID_auth_ecdsa, false},
};

const kind_facts& facts_of(certificate_kind kind) {
  return *std::ranges::find(all_kinds, kind, &kind_facts::kind);
}

tl::unexpected<base::error> refuse(const std::string& found) {
  return base::fail(base::errc::config_invalid,
                    "the certificate's key is " + found +
                        ", which no client accepts. Allowed: ECDSA with P-256, P-384 or P-521, RSA "
                        "of at least " +
                        std::to_string(least_rsa_bits) +
                        " bits, Ed25519. Get a certificate from the authority for a key of P-256 "
                        "(`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`)");
}

base::expected<certificate_kind> kind_of_curve(const EVP_PKEY* key) {
  std::array<char, 64> text{};
  std::size_t size = 0;
  // There is no name if the curve is given by its parameters.
  const bool is_explicit = EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_EC_ENCODING,
                                                          text.data(), text.size(), nullptr) == 1 &&
                           std::string_view{text.data()} == OSSL_PKEY_EC_ENCODING_EXPLICIT;
  const bool is_named =
      !is_explicit && EVP_PKEY_get_group_name(key, text.data(), text.size(), &size) == 1;
  const std::string name{text.data(), is_named ? size : 0};
  switch (OBJ_sn2nid(name.c_str())) {
  case NID_X9_62_prime256v1: return certificate_kind::p256;
  case NID_secp384r1: return certificate_kind::p384;
  case NID_secp521r1: return certificate_kind::p521;
  default:
    return refuse(name.empty() ? "on a curve that its own parameters describe"
                               : "on the curve " + name);
  }
}

std::string lower(std::string_view text) {
  std::string made{text};
  for (char& c : made)
    c = base::to_lower(c);
  return made;
}

std::string text_of(const ASN1_STRING* of) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(of)),
          static_cast<std::size_t>(ASN1_STRING_length(of))};
}

} // namespace

base::expected<certificate_kind> certificate_kind_of(X509* certificate) {
  const auto* key = X509_get0_pubkey(certificate);
  if (key == nullptr) return refuse("of a kind that OpenSSL does not know");
  switch (EVP_PKEY_get_base_id(key)) {
  case EVP_PKEY_RSA:
  case EVP_PKEY_RSA_PSS:
    if (EVP_PKEY_get_bits(key) < least_rsa_bits)
      return refuse("RSA with " + std::to_string(EVP_PKEY_get_bits(key)) + " bits");
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA ? certificate_kind::rsa
                                                     : certificate_kind::rsa_pss;
  case EVP_PKEY_EC: return kind_of_curve(key);
  case EVP_PKEY_ED25519: return certificate_kind::ed25519;
  case EVP_PKEY_ED448: return certificate_kind::ed448;
  default: {
    const auto* name = EVP_PKEY_get0_type_name(key);
    return refuse("of the kind " + std::string{name == nullptr ? "unknown" : name});
  }
  }
}

bool is_common(certificate_kind kind) noexcept {
  return facts_of(kind).is_common;
}

const char* name_of(certificate_kind kind) noexcept {
  return facts_of(kind).name;
}

std::vector<std::string> certificate_names(X509* certificate) {
  std::vector<std::string> names;
  const names_ptr found{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  for (int at = 0; found && at < sk_GENERAL_NAME_num(found.get()); ++at) {
    int type = 0;
    const auto* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(found.get(), at), &type);
    const auto* text = static_cast<const ASN1_STRING*>(value);
    if (type == GEN_DNS) names.push_back("DNS:" + lower(text_of(text)));
    if (type == GEN_IPADD) names.push_back("IP:" + text_of(text));
  }
  if (names.empty()) {
    std::array<char, 256> text{};
    const auto size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                                text.data(), static_cast<int>(text.size()));
    if (size > 0) names.push_back("DNS:" + lower({text.data(), static_cast<std::size_t>(size)}));
  }
  std::ranges::sort(names);
  return names;
}

bool includes_names(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  return std::ranges::includes(names, others);
}

bool certificate_offer::numbers::has(std::uint16_t number) const noexcept {
  for (std::size_t at = 0; at < count; ++at)
    if ((bytes[2 * at] << 8U | bytes[2 * at + 1]) == number) return true;
  return false;
}

certificate_offer::certificate_offer(SSL* connection)
    : connection_{connection},
      schemes_{list_of(connection, TLSEXT_TYPE_signature_algorithms, 2)},
      groups_{list_of(connection, TLSEXT_TYPE_supported_groups, 2)},
      is_tls_1_3_{list_of(connection, TLSEXT_TYPE_supported_versions, 1).has(tls_1_3)} {
  suites_.count = SSL_client_hello_get0_ciphers(connection, &suites_.bytes) / 2;
}

certificate_offer::numbers certificate_offer::list_of(SSL* connection, unsigned int extension,
                                                      std::size_t head_bytes) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(connection, extension, &bytes, &size) != 1 || size <= head_bytes)
    return {};
  // OpenSSL checks the length at the front after the callback.
  return {bytes + head_bytes, (size - head_bytes) / 2};
}

bool certificate_offer::has_scheme(certificate_kind kind) const {
  const auto& facts = facts_of(kind);
  const auto is_known = [this](std::uint16_t scheme) {
    return scheme != 0 && schemes_.has(scheme);
  };
  // Without the extension SHA-1 would be meant (RFC 5246 section 7.4.1.4.1), for RSA and ECDSA.
  if (schemes_.empty()) return facts.schemes_1_2 != none;
  return std::ranges::any_of(facts.schemes, is_known) ||
         (!is_tls_1_3_ && std::ranges::any_of(facts.schemes_1_2, is_known));
}

bool certificate_offer::has_suite(certificate_kind kind) const {
  const auto* on_offer = SSL_get_ciphers(connection_);
  for (int at = 0; at < sk_SSL_CIPHER_num(on_offer); ++at) {
    const auto* suite = sk_SSL_CIPHER_value(on_offer, at);
    if (SSL_CIPHER_get_auth_nid(suite) == facts_of(kind).authentication &&
        suites_.has(SSL_CIPHER_get_protocol_id(suite)))
      return true;
  }
  return false;
}

bool certificate_offer::accepts(certificate_kind kind) const {
  if (!has_scheme(kind)) return false;
  if (is_tls_1_3_) return true;
  const auto group = facts_of(kind).group;
  return has_suite(kind) && (group == 0 || groups_.empty() || groups_.has(group));
}

} // namespace matchcloud::http
