#pragma once

#include "base/expected.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace matchcloud::base {

/// Frees an OpenSSL object with its own function.
template <auto Free>
struct openssl_free {
  template <class Object>
  void operator()(Object* object) const noexcept {
    Free(object);
  }
};

using bio_ptr = std::unique_ptr<BIO, openssl_free<BIO_free_all>>;
using key_ptr = std::unique_ptr<EVP_PKEY, openssl_free<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, openssl_free<X509_free>>;

/// The most recent reason in this thread's OpenSSL error queue, for people; empty if there is none.
/// Clears the whole queue.
std::string take_openssl_reason();

/// Turns the oldest error in this thread's OpenSSL queue into `WHERE: cannot OPERATION: REASON` and
/// clears the queue. The code is `io_failed`.
tl::unexpected<error> openssl_failure(const std::string& where, const std::string& operation);

/// A BIO that reads `text`, which must outlive it. Throws std::bad_alloc if memory is short.
bio_ptr reader_of(const std::string& text);

/// The next certificate of a PEM text; null at its end or if it is damaged, which
/// `is_at_end_of_pem` distinguishes. Never prompts for a passphrase.
certificate_ptr read_certificate(BIO* from);
/// The private key of a PEM text; null if there is none or it is damaged. Never prompts for a
/// passphrase.
key_ptr read_private_key(const std::string& pem);
/// Whether the last read failed only because the text has no more PEM blocks; if so, clears that
/// error.
bool is_at_end_of_pem();

} // namespace matchcloud::base
