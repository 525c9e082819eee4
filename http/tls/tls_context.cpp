#include "http/tls/tls_context.hpp"

#include "base/check.hpp"
#include "base/crypto/sha256.hpp"
#include "http/tls/server_certificate.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
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

base::expected<void> use_client_ca(SSL_CTX* in, const std::string& file, const std::string& pem) {
  const auto from = base::reader_of(pem);
  std::size_t count = 0;
  while (const auto next = base::read_certificate(from.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(in), next.get()) != 1 ||
        SSL_CTX_add_client_CA(in, next.get()) != 1)
      return invalid_tls_file(file, "an authority cannot be used");
    ++count;
  }
  if (!base::is_at_end_of_pem()) return invalid_tls_file(file, "a certificate is damaged");
  if (count == 0) return invalid_tls_file(file, "no certificate in PEM form");
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

} // namespace

struct tls_context::identity {
  server_certificate certificate;
  session_identity session{};
  /// Whether it has all names of the first certificate, and so may stand in for it.
  bool has_names_of_first = true;

  int show_on(SSL* connection) const {
    return SSL_use_cert_and_key(connection, certificate.leaf.get(), certificate.key.get(),
                                certificate.chain.get(), 0);
  }
};

tls_context::tls_context(const SSL_METHOD* method) : context_{SSL_CTX_new(method)} {
  auto* context = context_.get();
  base::check(context != nullptr, "OpenSSL makes a context");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_app_data(context, this);
  base::check(SSL_CTX_set_ciphersuites(context, suites_1_3) == 1 &&
                  SSL_CTX_set_cipher_list(context, suites_1_2) == 1 &&
                  SSL_CTX_set1_groups_list(context, groups) == 1,
              "OpenSSL has the suites and groups");
}

tls_context::~tls_context() = default;

// -- servers ------------------------------------------------------------------

base::expected<std::shared_ptr<tls_context>> tls_context::for_server(const tls_material& material,
                                                                     tls_purpose purpose) {
  std::shared_ptr<tls_context> made{new tls_context{TLS_server_method()}};
  made->client_ca_ = base::sha256(material.client_ca);
  auto* context = made->context_.get();
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  const bool asks_clients = purpose == tls_purpose::ops && !material.client_ca.empty();
  for (const auto& pair : material.pairs)
    if (auto added = made->add(pair, purpose, asks_clients ? material.client_ca : std::string{});
        !added)
      return tl::unexpected(std::move(added).error());
  base::check(!made->identities_.empty(), "a TLS listener has a certificate");
  if (asks_clients)
    if (auto used = use_client_ca(context, material.client_ca_file, material.client_ca); !used)
      return tl::unexpected(std::move(used).error());
  // A ticket would admit a client whose certificate is no longer trusted.
  if (!asks_clients) made->ticket_keys_ = material.ticket_keys;
  if (made->ticket_keys_.empty()) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
  } else {
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_timeout(context, ticket_lifetime_s);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context, &tls_context::on_ticket);
  }
  const auto& first = made->identities_.front().session;
  SSL_CTX_set_session_id_context(context, first.data(), sizeof first);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  if (made->identities_.size() > 1)
    SSL_CTX_set_client_hello_cb(context, &tls_context::on_client_hello, made.get());
  return made;
}

base::expected<void> tls_context::add(const tls_material::pair& pair, tls_purpose purpose,
                                      const std::string& client_ca) {
  auto read = read_server_certificate(pair);
  if (!read) return tl::unexpected(std::move(read).error());
  identity added{*std::move(read)};
  const auto& [leaf, chain, key, names] = added.certificate;
  // Each replaces the one before it: of several, `on_client_hello` chooses.
  if (SSL_CTX_use_cert_and_key(context_.get(), leaf.get(), key.get(), chain.get(), 1) != 1)
    return invalid_tls_file(pair.files.certificate, "the certificate or its chain cannot be used");
  if (!identities_.empty())
    added.has_names_of_first = added.certificate.has_names_of(identities_.front().certificate);
  added.session =
      identify_session(purpose == tls_purpose::ops ? "ops" : "data", der_of(leaf.get()), client_ca);
  identities_.push_back(std::move(added));
  return {};
}

ssl_ptr tls_context::new_connection() const {
  ssl_ptr made{SSL_new(context_.get())};
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
  const auto name = asked_name(connection);
  const auto is_for_name = [&](const identity& each) {
    return !name.empty() &&
           X509_check_host(each.certificate.leaf.get(), name.data(), name.size(), 0, nullptr) == 1;
  };
  const bool is_known = std::ranges::any_of(all, is_for_name);
  session_identity session{};
  SSL_certs_clear(connection);
  // OpenSSL accepts one for RSA, one for all curves of ECDSA, and so on, and chooses by what the
  // client can check. Of the curves, the one that most clients know; the last turn shows the rest.
  for (const int bits : {256, 384, 0})
    for (const auto& each : all) {
      if (bits != 0 && EVP_PKEY_get_bits(each.certificate.key.get()) != bits) continue;
      if (!(is_known ? is_for_name(each) : each.has_names_of_first)) continue;
      if (each.show_on(connection) != 1) continue;
      for (std::size_t at = 0; at < session.size(); ++at)
        session[at] ^= each.session[at];
    }
  ERR_clear_error();
  // Before OpenSSL checks tickets, so that tickets of other certificates do not resume.
  SSL_set_session_id_context(connection, session.data(), sizeof session);
  return SSL_CLIENT_HELLO_SUCCESS;
}

int tls_context::on_ticket(SSL* connection, unsigned char* name, unsigned char* iv,
                           EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int encrypts) {
  const auto* self = static_cast<tls_context*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  const auto& keys = self->ticket_keys_;
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
  std::shared_ptr<tls_context> made{new tls_context{TLS_client_method()}};
  auto* context = made->context_.get();
  if (ca_file.empty())
    SSL_CTX_set_default_verify_paths(context);
  else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1)
    return invalid_tls_file(ca_file, "no certificates of authorities in PEM form can be read");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  std::string offered{static_cast<char>(alpn_protocol.size())};
  offered += alpn_protocol;
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned>(offered.size()));
  if (wanted == sessions::resumed) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &tls_context::on_session);
  }
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
