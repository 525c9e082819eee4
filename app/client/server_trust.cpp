#include "app/client/server_trust.hpp"

#include "model/net/ip_address.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <new>

namespace matchcloud::app {

namespace {

std::string not_of_an_authority(const certificate_authorities& trusted) {
  if (trusted.file().empty())
    return "no authority that this system trusts issued the server's certificate; if you trust a "
           "private authority, name its certificate with --ca-file or MATCHCLOUD_CA_FILE";
  return "the server's certificate was not issued by an authority in " + trusted.file() +
         "; is that the right file, and did the server send its whole chain?";
}

} // namespace

void require_trusted_server(httplib::SSLClient& client, const std::string& host,
                            const certificate_authorities& trusted) {
  auto* const context = client.ssl_context();
  if (context == nullptr) throw std::bad_alloc{};
  auto* const wanted = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT |
                                              X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool set = model::parse_ip_address(host)
                       ? X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1
                       : X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1;
  if (!set) throw std::bad_alloc{};
  // Not into the context's own store, to which cpp-httplib adds the system's authorities.
  if (trusted.store() != nullptr && SSL_CTX_set1_verify_cert_store(context, trusted.store()) != 1)
    throw std::bad_alloc{};
}

std::string why_not_trusted(long verify_result, const std::string& host,
                            const certificate_authorities& trusted) {
  switch (verify_result) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return "the server's certificate, or its authority's, has expired; renew it, or correct this "
           "machine's clock";
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return "the server's certificate, or its authority's, is not valid yet; is this machine's "
           "clock right?";
  // cpp-httplib's own check of the name comes last.
  case X509_V_OK:
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH:
    return "the server's certificate is not for " + host +
           "; use a name or address that is in the certificate, or issue a certificate for this "
           "one";
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return not_of_an_authority(trusted);
  default:
    return std::string{"the server's certificate cannot be verified: "} +
           X509_verify_cert_error_string(verify_result);
  }
}

} // namespace matchcloud::app
