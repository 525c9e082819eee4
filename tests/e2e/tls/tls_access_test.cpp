// What TLS lets in: client certificates on the ops plane, and listeners beyond this machine.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tokens.hpp"

#include <optional>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using matchcloud::fixtures::make_tls_pair;

std::string ops_text(const server& of, std::string_view method, std::string_view target,
                     std::string_view body = {}, std::string_view headers = {}) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  text.append(of.ops().authority()).append("\r\n").append(headers);
  text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return text.append(body);
}

/// A server whose ops plane needs tokens, or client certificates of `authority`.
struct guarded {
  world of;
  http::tls_material::pair authority = make_tls_pair({.subject = "authority"});
  std::string ca = of.directory().file("ca.pem", authority.certificate);
  server at{tls_data + tls_ops + shared_files().flags() +
                arguments{"--auth", "required", "--ops-auth", "required", "--ops-client-ca", ca},
            of};

  /// The answer to a client that shows `certificate`; nothing where the handshake fails.
  std::optional<answer> ask(const http::tls_material::pair* certificate, const std::string& text,
                            tls_offer offer = {}) const {
    offer.certificate = certificate;
    auto client = tls_client::connected(at.ops(), offer);
    if (!client.shake_hands() || !client.try_send(text)) return std::nullopt;
    // A server of TLS 1.3 looks at the certificate when the client is done.
    auto got = client.try_receive();
    if (!got) CHECK(client.alert() > 0);
    return got;
  }
};

TEST_CASE("rights by a certificate end on open connections when its authority is replaced",
          "[operations]") {
  guarded on;
  const auto operator_of = make_tls_pair({.subject = "olga", .is_authority = false}, on.authority);
  tls_offer offer;
  offer.certificate = &operator_of;
  tls_client client{on.at.ops(), offer};
  const auto status = [&] { return client.ask(ops_text(on.at, "GET", "/v1/games")).status; };
  CHECK(status() == 200);
  on.of.directory().file("ca.pem", make_tls_pair({.subject = "another"}).certificate);
  CHECK(eventually([&] { return status() == 401; }));
}

TEST_CASE("a certificate of the ops plane's authorities may do what an admin token may",
          "[operations]") {
  guarded on;
  const auto& at = on.at;
  const auto operator_of =
      make_tls_pair({.subject = "Olga Operator", .is_authority = false}, on.authority);
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    const auto status = [&](std::string_view method, std::string_view target,
                            std::string_view body = {}) {
      const auto got = on.ask(&operator_of, ops_text(at, method, target, body), offer);
      return got ? got->status : -1;
    };
    CHECK(status("GET", "/v1/games") == 200);
    CHECK(status("GET", "/v1/tokens") == 200);
    CHECK(status("PUT", "/v1/tiers/basic-9d9") ==
          (offer.most_version == TLS1_2_VERSION ? 201 : 200));
    CHECK(status("POST", "/v1/tokens", R"({"kind":"viewer","name":"made"})") == 201);
  }
  const auto log = on.ask(&operator_of, ops_text(at, "GET", "/v1/audit?limit=50"));
  REQUIRE(log);
  const auto entries = parse_json(log->body);
  std::size_t by_certificate = 0;
  for (const auto& each : entries["entries"].GetArray()) {
    if (text_at(each["who"], "kind") != "certificate") continue;
    ++by_certificate;
    CHECK(text_at(each["who"], "name") == "CN=Olga Operator");
    CHECK(text_at(each, "address") == "127.0.0.1");
  }
  CHECK(by_certificate >= 3);
  // The data plane asks for none, and takes none for a token.
  tls_client client{at.data(), {.certificate = &operator_of}};
  CHECK(client.ask(request("POST", groups_target, good_group)).status == 401);
}

