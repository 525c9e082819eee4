#include "http/front/access_gate.hpp"

#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matchcloud::http {
namespace {

using namespace std::chrono_literals;
using base::errc;
using fixtures::contains;
using model::token_kind;

const model::uuid gate_game = fixtures::id_of(1);
const std::string games_path = "/cloud/games/" + model::to_string(gate_game);

/// A request, and what the gate has found out about its client.
struct asked : request {
  mutable caller_facts by = {};
};

/// A gate with a token of each kind.
struct access_gate_bench {
  fixtures::manual_clock clock;
  front_settings settings;
  transport_metrics metrics;
  std::shared_ptr<base::rate_limit_table> table =
      std::make_shared<base::rate_limit_table>(64, base::siphash_key{1, 2});
  std::vector<model::issued_token> issued;
  std::unique_ptr<access_gate> gate;

  access_gate_bench() {
    settings.access.requires_tokens = true;
    for (std::size_t i = 0; i < model::token_kind_names.size(); ++i) {
      model::new_token wanted;
      wanted.kind = static_cast<token_kind>(i);
      wanted.name = model::token_kind_names[i];
      if (scope_of(wanted.kind) != model::token_scope::none) wanted.scope = gate_game;
      issued.push_back(model::make_token(wanted, "x", clock.unix_ms()));
    }
  }

  void open() {
    gate = std::make_unique<access_gate>(std::make_shared<const front_settings>(settings), table,
                                         &metrics, clock);
    std::vector<model::access_token> tokens;
    for (const auto& each : issued)
      tokens.push_back(each.token);
    gate->set_tokens(std::make_shared<const model::token_list>(1, std::move(tokens)));
  }

