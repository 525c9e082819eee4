#include "base/crypto/signing.hpp"

#include "base/hexadecimal.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

namespace matchcloud::base {

std::string sign(const secret_bytes& secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  std::string signature;
  append_hexadecimal(signature, std::span{digest}.first(size));
  return signature;
}

bool is_signed(const secret_bytes& secret, std::string_view text, std::string_view signature) {
  const auto right = sign(secret, text);
  // The length is not secret. It is zero only if OpenSSL failed, and then no signature is valid.
  return !right.empty() && signature.size() == right.size() &&
         CRYPTO_memcmp(signature.data(), right.data(), right.size()) == 0;
}

} // namespace matchcloud::base
