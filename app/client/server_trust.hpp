#pragma once

#include "app/certificates/certificate_authorities.hpp"

#include <httplib.h>

#include <string>

namespace matchcloud::app {

/// Makes a client accept the server `host` only with a certificate that one of `trusted` issued for
/// that name or address. Call before the client connects. Throws std::bad_alloc without memory.
///
/// cpp-httplib checks the name too, but accepts a certificate for ::1 for any IPv4 address, and the
/// subject's common name even if the certificate has other names. OpenSSL does neither (RFC 9525).
void require_trusted_server(httplib::SSLClient& client, const std::string& host,
                            const certificate_authorities& trusted);

/// Why a server's certificate was not accepted, and what to do. `verify_result` is OpenSSL's
/// (X509_V_ERR_..).
std::string why_not_trusted(long verify_result, const std::string& host,
                            const certificate_authorities& trusted);

} // namespace matchcloud::app
