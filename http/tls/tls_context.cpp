#include "http/tls/tls_context.hpp"

#include "base/check.hpp"
#include "base/crypto/sha256.hpp"
#include "http/tls/certificate_kind.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::string_view alpn_protocol = "http/1.1";
constexpr std::size_t ticket_iv_bytes = 16;

tl::unexpected<base::error> invalid(const std::string& file, const std::string& what) {
  const auto reason = base::take_openssl_reason();
  return base::fail(base::errc::config_invalid,
                    file + ": " + what + (reason.empty() ? "" : " (" + reason + ")"));
}

/// Returns the kind of the certificate's key.
base::expected<certificate_kind> use_certificates(SSL_CTX* in, const tls_material::pair& pair) {
  const auto from = base::reader_of(pair.certificate);
  const auto leaf = base::read_certificate(from.get());
  if (!leaf) return invalid(pair.files.certificate, "no certificate in PEM form");
  const auto kind = certificate_kind_of(leaf.get());
  if (!kind)
    return base::fail(kind.error().code, pair.files.certificate + ": " + kind.error().detail);
  if (SSL_CTX_use_certificate(in, leaf.get()) != 1)
    return invalid(pair.files.certificate, "the certificate cannot be used");
  while (auto next = base::read_certificate(from.get()))
    if (SSL_CTX_add0_chain_cert(in, next.release()) != 1)
      return invalid(pair.files.certificate, "the chain after the certificate cannot be used");
  if (!base::is_at_end_of_pem())
    return invalid(pair.files.certificate, "the chain after the certificate is damaged");
  const auto key = base::read_private_key(pair.key);
  if (!key) return invalid(pair.files.key, "no private key in PEM form without a passphrase");
  if (SSL_CTX_use_PrivateKey(in, key.get()) != 1 || SSL_CTX_check_private_key(in) != 1)
    return invalid(pair.files.key, "this key does not belong to " + pair.files.certificate);
  return *kind;
}

base::expected<void> use_client_ca(SSL_CTX* in, const std::string& file, const std::string& pem) {
  const auto from = base::reader_of(pem);
  std::size_t count = 0;
  while (const auto next = base::read_certificate(from.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(in), next.get()) != 1 ||
        SSL_CTX_add_client_CA(in, next.get()) != 1)
      return invalid(file, "an authority cannot be used");
    ++count;
  }
  if (!base::is_at_end_of_pem()) return invalid(file, "a certificate is damaged");
  if (count == 0) return invalid(file, "no certificate in PEM form");
  // Without a certificate, a token may do. One of another authority ends the handshake.
  SSL_CTX_set_verify(in, SSL_VERIFY_PEER, nullptr);
  return {};
}

std::vector<std::uint8_t> der_of(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  std::vector<std::uint8_t> der;
  if (size > 0) der.assign(bytes, bytes + size);
  OPENSSL_free(bytes);
  return der;
}

/// Identifies what a session belongs to: the plane, the certificate and the authorities of client
/// certificates. OpenSSL resumes no session whose identity is another.
using session_identity = std::array<std::uint8_t, 32>;
session_identity identify_session(std::string_view plane, std::span<const std::uint8_t> certificate,
                                  std::string_view client_ca) {
  // Digests, so that the parts cannot be split in two ways.
  std::string parts;
  const auto add = [&parts](std::string_view text) {
    const auto digest = base::sha256(text);
    parts.append(digest.begin(), digest.end());
  };
  add(plane);
  add({reinterpret_cast<const char*>(certificate.data()), certificate.size()});
  add(client_ca);
  return base::sha256(parts);
}

