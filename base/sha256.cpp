#include "base/sha256.hpp"

#include "base/check.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

namespace matchcloud::base {

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

void sha256_hasher::releaser::operator()(EVP_MD* which) const noexcept {
  EVP_MD_free(which);
}

void sha256_hasher::releaser::operator()(EVP_MD_CTX* which) const noexcept {
  EVP_MD_CTX_free(which);
}

sha256_hasher::sha256_hasher()
    : algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr)}, context_{EVP_MD_CTX_new()} {
  check(algorithm_ && context_ &&
            EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1,
        "OpenSSL has SHA-256");
}

std::array<std::uint8_t, 32> sha256_hasher::operator()(std::string_view bytes) const noexcept {
  std::array<std::uint8_t, 32> digest{};
  // None of these can fail: the algorithm is there and nothing is allocated.
  EVP_DigestInit_ex2(context_.get(), nullptr, nullptr);
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  return digest;
}

} // namespace matchcloud::base
