#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace matchcloud::http {

/// Frees an object of OpenSSL.
struct openssl_deleter {
  void operator()(BIO* of) const noexcept { BIO_free(of); }
  void operator()(EVP_KDF* of) const noexcept { EVP_KDF_free(of); }
  void operator()(EVP_KDF_CTX* of) const noexcept { EVP_KDF_CTX_free(of); }
  void operator()(EVP_PKEY* of) const noexcept { EVP_PKEY_free(of); }
  void operator()(SSL* of) const noexcept { SSL_free(of); }
  void operator()(SSL_CTX* of) const noexcept { SSL_CTX_free(of); }
  void operator()(SSL_SESSION* of) const noexcept { SSL_SESSION_free(of); }
  void operator()(X509* of) const noexcept { X509_free(of); }
};
template <class Type>
using openssl_ptr = std::unique_ptr<Type, openssl_deleter>;

/// What OpenSSL says of the calling thread's last failure, for people; its queue of errors is empty
/// afterwards. Empty where it says nothing.
std::string take_openssl_reason();

} // namespace matchcloud::http