  static asked asking(const std::string& method, const std::string& target,
                      const std::string& from = "192.0.2.1") {
    asked made;
    made.method = parse_method(method);
    made.method_token = method;
    made.target = target;
    made.peer = *model::parse_ip_address(from);
    made.set(header::host, "127.0.0.1");
    return made;
  }
  asked with(asked head, token_kind kind) const {
    head.set(header::authorization, "Bearer " + issued[static_cast<std::size_t>(kind)].text);
    return head;
  }
  tl::expected<route, refused_request> admit(const asked& head, std::uint64_t body_bytes = 0) {
    return gate->admit(head, head.by, body_bytes);
  }
  std::uint64_t token_key(const asked& head) const { return gate->token_key(head, head.by); }
  void charge_answer(const asked& head, std::size_t bytes) {
    gate->charge_answer(head, head.by, operation::validate_game, bytes);
  }
  /// `ok`, or the code of the refusal.
  std::string ask(const asked& head) {
    if (!gate) open();
    const auto got = admit(head);
    if (got) return "ok";
    return std::string{base::describe(got.error().why.code).code};
  }
  std::string ping(const std::string& from = "192.0.2.1") {
    return ask(asking("GET", "/ping", from));
  }
  /// Asks for a validation with the studio's token.
  std::string validate() {
    return ask(with(asking("POST", "/cloud/games/validate"), token_kind::studio));
  }
};

TEST_CASE("an admitted request has its operation, client and token") {
  access_gate_bench on;
  on.settings.proxies.trusted_proxies.push_back(*model::parse_cidr("10.0.0.0/8"));
  on.open();
  auto head = on.with(on.asking("GET", games_path + "/avatars", "10.0.0.1"), token_kind::game);
  head.set(header::x_forwarded_for, "192.0.2.77");
  const auto got = on.admit(head);
  REQUIRE(got);
  CHECK(got->row->id == operation::list_avatars);
  CHECK(got->client == *model::parse_ip_address("192.0.2.77"));
  REQUIRE(got->token != nullptr);
  CHECK(got->token->what.name == "game");
  CHECK(got->id == gate_game); // its scope was checked by it
}

TEST_CASE("checks run in order: address, path, method, token, permission, limit") {
  access_gate_bench on;
  on.settings.access.per_address[0] = on.settings.access.per_address[1] = {1, 60};
  on.settings.access.per_token[0] = on.settings.access.per_token[1] = {1, 60};
  const auto target = games_path + "/avatars";
  // Each from an address of its own, so that only the first check that fails answers.
  CHECK(on.ask(on.asking("GET", "/nowhere", "192.0.2.2")) == "route_not_found");
  CHECK(on.ask(on.asking("GET", "/nowhere", "192.0.2.2")) == "rate_limited");
  CHECK(on.ask(on.asking("BREW", target, "192.0.2.3")) == "method_not_implemented");
  CHECK(on.ask(on.asking("POST", target, "192.0.2.4")) == "method_not_allowed");
  CHECK(on.ask(on.asking("GET", target, "192.0.2.5")) == "token_missing");
  CHECK(on.ask(on.with(on.asking("GET", target, "192.0.2.6"), token_kind::studio)) ==
        "not_permitted");
  CHECK(on.ask(on.with(on.asking("GET", target, "192.0.2.7"), token_kind::game)) == "ok");
  CHECK(on.ask(on.with(on.asking("GET", target, "192.0.2.8"), token_kind::game)) == "rate_limited");
  CHECK(on.ask(on.with(on.asking("GET", "/cloud/games/x/avatars", "192.0.2.9"),
                       token_kind::game)) == "not_permitted");
}

TEST_CASE("any token may call what anonymous clients may") {
  for (const bool anonymous : {true, false}) {
    CAPTURE(anonymous);
    access_gate_bench on;
    on.settings.access.anonymous_regions = anonymous;
    for (const std::string target : {"/matchmaker/regions", "/ping"}) {
      CHECK(on.ask(on.asking("GET", target)) == (anonymous ? "ok" : "token_missing"));
      for (std::size_t kind = 0; kind < model::token_kind_names.size(); ++kind) {
        CAPTURE(target, model::token_kind_names[kind]);
        CHECK(on.ask(on.with(on.asking("GET", target), static_cast<token_kind>(kind))) == "ok");
      }
    }
  }
}

TEST_CASE("a request is counted once, however often it is judged") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {2, 60};
  const auto head = on.asking("GET", "/ping");
  for (int i = 0; i < 5; ++i)
    CHECK(on.ask(head) == "ok");
  CHECK(on.ping() == "ok");
  CHECK(on.ping() == "rate_limited");
}

TEST_CASE("cheap and expensive operations have limits of their own") {
  access_gate_bench on;
  on.settings.access.requires_tokens = false;
  on.settings.access.per_address[0] = {1, 60};
  on.settings.access.per_address[1] = {2, 60};
  CHECK(on.ping() == "ok");
  CHECK(on.ping() == "rate_limited");
  CHECK(on.ask(on.asking("GET", games_path + "/avatars")) == "ok");
  CHECK(on.ask(on.asking("GET", games_path + "/avatars")) == "ok");
  CHECK(on.ask(on.asking("GET", games_path + "/avatars")) == "rate_limited");
  CHECK(on.metrics.rate_limited[0][0].get() == 1);
  CHECK(on.metrics.rate_limited[0][1].get() == 1);
}

TEST_CASE("a client that used half of its limit is noisy") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {4, 60};
  std::vector<bool> noisy;
  for (int i = 0; i < 4; ++i) {
    const auto head = on.asking("GET", "/ping");
    CHECK(on.ask(head) == "ok");
    noisy.push_back(head.by.is_noisy);
  }
  CHECK(noisy == std::vector<bool>{false, false, true, true});
  on.clock.advance(60s);
  const auto calm = on.asking("GET", "/ping");
  CHECK(on.ask(calm) == "ok");
  CHECK_FALSE(calm.by.is_noisy);
}

