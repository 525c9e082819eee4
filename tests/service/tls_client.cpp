#include "tests/service/tls_client.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace matchcloud::e2e {

namespace {

/// What OpenSSL says of the last failure.
std::string take_reason() {
  auto text = base::take_openssl_reason();
  return text.empty() ? "unknown" : text;
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error{std::string{what} + ": " + take_reason()};
}

void use_certificate(SSL_CTX* in, const http::tls_material::pair& pair) {
  const auto certificate = base::read_certificate(base::reader_of(pair.certificate).get());
  const auto key = base::read_private_key(pair.key);
  expect(SSL_CTX_use_certificate(in, certificate.get()) == 1, "certificate");
  expect(SSL_CTX_use_PrivateKey(in, key.get()) == 1, "key");
}

http::ssl_context_ptr context_of(const tls_offer& offer) {
  http::ssl_context_ptr made{SSL_CTX_new(TLS_client_method())};
  auto* context = made.get();
  // Old versions and weak suites are offered, too: the server must refuse them, not the client.
  SSL_CTX_set_security_level(context, 0);
  expect(SSL_CTX_set_min_proto_version(context, offer.least_version) == 1, "version");
  expect(SSL_CTX_set_max_proto_version(context, offer.most_version) == 1, "version");
  if (!offer.suites_1_3.empty())
    expect(SSL_CTX_set_ciphersuites(context, offer.suites_1_3.c_str()) == 1, "suites of TLS 1.3");
  if (!offer.suites_1_2.empty())
    expect(SSL_CTX_set_cipher_list(context, offer.suites_1_2.c_str()) == 1, "suites of TLS 1.2");
  if (!offer.groups.empty())
    expect(SSL_CTX_set1_groups_list(context, offer.groups.c_str()) == 1, "groups");
  if (!offer.signatures.empty())
    expect(SSL_CTX_set1_sigalgs_list(context, offer.signatures.c_str()) == 1, "signatures");
  std::string protocols;
  for (const auto& each : offer.protocols)
    protocols += static_cast<char>(each.size()) + each;
  if (!protocols.empty())
    SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
  if (offer.certificate != nullptr) use_certificate(context, *offer.certificate);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  return made;
}

} // namespace

struct tls_client::state {
  http::ssl_context_ptr context;
  http::ssl_ptr ssl;
  raw_connection under;
  std::string unread;
  std::string failure;
  int alert = -1;
  /// How the stream below ended, if it did.
  std::optional<tls_end> ended;
  session_ptr session;

  state(const address& to, int receive_buffer_bytes) : under{to, {}, receive_buffer_bytes} {}

  static void on_info(const SSL* of, int where, int what) {
    constexpr int fatal = 2;
    auto* self = static_cast<state*>(SSL_get_app_data(of));
    if (where == SSL_CB_READ_ALERT && what >> 8 == fatal) self->alert = what & 0xff;
  }
  static int on_session(SSL* of, SSL_SESSION* got) {
    static_cast<state*>(SSL_get_app_data(of))->session.reset(got);
    return 1; // it is kept
  }
};

tls_client tls_client::connected(const address& to, const tls_offer& offer,
                                 int receive_buffer_bytes) {
  auto made = std::make_unique<state>(to, receive_buffer_bytes);
  made->context = context_of(offer);
  SSL_CTX_set_info_callback(made->context.get(), &state::on_info);
  SSL_CTX_sess_set_new_cb(made->context.get(), &state::on_session);
  made->ssl.reset(SSL_new(made->context.get()));
  auto* ssl = made->ssl.get();
  SSL_set_app_data(ssl, made.get());
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  if (!offer.server_name.empty()) SSL_set_tlsext_host_name(ssl, offer.server_name.c_str());
  if (offer.session != nullptr) expect(SSL_set_session(ssl, offer.session) == 1, "session");
  SSL_set_connect_state(ssl);
  return tls_client{std::move(made)};
}

tls_client::tls_client(std::unique_ptr<state> made) : state_{std::move(made)} {}

tls_client::tls_client(const address& to, const tls_offer& offer)
    : tls_client{connected(to, offer)} {
  if (!shake_hands()) throw std::runtime_error{"no handshake: " + failure()};
}

