#include "http/tls/openssl_handles.hpp"

#include <openssl/err.h>

namespace matchcloud::http {

std::string take_openssl_reason() {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? std::string{} : std::string{reason};
}

} // namespace matchcloud::http