TEST_CASE("addresses of this machine and trusted proxies have no limit, unless told") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {1, 60};
  on.settings.proxies.trusted_proxies.push_back(*model::parse_cidr("10.0.0.0/8"));
  for (const std::string from : {"127.0.0.1", "::1", "10.0.0.1"})
    for (int i = 0; i < 5; ++i)
      CHECK(on.ping(from) == "ok");
  on.settings.access.limits_loopback = true;
  on.open();
  CHECK(on.ping("127.0.0.1") == "ok");
  CHECK(on.ping("127.0.0.1") == "rate_limited");
  CHECK(on.ping("10.0.0.1") == "ok");
}

TEST_CASE("a client with a hidden address is limited as its proxy") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {1, 60};
  on.settings.proxies.trusted_proxies.push_back(*model::parse_cidr("127.0.0.1"));
  const auto ask = [&](const std::string& forwarded) {
    auto head = on.asking("GET", "/ping", "127.0.0.1");
    head.set(header::x_forwarded_for, "192.0.2.1");
    head.set(header::forwarded, forwarded);
    return on.ask(head);
  };
  CHECK(ask("for=192.0.2.9") == "ok");
  for (const std::string forwarded : {"for=192.0.2.9", "garbage", "for=unknown"}) {
    CAPTURE(forwarded);
    CHECK(ask(forwarded) == "rate_limited");
  }
  // A list of nothing hides nothing: the other header's client has a limit of its own.
  CHECK(ask(",") == "ok");
  CHECK(ask(", ,") == "rate_limited");
  // The proxy's own checks, which name nobody, are not limited.
  for (int i = 0; i < 5; ++i)
    CHECK(on.ping("127.0.0.1") == "ok");
}

TEST_CASE("the target * counts against the address") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {1, 60};
  on.open();
  const auto ask = [&] {
    const auto head = on.asking("OPTIONS", "*");
    return on.gate->admit_asterisk(head, head.by);
  };
  CHECK(ask());
  const auto refused = ask();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().why.code == errc::rate_limited);
}

TEST_CASE("an IPv6 client is its prefix of the configured length") {
  for (const std::size_t bits : {48, 56, 64, 128}) {
    access_gate_bench on;
    on.settings.access.per_address[0] = {1, 60};
    on.settings.access.ipv6_client_prefix = bits;
    CAPTURE(bits);
    CHECK(on.ping("2001:db8:1:100::1") == "ok");
    CHECK(on.ping("2001:db8:1:100::2") == (bits == 128 ? "ok" : "rate_limited"));
    CHECK(on.ping("2001:db8:1:101::1") == (bits >= 64 ? "ok" : "rate_limited"));
    CHECK(on.ping("2001:db8:1:200::1") == (bits >= 56 ? "ok" : "rate_limited"));
    CHECK(on.ping("2001:db8:2::1") == "ok");
  }
}

TEST_CASE("tokens are judged by the time of the clock") {
  access_gate_bench on;
  auto& token = on.issued[static_cast<std::size_t>(token_kind::studio)].token;
  token.what.expires_ms = on.clock.unix_ms() + 1'000;
  token.former_digest = model::digest_of("former");
  CHECK(on.validate() == "ok");
  on.clock.advance(999ms);
  CHECK(on.validate() == "ok");
  on.clock.advance(1ms);
  CHECK(on.validate() == "token_expired");
  token.revoked_ms = on.clock.unix_ms();
  on.open();
  CHECK(on.validate() == "token_revoked");
  CHECK(on.metrics.access_refused[static_cast<std::size_t>(access_refusal::token_expired)].get() ==
        1);
}

TEST_CASE("a use is noted, a refused token's is not") {
  access_gate_bench on;
  on.open();
  std::vector<model::access_token> tokens{on.issued[4].token};
  const auto list = std::make_shared<const model::token_list>(2, tokens);
  on.gate->set_tokens(list);
  CHECK(on.ask(on.with(on.asking("POST", "/cloud/games/validate"), token_kind::game)) ==
        "token_unknown");
  CHECK(list->used_ms(0) == 0);
  CHECK(on.validate() == "ok");
  CHECK(list->used_ms(0) == on.clock.unix_ms() / 1'000 * 1'000);
}

