#pragma once

#include "base/crypto/openssl_objects.hpp"

#include <string>
#include <string_view>

namespace matchcloud::store {

/// MD5 of bytes that arrive in pieces. S3 uses it for entity tags and to check bodies; it protects
/// nothing against forgery. One thread at a time. Throws std::runtime_error if OpenSSL does not
/// have it.
class md5_stream {
public:
  md5_stream();

  void append(std::string_view bytes);
  /// Returns the digest of what was appended, as raw bytes, and starts over.
  std::string finish();

private:
  using context_ptr = std::unique_ptr<EVP_MD_CTX, base::openssl_free<EVP_MD_CTX_free>>;

  void begin();

  context_ptr context_;
};

/// The MD5 of `bytes`, as raw bytes.
std::string md5_of(std::string_view bytes);

/// Raw bytes in lower-case hexadecimal digits, and in base64 (RFC 4648 section 4).
std::string to_hexadecimal(std::string_view bytes);
std::string to_base64(std::string_view bytes);

} // namespace matchcloud::store
