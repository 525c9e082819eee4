#pragma once

#include "base/crypto/openssl_objects.hpp"
#include "base/expected.hpp"
#include "http/tls/tls_material.hpp"

#include <memory>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The least size of an RSA key (NIST SP 800-57 part 1, 112 bits of security). Browsers refuse
/// smaller ones.
inline constexpr int least_rsa_bits = 2'048;

/// A certificate of a server with its chain and its key.
struct server_certificate {
  struct free_chain {
    void operator()(STACK_OF(X509) * chain) const noexcept;
  };

  base::certificate_ptr leaf;
  std::unique_ptr<STACK_OF(X509), free_chain> chain;
  /// RSA, ECDSA with P-256, P-384 or P-521, Ed25519 or Ed448. Other curves have no signature scheme
  /// in TLS 1.3 (RFC 8446 section 4.2.3) or none that clients implement.
  base::key_ptr key;
  /// Sorted: DNS names in lower case, wildcards unchanged, and addresses. Without any, the
  /// subject's common name.
  std::vector<std::string> names;

  /// Whether it is for all names of `other`.
  bool has_names_of(const server_certificate& other) const;
};

/// Reads the PEM texts of a pair. Fails with `config_invalid`, naming the file, if a text is
/// damaged, the key belongs to another certificate, or no client would accept its kind.
base::expected<server_certificate> read_server_certificate(const tls_material::pair& pair);

/// The error `config_invalid` for a file that OpenSSL refuses, with its reason.
tl::unexpected<base::error> invalid_tls_file(const std::string& file, const std::string& what);

} // namespace matchcloud::http
