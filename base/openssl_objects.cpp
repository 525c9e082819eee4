#include "base/openssl_objects.hpp"

#include <openssl/err.h>

#include <new>

namespace matchcloud::base {

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

} // namespace matchcloud::base
