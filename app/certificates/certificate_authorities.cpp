#include "app/certificates/certificate_authorities.hpp"

#include "base/crypto/openssl_objects.hpp"
#include "cli/bounded_input.hpp"

#include <openssl/err.h>

#include <new>

namespace matchcloud::app {

namespace {

tl::unexpected<base::error> refuse(const std::string& file, const std::string& why) {
  ERR_clear_error();
  return base::fail(base::errc::config_invalid, file + ": " + why);
}

} // namespace

base::expected<certificate_authorities> certificate_authorities::read(const std::string& file) {
  const auto text = cli::read_bounded_file(file, authorities_limit_bytes);
  if (!text) return refuse(file, text.error().detail);
  if (text->size() > authorities_limit_bytes)
    return refuse(file, "larger than 16 MiB, the limit for a file of certificates");
  certificate_authorities made;
  made.file_ = file;
  made.store_ = {X509_STORE_new(), X509_STORE_free};
  if (!made.store_) throw std::bad_alloc{};
  // An intermediate authority may be trusted on its own.
  X509_STORE_set_flags(made.store(), X509_V_FLAG_PARTIAL_CHAIN);

  const auto from = base::reader_of(*text);
  std::size_t count = 0;
  ERR_clear_error();
  while (const auto one = base::read_certificate(from.get())) {
    if (X509_STORE_add_cert(made.store(), one.get()) != 1) throw std::bad_alloc{};
    ++count;
  }
  if (!base::is_at_end_of_pem())
    return refuse(file, "certificate " + std::to_string(count + 1) +
                            " is damaged; get the file again from its source");
  if (count == 0)
    return refuse(file, "it has no certificate; it must contain the authority's certificate in "
                        "PEM, which begins with -----BEGIN CERTIFICATE-----");
  return made;
}

} // namespace matchcloud::app
