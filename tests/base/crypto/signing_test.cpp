#include "base/crypto/signing.hpp"

#include "base/crypto/sha256.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace {

using namespace matchcloud::base;

/// HMAC pads a key with zeros to the block size (RFC 2104), so a padded secret equals a shorter
/// key.
secret_bytes padded(std::string_view key) {
  secret_bytes secret{};
  REQUIRE(key.size() <= secret.size());
  std::copy(key.begin(), key.end(), secret.begin());
  return secret;
}

/// HMAC hashes a key longer than the block size first (RFC 2104).
secret_bytes hashed(const std::string& key) {
  REQUIRE(key.size() > 64);
  return sha256(key);
}

TEST_CASE("signatures are those of RFC 4231") {
  CHECK(sign(padded(std::string(20, '\x0b')), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(sign(padded("Jefe"), "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(sign(padded(std::string(20, '\xaa')), std::string(50, '\xdd')) ==
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string counted;
  for (char i = 1; i <= 25; ++i)
    counted += i;
  CHECK(sign(padded(counted), std::string(50, '\xcd')) ==
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
  CHECK(sign(hashed(std::string(131, '\xaa')),
             "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("a signature is of one text by one secret, whole and as it was written") {
  const auto secret = padded("Jefe");
  const std::string text = "GET /exports/1?expires=2";
  const auto signature = sign(secret, text);
  CHECK(is_signed(secret, text, signature));
  CHECK_FALSE(is_signed(padded("Jeff"), text, signature));
  CHECK_FALSE(is_signed(secret, text + "0", signature));
  CHECK_FALSE(is_signed(secret, "", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto forged = signature;
    forged[i] = forged[i] == '0' ? '1' : '0';
    CHECK_FALSE(is_signed(secret, text, forged));
  }
}

TEST_CASE("signatures of another length or in upper case are refused") {
  const auto secret = padded("Jefe");
  const auto signature = sign(secret, "text");
  CHECK_FALSE(is_signed(secret, "text", ""));
  CHECK_FALSE(is_signed(secret, "text", signature.substr(1)));
  CHECK_FALSE(is_signed(secret, "text", signature.substr(0, 63)));
  CHECK_FALSE(is_signed(secret, "text", signature + "0"));
  CHECK_FALSE(is_signed(secret, "text", signature + std::string(1, '\0')));
  auto upper = signature;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  REQUIRE(upper != signature);
  CHECK_FALSE(is_signed(secret, "text", upper));
}

TEST_CASE("SHA-256 in parts is that of the whole, and goes on after it was asked") {
  sha256_stream parts;
  CHECK(parts.digest() == sha256(""));
  const std::string text(1'000, 'x');
  for (std::size_t size = 0; size <= 300; ++size)
    parts.add(std::string(size, 'x'));
  CHECK(parts.digest() == sha256(std::string(300 * 301 / 2, 'x')));
  parts.add(text);
  CHECK(parts.digest() == sha256(std::string(300 * 301 / 2, 'x') + text));
}

} // namespace