TEST_CASE("certificates of strangers, and those that are over, end the handshake", "[operations]") {
  guarded on;
  const auto stranger = make_tls_pair({.subject = "authority"});
  const auto alone = make_tls_pair({.subject = "alone"});
  const auto by_stranger = make_tls_pair({.subject = "x", .is_authority = false}, stranger);
  const auto expired =
      make_tls_pair({.from_s = -7'200, .to_s = -60, .is_authority = false}, on.authority);
  const auto early = make_tls_pair({.from_s = 3'600, .is_authority = false}, on.authority);
  // Signed by one that the authority signed, but that may sign nobody.
  const auto leaf = make_tls_pair({.subject = "leaf", .is_authority = false}, on.authority);
  const auto by_leaf = make_tls_pair({.subject = "y", .is_authority = false}, leaf);
  const auto text = ops_text(on.at, "GET", "/healthz");
  for (const auto& offer : {tls_1_2(), tls_1_3()})
    for (const auto* each : {&alone, &by_stranger, &expired, &early, &by_leaf})
      CHECK(!on.ask(each, text, offer));
  const auto good = make_tls_pair({.is_authority = false}, on.authority);
  CHECK(on.ask(&good, text)->status == 200);
}

TEST_CASE("a client without a certificate needs a token", "[operations]") {
  guarded on;
  const auto& at = on.at;
  CHECK(on.ask(nullptr, ops_text(at, "GET", "/v1/games"))->problem_code() == "token_missing");
  CHECK(on.ask(nullptr, ops_text(at, "GET", "/healthz"))->status == 200);
  const auto good = make_tls_pair({.is_authority = false}, on.authority);
  const auto made =
      on.ask(&good, ops_text(at, "POST", "/v1/tokens", R"({"kind":"viewer","name":"a viewer"})"));
  REQUIRE(made);
  REQUIRE(made->status == 201);
  const auto token = bearer(text_at(parse_json(made->body), "token"));
  CHECK(eventually(
      [&] { return on.ask(nullptr, ops_text(at, "GET", "/v1/games", {}, token))->status == 200; }));
  CHECK(on.ask(nullptr, ops_text(at, "GET", "/v1/tokens", {}, token))->status == 403);
  // Who sends a token, too, is who the token says.
  CHECK(on.ask(&good, ops_text(at, "GET", "/v1/tokens", {}, token))->status == 403);
  CHECK(on.ask(&good, ops_text(at, "GET", "/v1/games", {}, bearer("mc_admin_wrong")))->status ==
        401);
}

// -- beyond this machine ------------------------------------------------------

TEST_CASE("beyond loopback the ops plane speaks TLS or does not start", "[operations]") {
  const arguments plain{"serve",    "--data-dir",  shared_world().data_dir(),
                        "--listen", "127.0.0.1:0", "--ops-listen",
                        "0.0.0.0:0"};
  for (const auto& more :
       {arguments{}, arguments{"--insecure-open"},
        arguments{"--auth", "required", "--ops-auth", "required"}, shared_files().flags()}) {
    const auto refused = run(plain + more);
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK(refused.errors.find("--ops-listen 0.0.0.0:0/tls") != std::string::npos);
  }
  const server of{arguments{"--ops-listen", "0.0.0.0:0/tls"} + shared_files().flags()};
  CHECK(ask_ops(of, "GET", "/v1/games").problem_code() == "token_missing");
  CHECK(ask_ops(of, "GET", "/v1/tokens").status == 401);
  CHECK(ask_ops(of, "GET", "/healthz").status == 200);
}

TEST_CASE("a listener with TLS that lacks something is refused, and the sentence says what",
          "[operations]") {
  const arguments serve{"serve", "--data-dir", shared_world().data_dir()};
  const auto files = shared_files().flags();
  const tls_pair_files stranger;
  struct row {
    arguments flags;
    std::string says;
    int exit_code = 2;
  };
  const arguments loopback{"--ops-listen", "127.0.0.1:0"};
  for (const auto& [flags, says, exit_code] :
       {row{loopback + tls_data, "--tls-cert"},
        row{loopback + tls_data + arguments{"--tls-cert", shared_files().certificate()},
            "has no key"},
        row{loopback + tls_data + arguments{"--tls-key", shared_files().key()},
            "has no certificate"},
        row{loopback + tls_data + files + arguments{"--transport", "httplib"}, "httplib"},
        row{loopback + arguments{"--listen", "127.0.0.1:0"} + files +
                arguments{"--ops-client-ca", shared_files().certificate()},
            "/tls"},
        row{loopback + tls_data +
                arguments{"--tls-cert", shared_files().certificate(), "--tls-key", stranger.key()},
            stranger.key() + ": this key does not belong", 1},
        row{loopback + tls_data +
                arguments{"--tls-cert", "/nowhere/cert.pem", "--tls-key", stranger.key()},
            "/nowhere/cert.pem", 1}}) {
    const auto refused = run(serve + flags);
    CAPTURE(flags, refused.errors);
    CHECK(refused.exit_code == exit_code);
    CHECK(refused.out.empty());
    CHECK(refused.errors.find(says) != std::string::npos);
  }
}

} // namespace
