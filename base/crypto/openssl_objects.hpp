#pragma once

#include "base/expected.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace matchcloud::base {

/// Frees an object of OpenSSL with the function that belongs to it.
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

/// The newest reason that OpenSSL has noted on this thread, for people, or nothing (empty); forgets
/// them all.
std::string take_openssl_reason();

/// Makes an error `WHERE: cannot OPERATION: REASON` of the oldest error that OpenSSL has noted on
/// this thread, and forgets them all. The code is `io_failed`.
tl::unexpected<error> openssl_failure(const std::string& where, const std::string& operation);

/// A source of `text`, which must outlive it. Throws std::bad_alloc without memory.
bio_ptr reader_of(const std::string& text);

/// The next certificate of a text in PEM; null where there is none or it is damaged, which
/// `is_at_end_of_pem` tells apart. Asks nobody for a passphrase.
certificate_ptr read_certificate(BIO* from);
/// The private key of a text in PEM; null where there is none or it is damaged. Asks nobody for a
/// passphrase.
key_ptr read_private_key(const std::string& pem);
/// Whether the last read failed only because there is no further block in PEM; then its reason is
/// forgotten.
bool is_at_end_of_pem();

} // namespace matchcloud::base
