#include "base/sha256.hpp"

// These functions are deprecated in favour of EVP, which allocates in each call and takes two times
// as long for the length of a token. Both end in the same code.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <openssl/sha.h>

namespace matchcloud::base {

std::array<std::uint8_t, 32> sha256(std::string_view bytes) noexcept {
  std::array<std::uint8_t, 32> digest{};
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

} // namespace matchcloud::base