/// The host name that a client requests (RFC 6066); empty if it names none.
std::string_view asked_name(SSL* connection) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(connection, TLSEXT_TYPE_server_name, &bytes, &size) != 1) return {};
  const std::string_view extension{reinterpret_cast<const char*>(bytes), size};
  // A list with one name: its length, the kind of the name, the name's length, the name.
  constexpr std::size_t head = 5;
  if (extension.size() <= head || extension[2] != TLSEXT_NAMETYPE_host_name) return {};
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(extension[3])) << 8U |
                      static_cast<unsigned char>(extension[4]);
  return length == extension.size() - head ? extension.substr(head) : std::string_view{};
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int size, void*) {
  for (unsigned int at = 0; at < size; at += 1 + offered[at]) {
    if (offered[at] > size - at - 1) break;
    if (std::string_view{reinterpret_cast<const char*>(offered) + at + 1, offered[at]} !=
        alpn_protocol)
      continue;
    *chosen = offered + at + 1;
    *length = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void set_common(SSL_CTX* in) {
  SSL_CTX_set_min_proto_version(in, TLS1_2_VERSION);
  SSL_CTX_set_mode(in, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(in, SSL_SESS_CACHE_OFF);
  base::check(SSL_CTX_set_ciphersuites(in, tls_context::suites_1_3) == 1 &&
                  SSL_CTX_set_cipher_list(in, tls_context::suites_1_2) == 1 &&
                  SSL_CTX_set1_groups_list(in, tls_context::groups) == 1,
              "OpenSSL has the suites and groups");
}

} // namespace

struct tls_context::identity {
  explicit identity(const SSL_METHOD* method) : context{SSL_CTX_new(method)} {
    base::check(context != nullptr, "OpenSSL makes a context");
    set_common(context.get());
  }

  ssl_context_ptr context;
  X509* certificate = nullptr;
  certificate_kind kind = certificate_kind::rsa;
  /// Whether it has all names of the first certificate, and so may stand in for it.
  bool has_names_of_first = true;
  session_identity session{};
  std::vector<ticket_key> keys;
};

tls_context::tls_context() = default;
tls_context::~tls_context() = default;

// -- servers ------------------------------------------------------------------

base::expected<std::shared_ptr<tls_context>> tls_context::for_server(const tls_material& material,
                                                                     tls_purpose purpose) {
  std::shared_ptr<tls_context> made{new tls_context};
  made->client_ca_ = base::sha256(material.client_ca);
  for (const auto& pair : material.pairs)
    if (auto added = made->add_pair(material, pair, purpose); !added)
      return tl::unexpected(std::move(added).error());
  base::check(!made->identities_.empty(), "a TLS listener has a certificate");
  return made;
}

base::expected<void> tls_context::add_pair(const tls_material& material,
                                           const tls_material::pair& pair, tls_purpose purpose) {
  auto added = std::make_unique<identity>(TLS_server_method());
  auto* context = added->context.get();
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  const auto kind = use_certificates(context, pair);
  if (!kind) return tl::unexpected(kind.error());
  added->kind = *kind;
  const bool asks_clients = purpose == tls_purpose::ops && !material.client_ca.empty();
  if (asks_clients)
    if (auto used = use_client_ca(context, material.client_ca_file, material.client_ca); !used)
      return used;
  added->certificate = SSL_CTX_get0_certificate(context);
  if (!identities_.empty())
    added->has_names_of_first = includes_names(certificate_names(added->certificate),
                                               certificate_names(identities_.front()->certificate));
  added->session =
      identify_session(purpose == tls_purpose::ops ? "ops" : "data", der_of(added->certificate),
                       asks_clients ? material.client_ca : std::string{});
  // A ticket would admit a client whose certificate is no longer trusted.
  if (!asks_clients) added->keys = material.ticket_keys;
  if (added->keys.empty()) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
  } else {
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_timeout(context, ticket_lifetime_s);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context, &tls_context::on_ticket);
  }
  SSL_CTX_set_session_id_context(context, added->session.data(),
                                 static_cast<unsigned>(added->session.size()));
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_app_data(context, added.get());
  // Connections begin with the first context, which reads the hello and passes to the others.
  if (identities_.empty())
    SSL_CTX_set_client_hello_cb(context, &tls_context::on_client_hello, this);
  identities_.push_back(std::move(added));
  return {};
}

ssl_ptr tls_context::new_connection() const {
  ssl_ptr made{SSL_new(identities_.front()->context.get())};
  base::check(made != nullptr, "OpenSSL makes a connection");
  return made;
}

ssl_ptr tls_context::accept() const {
  auto made = new_connection();
  SSL_set_accept_state(made.get());
  return made;
}

