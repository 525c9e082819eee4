#include "http/tls/tls_context.hpp"

#include "http/tls/server_certificate.hpp"
#include "http/tls/tls_files.hpp"
#include "tests/contains.hpp"
#include "tests/http/tls/tls_fixture.hpp"

namespace matchcloud::http {
namespace {

using fixtures::contains;
using fixtures::make_tls_pair;

/// A client whose OpenSSL a test sees, of a server in memory.
struct bare_client {
  std::shared_ptr<direction> ends = std::make_shared<direction>();
  std::shared_ptr<direction> back = std::make_shared<direction>();
  tls_stream server;
  ssl_ptr ssl;
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());

  bare_client(const std::shared_ptr<tls_context>& of, ssl_ptr asks)
      : server{std::make_unique<pipe_end>(ends, back), of}, ssl{std::move(asks)} {
    SSL_set_bio(ssl.get(), in, out);
  }

  /// Continues the handshake, and carries the client's bytes to the server.
  void send() const {
    SSL_do_handshake(ssl.get());
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(out, &bytes);
    ends->bytes.append(bytes, static_cast<std::size_t>(size));
    static_cast<void>(BIO_reset(out));
  }
  /// Carries what the server has sent to the client.
  void receive() const {
    if (!back->bytes.empty())
      BIO_write(in, back->bytes.data(), static_cast<int>(back->bytes.size()));
    back->bytes.clear();
  }
};

/// The subject of the certificate that a server shows to clients that ask for `name`.
std::string shown(const std::shared_ptr<tls_context>& by, const std::string& name) {
  const auto asks = tls_context::for_client("");
  REQUIRE(asks);
  bare_client client{by, (*asks)->connect(name)};
  SSL_set_verify(client.ssl.get(), SSL_VERIFY_NONE, nullptr);
  for (int i = 0; i < 4; ++i) {
    client.send();
    client.server.handshake();
    client.receive();
  }
  auto* peer = SSL_get0_peer_certificate(client.ssl.get());
  REQUIRE(peer != nullptr);
  char text[64];
  X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, text, sizeof text);
  return text;
}

TEST_CASE("the server name chooses the certificate; the first is for all other names") {
  const auto one = make_tls_pair({.names = {"one.example"}, .subject = "one"});
  const auto two = make_tls_pair({.names = {"two.example", "*.two.example"}, .subject = "two"});
  const auto serves = server_context(material_of({one, two}));
  CHECK(shown(serves, "one.example") == "one");
  CHECK(shown(serves, "two.example") == "two");
  CHECK(shown(serves, "eu.two.example") == "two");
  CHECK(shown(serves, "TWO.example") == "two");
  CHECK(shown(serves, "a.b.two.example") == "one");
  CHECK(shown(serves, "other.example") == "one");
  CHECK(shown(serves, "127.0.0.1") == "one"); // names no server
}

TEST_CASE("a client refuses a certificate that is not for the host it asked") {
  const auto pair = make_tls_pair({.names = {"play.example", "IP:192.0.2.1"}});
  const auto serves = server_context(material_of({pair}));
  const auto asks = client_context(pair);
  const auto works = [&](const std::string& host) {
    return tls_link{serves, asks, host}.shake_hands();
  };
  CHECK(works("play.example"));
  CHECK(works("192.0.2.1"));
  CHECK(!works("other.example"));
  CHECK(!works("192.0.2.2"));
  tls_link stranger{serves, client_context(make_tls_pair()), "play.example"};
  CHECK(!stranger.shake_hands());
  CHECK(contains(stranger.client.failure(), "verify failed"));
}

// -- sessions -----------------------------------------------------------------

/// A client that keeps the session of its first connection for a second one.
struct returning {
  std::shared_ptr<tls_context> first;
  tls_material::pair pair = test_pair();

