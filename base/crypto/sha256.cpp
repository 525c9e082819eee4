#include "base/crypto/sha256.hpp"

// These functions are deprecated in favour of EVP, which allocates in each call and takes twice as
// long for a text of a token's length. Both end in the same code.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <openssl/sha.h>

namespace matchcloud::base {

sha256_digest sha256(std::string_view bytes) noexcept {
  sha256_digest digest{};
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

sha256_stream::sha256_stream() : state_{std::make_unique<SHA256_CTX>()} {
  SHA256_Init(state_.get());
}

sha256_stream::sha256_stream(sha256_stream&&) noexcept = default;
sha256_stream::~sha256_stream() = default;

void sha256_stream::add(std::string_view bytes) noexcept {
  SHA256_Update(state_.get(), bytes.data(), bytes.size());
}

sha256_digest sha256_stream::digest() const noexcept {
  auto state = *state_; // the stream can continue after a digest
  sha256_digest digest{};
  SHA256_Final(digest.data(), &state);
  return digest;
}

} // namespace matchcloud::base