TEST_CASE("until the tokens are known, requests with one get store_failed") {
  access_gate_bench on;
  on.open();
  on.gate->wait_for_store();
  CHECK(on.validate() == "store_failed");
  on.gate->set_tokens(
      std::make_shared<const model::token_list>(2, std::vector{on.issued[4].token}));
  CHECK(on.validate() == "ok");
}

TEST_CASE("a player token's limit is for each address, also one of its own") {
  access_gate_bench on;
  on.settings.access.anonymous_regions = false;
  on.settings.access.per_token[0] = {5, 60};
  const auto player = static_cast<std::size_t>(token_kind::player);
  on.issued[player].token.what.limits.cheap = base::rate_policy{2, 60};
  on.issued[static_cast<std::size_t>(token_kind::studio)].token.what.limits.cheap =
      base::rate_policy{2, 60};
  const auto allowed = [&](const std::string& method, const std::string& target, token_kind kind,
                           const std::string& from) {
    int count = 0;
    for (int i = 0; i < 6; ++i)
      if (on.ask(on.with(on.asking(method, target, from), kind)) == "ok") ++count;
    return count;
  };
  for (const std::string from : {"192.0.2.1", "192.0.2.2"})
    CHECK(allowed("GET", "/ping", token_kind::player, from) == 2);
  const auto validate = "/cloud/games/validate";
  CHECK(allowed("POST", validate, token_kind::studio, "192.0.2.1") == 2);
  CHECK(allowed("POST", validate, token_kind::studio, "192.0.2.2") == 0);
}

TEST_CASE("with auth = open, rebound pages cannot read a game's data") {
  access_gate_bench on;
  on.settings.access.requires_tokens = false;
  on.settings.access.data_hosts = {"match.example"};
  const auto avatars = games_path + "/avatars";
  const auto history = games_path + "/matchmaker/lobbies/export-history";
  const auto asked = [&](const std::string& method, const std::string& target,
                         const std::string& from, const std::string& host,
                         const std::string& origin = {}) {
    auto head = on.asking(method, target, from);
    head.set(header::host, host);
    if (!origin.empty()) head.set(header::origin, origin);
    return on.ask(head);
  };
  for (const auto& [method, target] : {std::pair{"GET", avatars}, std::pair{"POST", history}}) {
    CAPTURE(target);
    CHECK(asked(method, target, "127.0.0.1", "localhost:8080") == "ok");
    CHECK(asked(method, target, "::1", "match.example") == "ok");
    CHECK(asked(method, target, "127.0.0.1", "rebound.example") == "host_not_allowed");
    CHECK(asked(method, target, "127.0.0.1", "localhost", "https://a.example") ==
          "origin_not_allowed");
    CHECK(asked("OPTIONS", target, "127.0.0.1", "rebound.example") == "ok");
    // A client of another listener is not led there by this machine's browser.
    CHECK(asked(method, target, "192.0.2.1", "rebound.example") == "ok");
  }
  // What says that a proxy passed it on is what a page can say, too.
  on.settings.proxies.trusted_proxies.push_back(*model::parse_cidr("127.0.0.1"));
  on.gate.reset();
  auto forwarded = on.asking("GET", avatars, "127.0.0.1");
  forwarded.set(header::host, "rebound.example");
  forwarded.set(header::x_forwarded_for, "192.0.2.1");
  CHECK(on.ask(forwarded) == "host_not_allowed");
  for (const std::string target : {"/matchmaker/regions", "/ping"})
    CHECK(asked("GET", target, "127.0.0.1", "rebound.example", "https://a.example") == "ok");
  CHECK(asked("POST", "/cloud/groups/validate", "127.0.0.1", "rebound.example") == "ok");
  on.settings.access.requires_tokens = true;
  on.gate.reset();
  CHECK(asked("GET", avatars, "127.0.0.1", "rebound.example") == "token_missing");
}