  /// Whether a session with `first` is resumed by `second`.
  bool resumes(const std::shared_ptr<tls_context>& second, bool tls_1_2 = false) const {
    const auto asks = client_context(pair);
    const auto visit = [&](const std::shared_ptr<tls_context>& serves, SSL_SESSION* with) {
      bare_client client{serves, asks->connect("localhost")};
      auto& server = client.server;
      auto* const ssl = client.ssl.get();
      if (tls_1_2) SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
      if (with != nullptr) SSL_set_session(ssl, with);
      std::string buffer(100, '\0');
      bool answered = false;
      for (int i = 0; i < 6; ++i) {
        client.send();
        if (!answered && server.handshake() == handshake_status::done)
          answered = write_text(server, "hello").status == io_status::moved;
        client.receive();
        SSL_read(ssl, buffer.data(), static_cast<int>(buffer.size()));
      }
      REQUIRE(answered);
      CHECK(server.is_resumed() == (SSL_session_reused(ssl) == 1));
      auto* session = SSL_get1_session(ssl);
      // OpenSSL drops the session of a connection that ends without saying so.
      SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
      return std::pair{session, server.is_resumed()};
    };
    auto [session, before] = visit(first, nullptr);
    CHECK(!before);
    // Again and again, each time with what came last.
    bool all = true;
    for (int i = 0; i < 3; ++i) {
      const auto [next, resumed] = visit(second, session);
      SSL_SESSION_free(std::exchange(session, next));
      if (i == 0 && !resumed) all = false;
      if (!resumed) break;
      CHECK(SSL_SESSION_has_ticket(session) == 1);
    }
    SSL_SESSION_free(session);
    return all;
  }
};

TEST_CASE("a ticket resumes its session at every context that has the key") {
  const bool tls_1_2 = GENERATE(false, true);
  const returning client{server_context()};
  CHECK(client.resumes(client.first, tls_1_2));
  CHECK(client.resumes(server_context(), tls_1_2));
  // A replaced key still opens the tickets that it made.
  const ticket_key one{{1}, {}, {}};
  const ticket_key two{{2}, {}, {}};
  CHECK(client.resumes(server_context(material_of({test_pair()}, {two, one})), tls_1_2));
  CHECK(!client.resumes(server_context(material_of({test_pair()}, {two})), tls_1_2));
}

TEST_CASE("no session is resumed on another plane or with another certificate") {
  const bool tls_1_2 = GENERATE(false, true);
  const returning client{server_context()};
  CHECK(!client.resumes(server_context(material_of(), tls_purpose::ops), tls_1_2));
  const auto root = make_tls_pair({.subject = "root"});
  const auto one = make_tls_pair({}, root);
  const auto other = make_tls_pair({}, root);
  const returning renewed{server_context(material_of({one})), root};
  CHECK(renewed.resumes(server_context(material_of({one})), tls_1_2));
  CHECK(!renewed.resumes(server_context(material_of({other})), tls_1_2));
  // Of two certificates each has its own tickets.
  const auto elsewhere = make_tls_pair({.names = {"elsewhere"}}, root);
  CHECK(renewed.resumes(server_context(material_of({elsewhere, one})), tls_1_2));
}

TEST_CASE("servers that accept client certificates use no tickets") {
  const bool tls_1_2 = GENERATE(false, true);
  auto with_authorities = material_of();
  with_authorities.client_ca = make_tls_pair().certificate;
  const auto asks = server_context(with_authorities, tls_purpose::ops);
  const returning client{server_context(material_of(), tls_purpose::ops)};
  CHECK(client.resumes(client.first, tls_1_2));
  CHECK(!client.resumes(asks, tls_1_2));
  CHECK(!returning{asks}.resumes(asks, tls_1_2));
  // On the data plane the authorities say nothing.
  const returning player{server_context()};
  CHECK(player.resumes(server_context(with_authorities), tls_1_2));
}

// -- files --------------------------------------------------------------------

struct folder {
  fixtures::temporary_directory in;
  tls_files files{{{in.path() + "/cert.pem", in.path() + "/key.pem"}}, {}};

  void write(const tls_material::pair& pair) const {
    put(files.pairs[0].certificate, pair.certificate);
    put(files.pairs[0].key, pair.key);
  }
  static void put(const std::string& file, const std::string& text) { std::ofstream{file} << text; }
  std::string why_not() const {
    const auto read = read_tls_files(files);
    return read ? "" : read.error().detail;
  }
};

