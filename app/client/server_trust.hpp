#pragma once

#include "app/certificates/certificate_authorities.hpp"

#include <httplib.h>

#include <string>

namespace matchcloud::app {

/// Has a client accept the server `host` only with a certificate of one of `trusted` for that name,
/// or for that address where the host is one. To be called before the client connects. Throws
/// std::bad_alloc without memory.
///
/// cpp-httplib looks at the name too, but takes a certificate for ::1 as one for any IPv4 address,
/// and the subject's common name where the certificate has other names. OpenSSL does neither
/// (RFC 9525).
void require_trusted_server(httplib::SSLClient& client, const std::string& host,
                            const certificate_authorities& trusted);

/// Why a server's certificate was not accepted, and what to do. `verify_result` is OpenSSL's
/// (X509_V_ERR_..).
std::string why_not_trusted(long verify_result, const std::string& host,
                            const certificate_authorities& trusted);

} // namespace matchcloud::app
