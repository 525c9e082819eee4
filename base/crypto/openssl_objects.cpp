#include "base/crypto/openssl_objects.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <new>

namespace matchcloud::base {

namespace {

/// Without this, OpenSSL prompts on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

} // namespace

std::string take_openssl_reason() {
  const auto* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? std::string{} : std::string{reason};
}

tl::unexpected<error> openssl_failure(const std::string& where, const std::string& operation) {
  const auto* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return fail(errc::io_failed, where + ": cannot " + operation + ": " +
                                   (reason == nullptr ? "no reason given" : reason));
}

bio_ptr reader_of(const std::string& text) {
  bio_ptr made{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  if (!made) throw std::bad_alloc{};
  return made;
}

certificate_ptr read_certificate(BIO* from) {
  return certificate_ptr{PEM_read_bio_X509(from, nullptr, no_passphrase, nullptr)};
}

key_ptr read_private_key(const std::string& pem) {
  return key_ptr{PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_passphrase, nullptr)};
}

bool is_at_end_of_pem() {
  const auto last = ERR_peek_last_error();
  if (ERR_GET_LIB(last) != ERR_LIB_PEM || ERR_GET_REASON(last) != PEM_R_NO_START_LINE) return false;
  ERR_clear_error();
  return true;
}

} // namespace matchcloud::base