tls_client::~tls_client() {
  // Otherwise OpenSSL takes the session for a broken one, which is never resumed.
  if (state_) SSL_set_shutdown(handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}
tls_client::tls_client(tls_client&&) noexcept = default;

// -- handshake ----------------------------------------------------------------

std::string tls_client::take_written() {
  char* bytes = nullptr;
  auto* from = SSL_get_wbio(handle());
  const auto size = BIO_get_mem_data(from, &bytes);
  std::string taken(bytes, static_cast<std::size_t>(size));
  static_cast<void>(BIO_reset(from));
  return taken;
}

std::string tls_client::handshake_bytes() {
  ERR_clear_error();
  const int result = SSL_do_handshake(handle());
  if (result != 1 && SSL_get_error(handle(), result) != SSL_ERROR_WANT_READ)
    state_->failure = take_reason();
  return take_written();
}

bool tls_client::shake_hands() {
  const deadline until;
  while (true) {
    const bool sent = under().try_send(handshake_bytes());
    if (!state_->failure.empty()) return false;
    if (is_done()) return sent;
    if (receive_records(until)) continue;
    state_->failure = "the server ended the connection";
    return false;
  }
}

const std::string& tls_client::failure() const {
  return state_->failure;
}
int tls_client::alert() const {
  return state_->alert;
}
int tls_client::version() const {
  return SSL_version(handle());
}
std::string tls_client::suite() const {
  return SSL_get_cipher_name(handle());
}
int tls_client::group() const {
  return static_cast<int>(SSL_get_negotiated_group(handle()));
}
std::string tls_client::protocol() const {
  const unsigned char* bytes = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(handle(), &bytes, &size);
  return {reinterpret_cast<const char*>(bytes), size};
}
bool tls_client::is_resumed() const {
  return SSL_session_reused(handle()) == 1;
}
std::string tls_client::shown_name() const {
  const auto* shown = SSL_get0_peer_certificate(handle());
  if (shown == nullptr) return {};
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}
session_ptr tls_client::session() const {
  auto* got = state_->session.get();
  if (got == nullptr || SSL_SESSION_is_resumable(got) != 1) return nullptr;
  return session_ptr{SSL_SESSION_dup(got)};
}
SSL* tls_client::handle() const {
  return state_->ssl.get();
}
raw_connection& tls_client::under() {
  return state_->under;
}

// -- sending ------------------------------------------------------------------

std::string tls_client::encrypted(std::string_view text) {
  ERR_clear_error();
  if (!text.empty())
    expect(SSL_write(handle(), text.data(), static_cast<int>(text.size())) ==
               static_cast<int>(text.size()),
           "encrypting");
  return take_written();
}

bool tls_client::flush() {
  return under().try_send(take_written());
}

bool tls_client::try_send(std::string_view text) {
  return under().try_send(encrypted(text));
}

void tls_client::send(std::string_view text) {
  if (!try_send(text)) throw std::runtime_error{"the connection is gone while sending"};
}

// -- receiving ----------------------------------------------------------------

bool tls_client::receive_records(const deadline& until) {
  std::array<char, 64 * 1024> buffer;
  while (true) {
    const auto got = ::recv(under().descriptor(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      BIO_write(SSL_get_rbio(handle()), buffer.data(), static_cast<int>(got));
      return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      state_->ended = got == 0 ? tls_end::cut : tls_end::reset;
      return false;
    }
    if (!wait_for(under().descriptor(), POLLIN, until))
      throw std::runtime_error{"nothing to read in time; unread: " + state_->unread.substr(0, 500)};
  }
}

bool tls_client::read_more(const deadline& until) {
  std::array<char, 64 * 1024> buffer;
  while (true) {
    ERR_clear_error();
    const int got = SSL_read(handle(), buffer.data(), static_cast<int>(buffer.size()));
    static_cast<void>(flush());
    if (got > 0) {
      state_->unread.append(buffer.data(), static_cast<std::size_t>(got));
      return true;
    }
    const int why = SSL_get_error(handle(), got);
    if (why == SSL_ERROR_WANT_READ) {
      if (!receive_records(until)) return false;
      continue;
    }
    state_->ended = why == SSL_ERROR_ZERO_RETURN ? tls_end::close_notify : tls_end::broken;
    if (why != SSL_ERROR_ZERO_RETURN) state_->failure = take_reason();
    return false;
  }
}

std::optional<answer> tls_client::try_receive(bool to_head) {
  const deadline until;
  auto& unread = state_->unread;
  const auto more = [&] {
    if (read_more(until)) return true;
    if (unread.empty()) return false;
    throw std::runtime_error{"half a response: " + unread.substr(0, 500)};
  };
  auto end = unread.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!more()) return std::nullopt;
    end = unread.find("\r\n\r\n");
  }
  auto result = parse_answer_head(std::string_view{unread}.substr(0, end));
  const auto length = result.header("content-length");
  // RFC 9110 section 8.6: the Content-Length of a 304 is that of the body that was not sent.
  const bool has_body = !to_head && result.status != 304 && !length.empty();
  const auto size = end + 4 + (has_body ? std::stoul(length) : 0);
  while (unread.size() < size)
    more();
  result.body = unread.substr(end + 4, size - end - 4);
  unread.erase(0, size);
  return result;
}

answer tls_client::receive(bool to_head) {
  auto result = try_receive(to_head);
  if (!result)
    throw std::runtime_error{"the connection ended without a response: " + state_->failure};
  return *std::move(result);
}

answer tls_client::ask(std::string_view request) {
  send(request);
  return receive(request.starts_with("HEAD "));
}

tls_end tls_client::receive_end() {
  const deadline until;
  while (!state_->ended)
    static_cast<void>(read_more(until));
  if (!state_->unread.empty())
    throw std::runtime_error{"more before the end: " + state_->unread.substr(0, 500)};
  return *state_->ended;
}

bool tls_works(const address& to, const tls_offer& offer, int* alert) {
  auto client = tls_client::connected(to, offer);
  const bool done = client.shake_hands();
  if (alert != nullptr) *alert = client.alert();
  return done;
}

void tls_pair_files::replace(const http::tls_material::pair& by) const {
  const auto new_key = directory_.file("new-key.pem", by.key);
  const auto new_certificate = directory_.file("new-cert.pem", by.certificate);
  std::filesystem::rename(new_key, key());
  std::filesystem::rename(new_certificate, certificate());
}

void tls_pair_files::put(const std::string& name, std::string_view bytes) const {
  std::filesystem::rename(directory_.file("new-" + name, bytes), directory_.path(name));
}

arguments operator+(arguments flags, const arguments& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

const tls_pair_files& shared_files() {
  static const tls_pair_files only;
  return only;
}

} // namespace matchcloud::e2e
