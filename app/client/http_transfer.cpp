#include "app/client/http_transfer.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/hexadecimal.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"
#include "http/wire/response.hpp"
#include "model/json/json_document.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/unicode.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace matchcloud::app {

namespace {

/// The interval at which an interrupted connection is shut down again, because it may not have
/// existed the first time.
constexpr int stop_again_ms = 50;

/// Ends a client's transfer when a signal arrives or its time is over, because the client itself
/// waits only for its socket.
class transfer_watch {
public:
  transfer_watch(const http_call& call, const cli::interrupt& until, httplib::ClientImpl& client)
      : done_{::eventfd(0, EFD_CLOEXEC)} {
    if (!done_) throw std::system_error{errno, std::generic_category(), "eventfd"};
    thread_ = std::thread{[this, &call, &until, &client] {
      if (is_done(call, until)) return;
      is_over_ = true;
      stop(client);
    }};
  }
  transfer_watch(const transfer_watch&) = delete;
  transfer_watch& operator=(const transfer_watch&) = delete;
  ~transfer_watch() { end(); }

  /// Whether the watch ended the transfer. Ends the watch.
  bool has_ended_it() {
    end();
    return is_over_;
  }

private:
  bool is_done(const http_call& call, const cli::interrupt& until) const {
    return call.total_limit.count() == 0 ? until.wait_readable(done_.get())
                                         : until.wait_readable(done_.get(), call.total_limit);
  }

  void stop(httplib::ClientImpl& client) const {
    pollfd done{done_.get(), POLLIN, 0};
    while (done.revents == 0) {
      client.stop();
      ::poll(&done, 1, stop_again_ms);
    }
  }

  void end() {
    if (!thread_.joinable()) return;
    ::eventfd_write(done_.get(), 1);
    thread_.join();
  }

  base::file_descriptor done_;
  bool is_over_ = false;
  std::thread thread_;
};

std::string not_of_an_authority(const certificate_authorities& trusted) {
  if (trusted.file().empty())
    return "no authority that this system trusts issued the server's certificate; if you trust a "
           "private authority, name its certificate with --ca-file or MATCHCLOUD_CA_FILE";
  return "the server's certificate was not issued by an authority in " + trusted.file() +
         "; is that the right file, and did the server send its whole chain?";
}

/// Makes a client accept the server `host` only with a certificate that one of `trusted` issued for
/// that name or address. Call before the client connects.
///
/// cpp-httplib checks the name too, but accepts a certificate for ::1 for any IPv4 address, and the
/// subject's common name even if the certificate has other names. OpenSSL does neither (RFC 9525).
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

/// Why a server's certificate was not accepted, and what to do. `verify_result` is OpenSSL's
/// (X509_V_ERR_..).
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

std::unique_ptr<httplib::ClientImpl> client_of(const http_call& call) {
  std::unique_ptr<httplib::ClientImpl> client;
  // Not httplib::Client: its regular expression for URLs rejects IPv6 addresses with letters.
  if (call.to.secure) {
    // In lower case, because cpp-httplib compares names case-sensitively.
    const auto host = model::to_lower(call.to.host);
    auto secure = std::make_unique<httplib::SSLClient>(host, call.to.port);
    if (call.trusts_any_server)
      secure->enable_server_certificate_verification(false);
    else
      require_trusted_server(*secure, host, call.trusted);
    client = std::move(secure);
  } else {
    client = std::make_unique<httplib::ClientImpl>(call.to.host, call.to.port);
  }
  const bool is_bound = call.total_limit.count() > 0;
  client->set_connection_timeout(is_bound ? std::min(connect_limit, call.total_limit)
                                          : connect_limit);
  client->set_read_timeout(call.silence_limit);
  client->set_write_timeout(call.silence_limit);
  client->set_tcp_nodelay(true);
  // A signed URL must be sent as it was written, and the content stored as it was received.
  client->set_url_encode(false);
  client->set_decompress(false);
  return client;
}

httplib::Request request_of(const http_call& call) {
  httplib::Request request;
  request.method = call.method;
  request.path = call.to.target;
  request.headers = call.headers;
  request.headers.emplace("Host", call.to.authority());
  request.headers.emplace("User-Agent", "matchcloud");
  request.body = call.body;
  return request;
}

transfer_result not_trusted(const httplib::ClientImpl& client, const http_call& call) {
  const auto& secure = dynamic_cast<const httplib::SSLClient&>(client);
  return {transfer_end::not_trusted,
          why_not_trusted(secure.get_openssl_verify_result(), call.to.host, call.trusted)};
}

transfer_result result_of(httplib::Error error) {
  switch (error) {
  case httplib::Error::Connection: return {transfer_end::no_connection, "no connection"};
  case httplib::Error::ConnectionTimeout:
    return {transfer_end::no_connection, "connecting took too long"};
  case httplib::Error::SSLConnection:
    return {transfer_end::no_connection, "the TLS handshake failed"};
  case httplib::Error::SSLLoadingCerts:
    return {transfer_end::not_trusted, "certificates of authorities cannot be loaded"};
  default: return {transfer_end::cut, "the connection was lost"};
  }
}

} // namespace

