#pragma once

#include "base/openssl_objects.hpp"

#include <string>
#include <string_view>

namespace matchcloud::store {

enum class digest_kind : unsigned char {
  sha256,
  /// For what S3 makes entity tags of and compares bodies with; never against forgery.
  md5,
};

/// A digest of bytes that come in pieces. One thread at a time. Throws std::runtime_error if
/// OpenSSL does not have the kind.
class running_digest {
public:
  explicit running_digest(digest_kind kind);

  void append(std::string_view bytes);
  /// The digest of what was appended, as raw bytes. Begins anew.
  std::string finish();

private:
  using context_ptr = std::unique_ptr<EVP_MD_CTX, base::openssl_free<EVP_MD_CTX_free>>;

  void begin();

  digest_kind kind_;
  context_ptr context_;
};

/// The digest of `bytes`, as raw bytes.
std::string digest_of(digest_kind kind, std::string_view bytes);

/// Raw bytes in lower-case hexadecimal digits, and in base64 (RFC 4648 section 4).
std::string to_hexadecimal(std::string_view bytes);
std::string to_base64(std::string_view bytes);

} // namespace matchcloud::store
