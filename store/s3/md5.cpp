#include "store/s3/md5.hpp"

#include "base/hexadecimal.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>

namespace matchcloud::store {

namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void require(int done) {
  if (done != 1)
    throw std::runtime_error{"OpenSSL cannot compute the digest: " + base::take_openssl_reason()};
}

} // namespace

md5_stream::md5_stream() : context_{EVP_MD_CTX_new()} {
  begin();
}

void md5_stream::begin() {
  require(EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr));
}

void md5_stream::append(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string md5_stream::finish() {
  std::string made(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(made.data()), &size));
  made.resize(size);
  begin();
  return made;
}

std::string md5_of(std::string_view bytes) {
  md5_stream running;
  running.append(bytes);
  return running.finish();
}

std::string to_hexadecimal(std::string_view bytes) {
  std::string text;
  base::append_hexadecimal(text, as_bytes(bytes));
  return text;
}

std::string to_base64(std::string_view bytes) {
  // Includes the zero byte that OpenSSL appends.
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const auto length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                      as_bytes(bytes).data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

} // namespace matchcloud::store