transfer_result transfer(const http_call& call, const cli::interrupt& until,
                         const response_handler& taker) {
  const auto client = client_of(call);
  auto request = request_of(call);
  bool refused = false;
  bool begun = false;
  request.response_handler = [&](const httplib::Response& head) {
    begun = true;
    taker.begin(head);
    return true;
  };
  request.content_receiver = [&](const char* bytes, std::size_t count, std::uint64_t,
                                 std::uint64_t) {
    refused = !taker.take({bytes, count});
    return !refused;
  };
  httplib::Response response;
  auto error = httplib::Error::Success;
  transfer_watch watch{call, until, *client};
  const bool sent = client->send(request, response, error);
  const bool is_over = watch.has_ended_it();
  if (refused) return {transfer_end::refused, "not wanted"};
  // cpp-httplib does not call the handler for 204.
  if (sent && !begun) taker.begin(response);
  if (sent) return {};
  if (until.came()) return {transfer_end::interrupted, "interrupted"};
  if (is_over)
    return {transfer_end::cut,
            "no answer within " + std::to_string(call.total_limit.count()) + " s"};
  if (error == httplib::Error::SSLServerVerification) return not_trusted(*client, call);
  return result_of(error);
}

collected_answer collect(const http_call& call, const cli::interrupt& until,
                         std::size_t limit_bytes) {
  collected_answer made;
  made.result = transfer(call, until,
                         {[&](const httplib::Response& head) { made.head = head; },
                          [&](std::string_view bytes) {
                            made.body.append(bytes);
                            return made.body.size() <= limit_bytes;
                          }});
  return made;
}

namespace {

/// Large, because a detail may list many findings.
constexpr std::size_t shown_detail_limit = 4'096;

/// The string member of the root with that name, made safe for terminals; empty if there is none.
std::string member(const model::json_document& document, std::string_view name) {
  return model::printable_excerpt(document.member_text(name), shown_detail_limit);
}

} // namespace

http_problem read_problem(const httplib::Response& head, std::string_view body) {
  http_problem problem{head.status, {}, "it returned status " + std::to_string(head.status)};
  if (!http::is_media_type(head.get_header_value("Content-Type"), http::problem_type))
    return problem;
  const auto document = model::json_document::parse(body, answer_depth_limit);
  if (!document) return problem;
  problem.code = member(*document, "code");
  auto what = member(*document, "detail");
  if (what.empty()) what = member(*document, "title");
  if (what.empty()) return problem;
  const auto request = member(*document, "request_id");
  problem.text = what + " (" + std::to_string(head.status);
  if (!problem.code.empty()) problem.text.append(" ").append(problem.code);
  if (!request.empty()) problem.text.append(", request ").append(request);
  problem.text += ")";
  return problem;
}

std::optional<std::chrono::seconds> retry_after(const httplib::Response& head) {
  const auto seconds = base::parse_decimal<std::uint32_t>(head.get_header_value("Retry-After"));
  if (!seconds) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

std::string location_of(const httplib::Response& head) {
  auto value = head.get_header_value("Location");
  if (value.find('%') != value.npos) return value;
  std::string encoded;
  for (const char c : value) {
    if (c != '+' && base::target_characters.contains(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    encoded += '%';
    base::append_hexadecimal(encoded, {&byte, 1});
  }
  return encoded;
}

bool is_strong_etag(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const auto opaque = value.substr(1, value.size() - 2);
  return std::all_of(opaque.begin(), opaque.end(),
                     [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
}

} // namespace matchcloud::app
