#pragma once

#include "http/tls/tls_context.hpp"
#include "http/tls/tls_material.hpp"
#include "tests/fixtures/raw_connection.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/http/tls/tls_pair.hpp"
#include "tests/service/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

using session_ptr = http::ssl_session_ptr;

/// What a client of TLS offers. Empty texts stand for what OpenSSL offers by itself.
struct tls_offer {
  int least_version = TLS1_2_VERSION;
  int most_version = TLS1_3_VERSION;
  /// SNI; empty: none.
  std::string server_name{};
  std::vector<std::string> protocols{};
  std::string suites_1_3{};
  std::string suites_1_2{};
  std::string groups{};
  /// Of certificates that it can check, such as "RSA-PSS+SHA256:RSA+SHA256".
  std::string signatures{};
  /// Null: it has no certificate.
  const http::tls_material::pair* certificate = nullptr;
  /// Null: no session is to be resumed. OpenSSL allows one connection at a time to use it.
  SSL_SESSION* session = nullptr;
};

inline tls_offer tls_1_2() {
  return {.most_version = TLS1_2_VERSION};
}
inline tls_offer tls_1_3() {
  return {.least_version = TLS1_3_VERSION};
}

/// How a server ended a connection.
enum class tls_end {
  close_notify,
  /// The end of the stream without a word, as an attacker could make it.
  cut,
  reset,
  /// By an alert, or by bytes that are no record.
  broken,
};

/// A client of TLS whose every byte a test can see, hold back or change: OpenSSL reads from memory
/// and writes to memory. Takes any certificate. Deadlines and failures as `raw_connection`. One
/// thread at a time.
class tls_client {
public:
  /// Only connects. The socket waits no longer than `patience` at a time.
  static tls_client connected(const address& to, const tls_offer& offer = {},
                              int receive_buffer_bytes = 0);
  /// Connects and shakes hands; throws where that fails.
  explicit tls_client(const address& to, const tls_offer& offer = {});
  ~tls_client();
  tls_client(tls_client&&) noexcept;
  tls_client& operator=(tls_client&&) = delete;

  /// False where the handshake fails; `failure` says why.
  bool shake_hands();
  /// Takes one step of the handshake with what was received, and returns what is to be sent.
  std::string handshake_bytes();
  bool is_done() const { return SSL_is_init_finished(handle()) == 1; }
  const std::string& failure() const;
  /// The number of the last fatal alert of the server (RFC 8446 section 6); -1: there was none.
  int alert() const;

  int version() const;
  /// The name of the cipher suite, as OpenSSL spells it.
  std::string suite() const;
  /// The group of the key exchange, as `NID_..`.
  int group() const;
  /// What ALPN chose; empty: nothing.
  std::string protocol() const;
  bool is_resumed() const;
  /// The name in the subject of the server's certificate.
  std::string shown_name() const;
  /// The session of the last ticket; null where there is none that can be resumed.
  session_ptr session() const;
  SSL* handle() const;

  /// Records of `text` that are not sent yet.
  std::string encrypted(std::string_view text);
  /// Passes what the socket has to OpenSSL. False at the end of the stream or after a reset.
  bool receive_records(const deadline& until = deadline{});
  /// Sends what OpenSSL has written by itself, such as alerts. False if the connection is gone.
  bool flush();
  void send(std::string_view text);
  bool try_send(std::string_view text);

  /// The next response. `to_head`: it answers a HEAD request.
  answer receive(bool to_head = false);
  /// The next response, or nothing if the connection ends before its first byte; half a response
  /// throws.
  std::optional<answer> try_receive(bool to_head = false);
  answer ask(std::string_view request);
  /// Reads until the server ends the connection; throws where it sends anything more.
  tls_end receive_end();

  /// The connection below.
  raw_connection& under();

private:
  struct state;
  explicit tls_client(std::unique_ptr<state> made);

  std::string take_written();
  /// Decrypts more into what is unread. False at the end, of whatever kind.
  bool read_more(const deadline& until);

  std::unique_ptr<state> state_;
};

/// Whether a handshake with `offer` succeeds. `alert`: gets the server's.
bool tls_works(const address& to, const tls_offer& offer, int* alert = nullptr);

/// A certificate and its key in files that a running server follows.
class tls_pair_files {
public:
  explicit tls_pair_files(const http::tls_material::pair& pair = fixtures::make_tls_pair()) {
    replace(pair);
  }

  std::string certificate() const { return directory_.path("cert.pem"); }
  std::string key() const { return directory_.path("key.pem"); }
  /// Puts other files in their places, each at once. Nothing but that is done between the two: a
  /// service that looks then sees a pair that does not fit.
  void replace(const http::tls_material::pair& by) const;
  /// Puts another file in the place of `name`, at once.
  void put(const std::string& name, std::string_view bytes) const;
  /// --tls-cert and --tls-key.
  arguments flags() const { return {"--tls-cert", certificate(), "--tls-key", key()}; }
  const fixtures::temporary_directory& directory() const noexcept { return directory_; }

private:
  fixtures::temporary_directory directory_;
};

/// `flags`, with `more` behind them.
arguments operator+(arguments flags, const arguments& more);

/// Flags that have both planes, or one of them, speak TLS.
inline const arguments tls_data{"--listen", "127.0.0.1:0/tls"};
inline const arguments tls_ops{"--ops-listen", "127.0.0.1:0/tls"};

/// The files of a certificate that all tests share which do not replace it.
const tls_pair_files& shared_files();

} // namespace matchcloud::e2e