TEST_CASE("unusable certificate files are named with the reason") {
  folder of;
  of.write(test_pair());
  CHECK(read_tls_files(of.files)->pairs[0].key == test_pair().key);
  SECTION("a missing one") {
    of.files.pairs[0].key += "x";
    CHECK(contains(of.why_not(), "/key.pemx: cannot open the file"));
  }
  SECTION("no certificate") {
    of.put(of.files.pairs[0].certificate, "nothing");
    CHECK(contains(of.why_not(), "cert.pem: no certificate in PEM form"));
  }
  SECTION("a chain that is cut") {
    of.put(of.files.pairs[0].certificate,
           test_pair().certificate + test_pair().certificate.substr(0, 200));
    CHECK(contains(of.why_not(), "cert.pem: the chain after"));
  }
  SECTION("another's key") {
    of.put(of.files.pairs[0].key, make_tls_pair().key);
    CHECK(contains(of.why_not(), "key.pem: this key does not belong to "));
  }
  SECTION("no key") {
    of.put(of.files.pairs[0].key, test_pair().certificate);
    CHECK(contains(of.why_not(), "key.pem: no private key"));
  }
  SECTION("too much") {
    of.put(of.files.pairs[0].key, std::string(tls_file_limit_bytes + 1, 'x'));
    CHECK(contains(of.why_not(), "key.pem: more than 1048576 bytes"));
  }
  SECTION("authorities") {
    of.files.client_ca = of.in.path() + "/ca.pem";
    of.put(of.files.client_ca, test_pair().certificate);
    CHECK(of.why_not().empty());
    of.put(of.files.client_ca, test_pair().key);
    CHECK(contains(of.why_not(), "/ca.pem: no certificate"));
  }
}

TEST_CASE("operators are warned of expiring and invalid certificates") {
  const auto warnings = [](long from_s, long to_s) {
    return warnings_of(material_of({make_tls_pair({.from_s = from_s, .to_s = to_s})}),
                       std::int64_t{::time(nullptr)} * 1'000);
  };
  const long day = 86'400;
  CHECK(warnings(-day, 15 * day).empty());
  const auto soon = warnings(-day, 14 * day - 60).front();
  CHECK(contains(soon.text, "expires in 13 days"));
  CHECK_FALSE(soon.is_useless);
  const auto over = warnings(-day, -60).front();
  CHECK(contains(over.text, "has expired"));
  CHECK(over.is_useless);
  const auto early = warnings(day, 30 * day).front();
  CHECK(contains(early.text, "not valid yet"));
  CHECK(early.is_useless);
  CHECK(first_expiry_s(material_of({make_tls_pair({.to_s = 2 * day}), make_tls_pair()})) ==
        Approx(::time(nullptr) + day).margin(5));
}

TEST_CASE("keys that clients accept are read") {
  for (const std::string key : {"P-256", "P-384", "P-521", "ED25519", "ED448"})
    CHECK(read_server_certificate(make_tls_pair({.key = key})));
  CHECK(read_server_certificate(make_tls_pair({.is_rsa = true})));
}

TEST_CASE("keys that no client accepts are refused with advice") {
  for (const std::string key : {"secp256k1", "brainpoolP256r1", "secp224r1", "RSA:1024"}) {
    const auto pair = make_tls_pair({.key = key});
    const auto kind = read_server_certificate(pair);
    REQUIRE_FALSE(kind);
    INFO(kind.error().detail);
    CHECK(kind.error().code == base::errc::config_invalid);
    CHECK(contains(kind.error().detail, key == "RSA:1024" ? "RSA with 1024 bits" : key));
    CHECK(contains(kind.error().detail, "no client accepts"));
    CHECK(contains(kind.error().detail, "P-256"));
    const auto context = tls_context::for_server(material_of({pair}), tls_purpose::data);
    REQUIRE_FALSE(context);
    CHECK(context.error().detail == kind.error().detail);
    CHECK(context.error().detail.starts_with("cert.pem: "));
  }
}

TEST_CASE("a curve given by its parameters is refused") {
  const auto kind = read_server_certificate(make_tls_pair({.key = "P-256:explicit"}));
  REQUIRE_FALSE(kind);
  CHECK(contains(kind.error().detail, "that its own parameters describe"));
}

} // namespace
} // namespace matchcloud::http