TEST_CASE("a page of a registered domain may ask for its game's data") {
  access_gate_bench on;
  on.settings.access.requires_tokens = false;
  auto head = on.asking("GET", games_path + "/avatars", "127.0.0.1");
  head.set(header::origin, "https://play.example");
  CHECK(on.ask(head) == "origin_not_allowed");
  model::catalog known;
  known.namespaces.push_back({});
  known.namespaces.back().domains = {"play.example"};
  known.index_domains();
  CHECK(on.gate->set_catalog(std::make_shared<const model::catalog>(known)) == nullptr);
  CHECK(on.ask(head) == "ok");
}

TEST_CASE("an untyped body is refused from pages of other origins") {
  access_gate_bench on;
  on.settings.access.requires_tokens = GENERATE(false, true);
  const auto ask = [&](const char* type, const char* origin, const char* site = "") {
    auto head = on.with(on.asking("POST", "/cloud/games/validate"), token_kind::studio);
    if (*type != 0) head.set(header::content_type, type);
    if (*origin != 0) head.set(header::origin, origin);
    if (*site != 0) head.set(header::sec_fetch_site, site);
    return on.ask(head);
  };
  CHECK(ask("", "https://a.example") == "origin_not_allowed");
  CHECK(ask("", "", "cross-site") == "origin_not_allowed");
  CHECK(ask("", "") == "ok");
  CHECK(ask("application/json", "https://a.example", "cross-site") == "ok");
}

TEST_CASE("a token's quota is divided by the replicas") {
  access_gate_bench on;
  const auto replicas = std::make_shared<store::replica_count>();
  on.settings.access.replicas = replicas;
  on.settings.access.per_token[0] = {2, 10};
  // How many are let in during a minute of asking ten times a second, after the quota at once.
  const auto let_in = [&] {
    int count = 0;
    for (int i = 0; i < 600; ++i) {
      on.clock.advance(100ms);
      if (on.validate() == "ok") ++count;
    }
    return count;
  };
  CHECK(on.validate() == "ok");
  CHECK(on.validate() == "ok");
  CHECK(on.validate() == "rate_limited");
  CHECK(let_in() == 12);
  replicas->note(3);
  let_in(); // what was taken before counts
  CHECK(let_in() == 4);
  replicas->note(1);
  let_in();
  CHECK(let_in() == 12);
}

TEST_CASE("on the ops plane only requests of this machine itself need no token") {
  access_gate_bench on;
  on.settings.plane = plane::ops;
  on.settings.access.requires_tokens = false;
  CHECK(on.ask(on.asking("GET", "/actors", "127.0.0.1")) == "ok");
  CHECK(on.ask(on.asking("GET", "/actors", "::1")) == "ok");
  CHECK(on.ask(on.asking("GET", "/actors")) == "token_missing");
  auto proxied = on.asking("GET", "/actors", "127.0.0.1");
  proxied.through_proxy = true;
  CHECK(on.ask(proxied) == "token_missing");
  CHECK(on.ask(on.with(on.asking("GET", "/actors"), token_kind::viewer)) == "ok");
  CHECK(on.ask(on.with(on.asking("GET", "/actors", "127.0.0.1"), token_kind::metrics)) ==
        "not_permitted");
  CHECK(on.ask(on.asking("GET", "/v1/tokens", "127.0.0.1")) == "ok");
  on.settings.access.requires_tokens = true;
  on.open();
  CHECK(on.ask(on.asking("GET", "/v1/tokens", "127.0.0.1")) == "token_missing");
  CHECK(on.ask(on.asking("GET", "/actors", "127.0.0.1")) == "ok");
  on.settings.access.ops_requires_tokens = true;
  on.open();
  CHECK(on.ask(on.asking("GET", "/actors", "127.0.0.1")) == "token_missing");
  CHECK(on.ask(on.asking("GET", "/healthz")) == "ok");
}

