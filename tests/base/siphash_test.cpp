#include "base/siphash.hpp"

#include "tests/catch.hpp"

#include <openssl/evp.h>
#include <openssl/params.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

namespace matchcloud::base {
namespace {

/// The bytes 00 to 0f.
constexpr siphash_key reference_key{0x0706050403020100, 0x0f0e0d0c0b0a0908};

/// What the reference implementation gives under that key for no byte, 00, 00 01, 00 01 02 ..
/// (vectors_sip64 of github.com/veorq/SipHash, as numbers).
constexpr std::array<std::uint64_t, 32> reference_hashes{
    0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
    0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
    0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
    0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
    0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
    0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
    0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad,
    0xde4daaaca71dc9a5, 0xa6a2506687956571, 0xad87a3535c49ef28, 0x32d892fad841c342};

/// The same by OpenSSL, whose code is another.
std::uint64_t hash_by_openssl(const siphash_key& key, std::span<const std::uint8_t> bytes) {
  const auto key_bytes = std::bit_cast<std::array<std::uint8_t, sizeof key>>(key);
  unsigned size = sizeof(std::uint64_t);
  const std::array params{OSSL_PARAM_construct_uint("size", &size), OSSL_PARAM_construct_end()};
  std::array<std::uint8_t, sizeof(std::uint64_t)> hash{};
  std::size_t written = 0;
  RC_ASSERT(EVP_Q_mac(nullptr, "SIPHASH", nullptr, nullptr, params.data(), key_bytes.data(),
                      key_bytes.size(), bytes.data(), bytes.size(), hash.data(), hash.size(),
                      &written) != nullptr);
  RC_ASSERT(written == hash.size());
  return std::bit_cast<std::uint64_t>(hash);
}

TEST_CASE("a SipHash is that of the reference vectors") {
  std::array<std::uint8_t, reference_hashes.size()> bytes{};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  for (std::size_t length = 0; length < reference_hashes.size(); ++length) {
    CAPTURE(length);
    CHECK(siphash(reference_key, std::span{bytes}.first(length)) == reference_hashes[length]);
  }
}

TEST_CASE("a SipHash is that of OpenSSL for any key and bytes") {
  REQUIRE(rc::check([](std::uint64_t k0, std::uint64_t k1, const std::vector<std::uint8_t>& bytes) {
    // OpenSSL takes no null pointer, not even for no byte.
    RC_PRE(!bytes.empty());
    const siphash_key key{k0, k1};
    RC_ASSERT(siphash(key, bytes) == hash_by_openssl(key, bytes));
  }));
}

TEST_CASE("a SipHash reads its bytes from any address and none besides") {
  std::vector<std::uint8_t> around(64, 0xff);
  for (std::size_t length = 0; length < 32; ++length)
    for (std::size_t at = 1; at <= 8; ++at) {
      CAPTURE(length, at);
      std::fill(around.begin(), around.end(), std::uint8_t{0xff});
      const auto bytes = std::span{around}.subspan(at, length);
      std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
      CHECK(siphash(reference_key, bytes) == reference_hashes[length]);
    }
}

TEST_CASE("random keys differ") {
  const auto one = random_siphash_key();
  const auto other = random_siphash_key();
  CHECK(one.k0 != other.k0);
  CHECK(one.k1 != other.k1);
  CHECK(one.k0 != one.k1);
}

} // namespace
} // namespace matchcloud::base