int tls_context::on_client_hello(SSL* connection, int*, void* self) {
  const auto& all = static_cast<const tls_context*>(self)->identities_;
  if (all.size() == 1) return SSL_CLIENT_HELLO_SUCCESS;
  const auto name = asked_name(connection);
  const auto is_for_name = [&](const std::unique_ptr<identity>& each) {
    return !name.empty() &&
           X509_check_host(each->certificate, name.data(), name.size(), 0, nullptr) == 1;
  };
  const bool is_known = std::ranges::any_of(all, is_for_name);
  const certificate_offer offer{connection};
  const identity* shown = nullptr;
  for (const auto& each : all) {
    if (!(is_known ? is_for_name(each) : each->has_names_of_first)) continue;
    const bool is_accepted = offer.accepts(each->kind);
    if (shown == nullptr || is_accepted) shown = each.get();
    if (is_accepted) break;
  }
  if (shown == all.front().get()) return SSL_CLIENT_HELLO_SUCCESS;
  // Before OpenSSL checks tickets, so that tickets of another certificate do not resume.
  SSL_set_SSL_CTX(connection, shown->context.get());
  SSL_set_session_id_context(connection, shown->session.data(),
                             static_cast<unsigned>(shown->session.size()));
  return SSL_CLIENT_HELLO_SUCCESS;
}

int tls_context::on_ticket(SSL* connection, unsigned char* name, unsigned char* iv,
                           EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int encrypts) {
  // The context of the certificate that the connection shows, not the one that it began with.
  const auto* of = static_cast<const identity*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  const auto& keys = of->keys;
  auto key = keys.begin();
  if (encrypts != 0) {
    std::copy(key->name.begin(), key->name.end(), name);
    if (RAND_bytes(iv, ticket_iv_bytes) != 1) return -1;
  } else {
    key = std::ranges::find_if(keys, [&](const ticket_key& each) {
      return std::equal(each.name.begin(), each.name.end(), name);
    });
    if (key == keys.end()) return 0;
  }
  std::string digest = "SHA256";
  auto secret = key->authentication;
  const std::array parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  if (EVP_MAC_CTX_set_params(mac, parameters.data()) != 1 ||
      EVP_CipherInit_ex2(cipher, EVP_aes_256_cbc(), key->encryption.data(), iv, encrypts,
                         nullptr) != 1)
    return -1;
  if (encrypts != 0) return 1;
  // 2: the ticket is valid, and a new one replaces it. Clients of TLS 1.3 use a ticket once.
  return key == keys.begin() && SSL_version(connection) < TLS1_3_VERSION ? 1 : 2;
}

std::string client_subject_of(const SSL& connection) {
  const auto* shown = SSL_get0_peer_certificate(&connection);
  if (shown == nullptr || SSL_get_verify_result(&connection) != X509_V_OK) return {};
  const base::bio_ptr text{BIO_new(BIO_s_mem())};
  X509_NAME_print_ex(text.get(), X509_get_subject_name(shown), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &bytes);
  if (size <= 0) return "(no subject)";
  std::string subject(bytes, static_cast<std::size_t>(size));
  if (subject.size() <= subject_limit_bytes) return subject;
  subject.resize(subject_limit_bytes);
  return subject + "..";
}

// -- clients ------------------------------------------------------------------

base::expected<std::shared_ptr<tls_context>> tls_context::for_client(const std::string& ca_file,
                                                                     sessions wanted) {
  std::shared_ptr<tls_context> made{new tls_context};
  auto added = std::make_unique<identity>(TLS_client_method());
  auto* context = added->context.get();
  if (ca_file.empty())
    SSL_CTX_set_default_verify_paths(context);
  else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1)
    return invalid(ca_file, "no certificates of authorities in PEM form can be read");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  std::string offered{static_cast<char>(alpn_protocol.size())};
  offered += alpn_protocol;
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned>(offered.size()));
  if (wanted == sessions::resumed) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_set_app_data(context, made.get());
    SSL_CTX_sess_set_new_cb(context, &tls_context::on_session);
  }
  made->identities_.push_back(std::move(added));
  return made;
}

int tls_context::on_session(SSL* connection, SSL_SESSION* got) {
  auto* self = static_cast<tls_context*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  self->session_.reset(got);
  return 1; // it is kept
}

ssl_ptr tls_context::connect(const std::string& host) const {
  auto made = new_connection();
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const bool is_address = inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
                          inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
  if (is_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made.get()), host.c_str());
  } else {
    SSL_set1_host(made.get(), host.c_str());
    SSL_set_tlsext_host_name(made.get(), host.c_str());
  }
  if (session_) SSL_set_session(made.get(), session_.get());
  SSL_set_connect_state(made.get());
  return made;
}

} // namespace matchcloud::http
