#pragma once

#include "http/tls/tls_material.hpp"

#include <string>
#include <vector>

namespace matchcloud::fixtures {

/// What a certificate of a test says.
struct tls_pair_of {
  /// Host names, and addresses as `IP:127.0.0.1`.
  std::vector<std::string> names{"localhost", "IP:127.0.0.1"};
  std::string subject = "test";
  /// From when and until when it is valid, in seconds from now.
  long from_s = -3'600;
  long to_s = 86'400;
  /// Whether it may sign others.
  bool is_authority = true;
  /// Whether the key is one of RSA (2048 bits), which takes long to make, instead of P-256.
  bool is_rsa = false;
  /// Another key: a curve such as "secp256k1", or "P-256:explicit" by its parameters, an algorithm
  /// such as "ED25519", or "RSA:1024".
  std::string key{};
};

/// A self-signed certificate with a new key.
http::tls_material::pair make_tls_pair(const tls_pair_of& what = {});
/// A certificate that `by` signs.
http::tls_material::pair make_tls_pair(const tls_pair_of& what, const http::tls_material::pair& by);

} // namespace matchcloud::fixtures
