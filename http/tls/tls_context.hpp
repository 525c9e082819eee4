#pragma once

#include "base/crypto/openssl_objects.hpp"
#include "base/expected.hpp"
#include "http/tls/tls_material.hpp"

#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

using ssl_ptr = std::unique_ptr<SSL, base::openssl_free<SSL_free>>;
using ssl_context_ptr = std::unique_ptr<SSL_CTX, base::openssl_free<SSL_CTX_free>>;
using ssl_session_ptr = std::unique_ptr<SSL_SESSION, base::openssl_free<SSL_SESSION_free>>;

/// Which plane a listener's context is for.
enum class tls_purpose : std::uint8_t {
  data,
  /// Requests client certificates if the material has authorities for them.
  ops,
};

/// Buffers that all streams of a thread use in turn.
struct tls_buffers {
  /// The most that one call reads, or encrypts.
  static constexpr std::size_t turn_bytes = 64 * 1024;

  std::vector<char> received = std::vector<char>(turn_bytes);
  /// The encrypted bytes of the current call.
  std::string encrypted;
  /// Bytes of a file on their way to be encrypted; empty before the first.
  std::vector<char> from_file;
};

/// OpenSSL's contexts of one thread. Threads do not share them: OpenSSL counts references to
/// what they hold, and threads would contend. Streams keep the context that they began with.
class tls_context {
public:
  /// How long a ticket resumes its session.
  static constexpr long ticket_lifetime_s = 12L * 60 * 60;
  /// The cipher suites on offer, those of TLS 1.3 and of TLS 1.2, and the groups of the key
  /// exchange, each with the preferred one first.
  static constexpr const char* suites_1_3 =
      "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
  static constexpr const char* suites_1_2 =
      "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
      "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
  static constexpr const char* groups = "P-256:X25519:P-384";

  /// A server's. Fails with `config_invalid`, naming the file.
  static base::expected<std::shared_ptr<tls_context>> for_server(const tls_material& material,
                                                                 tls_purpose purpose);
  /// Whether a client resumes the last session that it got.
  enum class sessions : std::uint8_t { full, resumed };
  /// A client's, which trusts the authorities of a PEM file, or the system's if `ca_file` is empty.
  /// Fails with `config_invalid`.
  static base::expected<std::shared_ptr<tls_context>> for_client(const std::string& ca_file,
                                                                 sessions wanted = sessions::full);

  ~tls_context();
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

  /// A connection of a server.
  ssl_ptr accept() const;
  /// A connection of a client, which checks that the server's certificate is for `host` (a name or
  /// an address).
  ssl_ptr connect(const std::string& host) const;

  /// Whether `other` accepts the client certificates that this context accepted, because the
  /// authorities are the same.
  bool trusts_as(const tls_context& other) const noexcept { return client_ca_ == other.client_ca_; }

  tls_buffers& buffers() noexcept { return buffers_; }

private:
  /// A certificate that a server shows, and what its sessions are bound to.
  struct identity;

  explicit tls_context(const SSL_METHOD* method);
  ssl_ptr new_connection() const;
  base::expected<void> add(const tls_material::pair& pair, tls_purpose purpose,
                           const std::string& client_ca);

  static int on_session(SSL* connection, SSL_SESSION* got);
  static int on_client_hello(SSL* connection, int* alert, void* self);
  static int on_ticket(SSL* connection, unsigned char* name, unsigned char* iv,
                       EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int encrypts);

  ssl_context_ptr context_;
  /// In the order of the material; a client has none.
  std::vector<identity> identities_;
  /// See `tls_material::ticket_keys`.
  std::vector<ticket_key> ticket_keys_;
  /// The digest of the authorities of client certificates.
  std::array<std::uint8_t, 32> client_ca_{};
  /// The last session that a client got; null if it resumes none.
  ssl_session_ptr session_;
  tls_buffers buffers_;
};

/// The subject of the certificate that a client showed and an authority signed, cut to
/// `subject_limit_bytes`; empty if it showed none.
inline constexpr std::size_t subject_limit_bytes = 256;
std::string client_subject_of(const SSL& connection);

} // namespace matchcloud::http
