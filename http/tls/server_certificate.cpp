#include "http/tls/server_certificate.hpp"

#include "base/characters.hpp"

#include <openssl/core_names.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using names_ptr = std::unique_ptr<GENERAL_NAMES, base::openssl_free<GENERAL_NAMES_free>>;

tl::unexpected<base::error> unaccepted(const std::string& file, const std::string& found) {
  return base::fail(base::errc::config_invalid,
                    file + ": the certificate's key is " + found +
                        ", which no client accepts. Allowed: ECDSA with P-256, P-384 or P-521, RSA "
                        "of at least " +
                        std::to_string(least_rsa_bits) +
                        " bits, Ed25519. Get a certificate from the authority for a key of P-256 "
                        "(`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`)");
}

/// The name of a key's curve; empty if its own parameters describe the curve.
std::string curve_of(const EVP_PKEY* key) {
  std::array<char, 64> text{};
  const auto read = [&](const char* what) {
    const bool is_there =
        EVP_PKEY_get_utf8_string_param(key, what, text.data(), text.size(), nullptr) == 1;
    return std::string{is_there ? text.data() : ""};
  };
  if (read(OSSL_PKEY_PARAM_EC_ENCODING) == OSSL_PKEY_EC_ENCODING_EXPLICIT) return {};
  return read(OSSL_PKEY_PARAM_GROUP_NAME);
}

base::expected<void> check_key(X509* certificate, const std::string& file) {
  const auto* key = X509_get0_pubkey(certificate);
  if (key == nullptr) return unaccepted(file, "of a kind that OpenSSL does not know");
  switch (EVP_PKEY_get_base_id(key)) {
  case EVP_PKEY_ED25519:
  case EVP_PKEY_ED448: return {};
  case EVP_PKEY_EC: {
    const auto curve = curve_of(key);
    if (curve.empty()) return unaccepted(file, "on a curve that its own parameters describe");
    if (curve == SN_X9_62_prime256v1 || curve == SN_secp384r1 || curve == SN_secp521r1) return {};
    return unaccepted(file, "on the curve " + curve);
  }
  case EVP_PKEY_RSA:
  case EVP_PKEY_RSA_PSS: {
    const auto bits = EVP_PKEY_get_bits(key);
    if (bits >= least_rsa_bits) return {};
    return unaccepted(file, "RSA with " + std::to_string(bits) + " bits");
  }
  default: {
    const auto* name = EVP_PKEY_get0_type_name(key);
    return unaccepted(file, "of the kind " + std::string{name == nullptr ? "unknown" : name});
  }
  }
}

std::string lower(std::string_view text) {
  std::string made{text};
  std::ranges::transform(made, made.begin(), base::to_lower);
  return made;
}

std::string text_of(const ASN1_STRING* of) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(of)),
          static_cast<std::size_t>(ASN1_STRING_length(of))};
}

std::vector<std::string> names_of(X509* certificate) {
  std::vector<std::string> names;
  const names_ptr found{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  for (int at = 0; found && at < sk_GENERAL_NAME_num(found.get()); ++at) {
    int type = 0;
    const auto* name = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(found.get(), at), &type);
    const auto* text = static_cast<const ASN1_STRING*>(name);
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

} // namespace

void server_certificate::free_chain::operator()(STACK_OF(X509) * chain) const noexcept {
  sk_X509_pop_free(chain, X509_free);
}

bool server_certificate::has_names_of(const server_certificate& other) const {
  return std::ranges::includes(names, other.names);
}

tl::unexpected<base::error> invalid_tls_file(const std::string& file, const std::string& what) {
  const auto reason = base::take_openssl_reason();
  return base::fail(base::errc::config_invalid,
                    file + ": " + what + (reason.empty() ? "" : " (" + reason + ")"));
}

base::expected<server_certificate> read_server_certificate(const tls_material::pair& pair) {
  const auto& [certificate, key] = pair.files;
  const auto from = base::reader_of(pair.certificate);
  server_certificate made;
  made.leaf = base::read_certificate(from.get());
  if (!made.leaf) return invalid_tls_file(certificate, "no certificate in PEM form");
  if (auto checked = check_key(made.leaf.get(), certificate); !checked)
    return tl::unexpected(std::move(checked).error());
  made.names = names_of(made.leaf.get());
  made.chain.reset(sk_X509_new_null());
  while (auto next = base::read_certificate(from.get()))
    sk_X509_push(made.chain.get(), next.release());
  if (!base::is_at_end_of_pem())
    return invalid_tls_file(certificate, "the chain after the certificate is damaged");
  made.key = base::read_private_key(pair.key);
  if (!made.key) return invalid_tls_file(key, "no private key in PEM form without a passphrase");
  if (X509_check_private_key(made.leaf.get(), made.key.get()) != 1)
    return invalid_tls_file(key, "this key does not belong to " + certificate);
  return made;
}

} // namespace matchcloud::http
