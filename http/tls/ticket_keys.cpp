#include "http/tls/ticket_keys.hpp"

#include "base/check.hpp"
#include "base/crypto/openssl_objects.hpp"
#include "base/crypto/sha256.hpp"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace matchcloud::http {

namespace {

using kdf_ptr = std::unique_ptr<EVP_KDF, base::openssl_free<EVP_KDF_free>>;
using kdf_context_ptr = std::unique_ptr<EVP_KDF_CTX, base::openssl_free<EVP_KDF_CTX_free>>;

constexpr std::string_view label = "matchcloud tls ticket 1";

ticket_key derive(const ticket_root& root, const session_identity& identity) {
  const kdf_ptr hkdf{EVP_KDF_fetch(nullptr, "HKDF", nullptr)};
  const kdf_context_ptr context{EVP_KDF_CTX_new(hkdf.get())};
  std::string info{label};
  info.append(identity.begin(), identity.end());
  std::string digest = "SHA256";
  auto secret = root;
  const std::array parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  ticket_key made;
  std::array<std::uint8_t, sizeof(ticket_key)> bytes{};
  base::check(EVP_KDF_derive(context.get(), bytes.data(), bytes.size(), parameters.data()) == 1,
              "HKDF derives keys");
  const auto* from = bytes.data();
  const auto take = [&from](auto& into) {
    std::copy_n(from, into.size(), into.begin());
    from += into.size();
  };
  take(made.name);
  take(made.encryption);
  take(made.authentication);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  OPENSSL_cleanse(secret.data(), secret.size());
  return made;
}

} // namespace

session_identity identify_session(std::string_view plane, std::span<const std::uint8_t> certificate,
                                  std::string_view client_ca) {
  // Digests, so that the parts cannot be split in two ways.
  std::string parts;
  const auto add = [&parts](std::string_view text) {
    const auto digest = base::sha256(text);
    parts.append(digest.begin(), digest.end());
  };
  add(plane);
  add({reinterpret_cast<const char*>(certificate.data()), certificate.size()});
  add(client_ca);
  return base::sha256(parts);
}

std::vector<ticket_key> derive_ticket_keys(std::span<const ticket_root> roots,
                                           const session_identity& identity) {
  std::vector<ticket_key> keys;
  keys.reserve(roots.size());
  for (const auto& root : roots)
    keys.push_back(derive(root, identity));
  return keys;
}

} // namespace matchcloud::http