TEST_CASE("a request counts by the sizes of its body and answer") {
  access_gate_bench on;
  on.settings.access.requires_tokens = false;
  on.settings.access.per_address[0] = {10, 60};
  on.open();
  const auto left = [&](const std::string& from) {
    int ok = 0;
    while (on.ping(from) == "ok")
      ++ok;
    return ok;
  };
  const auto validation = [&](const std::string& from) {
    return on.asking("POST", "/cloud/games/validate", from);
  };
  CHECK(on.admit(validation("192.0.2.1"), 17'000));
  CHECK(left("192.0.2.1") == 5);
  // Of a body in chunks the size is known once it is there; the request counts once all the same.
  const auto chunked = validation("192.0.2.2");
  CHECK(on.admit(chunked));
  CHECK(on.admit(chunked, 17'000));
  CHECK(on.admit(chunked, 17'000));
  CHECK(left("192.0.2.2") == 5);
  const auto answered = validation("192.0.2.3");
  CHECK(on.admit(answered, 100));
  on.charge_answer(answered, 4'095);
  on.charge_answer(answered, 3 * 4'096);
  CHECK(left("192.0.2.3") == 6);
  // Debt of an answer keeps out what comes next, not for longer than its units take.
  const auto large = validation("192.0.2.4");
  CHECK(on.admit(large));
  on.charge_answer(large, 1'000'000);
  CHECK(left("192.0.2.4") == 0);
  on.clock.advance(120s);
  CHECK(left("192.0.2.4") == 10);
  const auto refused = on.admit(validation("192.0.2.4"), 17'000);
  REQUIRE_FALSE(refused);
  CHECK(
      contains(refused.error().why.detail, "This request counts as 5 because its body is large."));
}

TEST_CASE("the answers to a token's requests count against the token") {
  access_gate_bench on;
  on.settings.access.per_token[0] = {10, 60};
  const auto head = on.with(on.asking("POST", "/cloud/games/validate"), token_kind::studio);
  CHECK(on.ask(head) == "ok");
  const auto key = on.token_key(head);
  CHECK(key != 0);
  CHECK(on.token_key(on.with(on.asking("GET", "/", "192.0.2.9"), token_kind::studio)) == key);
  const auto as_player = [&](const std::string& from) {
    return on.token_key(on.with(on.asking("GET", "/", from), token_kind::player));
  };
  CHECK(as_player("192.0.2.1") != as_player("192.0.2.2")); // many players have the same token
  CHECK(on.token_key(on.asking("GET", "/")) == 0);
  on.charge_answer(head, 9 * 4'096);
  CHECK(on.ask(on.with(on.asking("POST", "/cloud/games/validate", "192.0.2.2"),
                       token_kind::studio)) == "rate_limited");
}

TEST_CASE("a TLS handshake counts as ten cheap requests of its address") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {25, 60};
  on.open();
  const auto from = *model::parse_ip_address("192.0.2.1");
  CHECK(on.gate->admit_handshake(from));
  CHECK(on.gate->admit_handshake(from));
  CHECK_FALSE(on.gate->admit_handshake(from));
  for (int i = 0; i < 5; ++i)
    CHECK(on.ping() == "ok");
  CHECK(on.ping() == "rate_limited");
  CHECK(on.gate->admit_handshake(*model::parse_ip_address("192.0.2.2")));
  for (int i = 0; i < 9; ++i)
    CHECK(on.gate->admit_handshake(*model::parse_ip_address("127.0.0.1")));
}

TEST_CASE("a refusal says whether the connection is the client's own") {
  access_gate_bench on;
  on.settings.access.per_address[0] = {1, 60};
  on.settings.proxies.trusted_proxies.push_back(*model::parse_cidr("10.0.0.0/8"));
  auto own = on.asking("GET", "/ping");
  CHECK(on.ask(own) == "ok");
  CHECK_FALSE(own.by.is_over_limit);
  own = on.asking("GET", "/ping");
  CHECK(on.ask(own) == "rate_limited");
  CHECK(own.by.is_over_limit);
  auto through = on.asking("GET", "/ping", "10.0.0.1");
  through.set(header::x_forwarded_for, "192.0.2.1");
  CHECK(on.ask(through) == "rate_limited");
  CHECK_FALSE(through.by.is_over_limit);
}

} // namespace
} // namespace matchcloud::http
