#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A name or address by which a server is reached, for its certificate.
struct certificate_host {
  bool is_address = false;
  /// A host name in lower case without a final dot, or an address without brackets.
  std::string text;

  friend bool operator==(const certificate_host&, const certificate_host&) = default;
};

/// Reads a host name or an address, an IPv6 address with or without brackets. Fails with
/// `config_invalid` for anything else, also for a name with a `*`.
base::expected<certificate_host> parse_certificate_host(std::string_view text);

/// The time from `begin` to `end`, both included, in seconds since 1970 (RFC 5280 section 4.1.2.5).
struct certificate_validity {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A certificate with its private key.
struct certificate_pair {
  /// X.509 in PEM.
  std::string certificate_pem;
  /// PKCS #8 in PEM, not encrypted: a secret.
  std::string key_pem;
  /// The SHA-256 of the certificate in DER, `AB:CD:..`, as `openssl x509 -fingerprint -sha256` and
  /// browsers show it.
  std::string fingerprint;
};

/// Makes an ECDSA P-256 key and a self-signed certificate for `hosts` (at least one). The
/// certificate is its own authority (CA:TRUE, pathlen 0), so that clients can be told to trust it
/// and it can issue client certificates. Fails with `io_failed` if OpenSSL fails. Takes less than a
/// millisecond. Any thread.
base::expected<certificate_pair> make_self_signed(const std::vector<certificate_host>& hosts,
                                                  const certificate_validity& validity);

/// Makes an ECDSA P-256 key and a client's certificate for CN=`name` (1 to
/// `client_name_limit_bytes` of UTF-8), signed by the key of `issuer`; the issuer's fingerprint is
/// ignored. Fails with `io_failed` if OpenSSL fails, if the issuer's certificate and key are not
/// PEM or do not belong together, or if the certificate is not an authority's.
base::expected<certificate_pair> make_client_certificate(const std::string& name,
                                                         const certificate_validity& validity,
                                                         const certificate_pair& issuer);

/// RFC 5280's upper bound of a common name.
inline constexpr std::size_t client_name_limit_bytes = 64;

} // namespace matchcloud::app
