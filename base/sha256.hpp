#pragma once

#include <openssl/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace matchcloud::base {

/// SHA-256 (FIPS 180-4) of `bytes`. Any thread.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// SHA-256 for whoever digests again and again: it is looked up once. One thread at a time.
class sha256_hasher {
public:
  sha256_hasher();
  std::array<std::uint8_t, 32> operator()(std::string_view bytes) const noexcept;

private:
  struct releaser {
    void operator()(EVP_MD* which) const noexcept;
    void operator()(EVP_MD_CTX* which) const noexcept;
  };
  std::unique_ptr<EVP_MD, releaser> algorithm_;
  std::unique_ptr<EVP_MD_CTX, releaser> context_;
};

} // namespace matchcloud::base
