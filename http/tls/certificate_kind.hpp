#pragma once

#include "base/crypto/openssl_objects.hpp"
#include "base/expected.hpp"

#include <openssl/ssl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The kinds of keys that the certificate of a server may have. Curves other than these have no
/// signature scheme in TLS 1.3 (RFC 8446 section 4.2.3) or none that clients implement.
enum class certificate_kind : std::uint8_t { rsa, rsa_pss, p256, p384, p521, ed25519, ed448 };

/// The least size of an RSA key (NIST SP 800-57 part 1, 112 bits of security). Browsers refuse
/// smaller ones.
inline constexpr int least_rsa_bits = 2'048;

/// The kind of a certificate's key. Fails with `config_invalid` if no client would accept it;
/// the detail says what was found, what is allowed and what to do, and names no file.
base::expected<certificate_kind> certificate_kind_of(X509* certificate);

/// Whether browsers accept certificates of this kind.
bool is_common(certificate_kind kind) noexcept;
/// `Ed25519`, `RSA-PSS` and the like, for people.
const char* name_of(certificate_kind kind) noexcept;

/// The names that a certificate is for, sorted, for comparison with those of others: DNS names in
/// lower case, wildcards unchanged, and addresses. Without any, the subject's common name.
std::vector<std::string> certificate_names(X509* certificate);
/// Whether `names` has all of `others`.
bool includes_names(const std::vector<std::string>& names, const std::vector<std::string>& others);

/// The certificates that a client can check, according to its hello. Valid as long as the hello:
/// within OpenSSL's callback for it.
class certificate_offer {
public:
  explicit certificate_offer(SSL* connection);

  /// Whether a certificate of this kind leads to a handshake: the client knows a signature scheme
  /// for its key and, in TLS 1.2, its curve and one of the suites on offer. Does not check chains.
  bool accepts(certificate_kind kind) const;

private:
  /// Numbers of 16 bits, as they are on the wire.
  struct numbers {
    const unsigned char* bytes = nullptr;
    std::size_t count = 0;

    bool has(std::uint16_t number) const noexcept;
    bool empty() const noexcept { return count == 0; }
  };

  static numbers list_of(SSL* connection, unsigned int extension, std::size_t head_bytes);
  bool has_scheme(certificate_kind kind) const;
  bool has_suite(certificate_kind kind) const;

  SSL* connection_;
  numbers schemes_;
  numbers groups_;
  numbers suites_;
  bool is_tls_1_3_;
};

} // namespace matchcloud::http
