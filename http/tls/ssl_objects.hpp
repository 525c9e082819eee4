#pragma once

#include "base/crypto/openssl_objects.hpp"

#include <openssl/ssl.h>

#include <memory>

namespace matchcloud::http {

using ssl_ptr = std::unique_ptr<SSL, base::openssl_free<SSL_free>>;
using ssl_context_ptr = std::unique_ptr<SSL_CTX, base::openssl_free<SSL_CTX_free>>;
using ssl_session_ptr = std::unique_ptr<SSL_SESSION, base::openssl_free<SSL_SESSION_free>>;

} // namespace matchcloud::http
