// Tokens and the audit log, on every complete engine.
#include "model/access/new_token.hpp"
#include "store/local_author.hpp"
#include "tests/store/conformance/engines.hpp"

#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

constexpr std::int64_t now_ms = 1'800'000'000'000;

model::issued_token new_token(std::string name = "build") {
  model::new_token wanted;
  wanted.kind = model::token_kind::game;
  wanted.scope = id_of(1);
  wanted.name = std::move(name);
  wanted.limits.cheap = base::rate_policy{100, 10};
  return model::make_token(wanted, "local root (0)", now_ms);
}

model::audit_author somebody() {
  return {model::audit_author::kind::token, "ops", "id-1", "192.0.2.1", "req-1"};
}

struct access_bench : conforming_store {
  access_bench() : conforming_store{each_complete_engine()} {}

  lease<access_store> access = had(of->access());
  lease<token_store> tokens = had(of->tokens());
  lease<audit_store> audit = had(of->audit());

  std::vector<model::audit_entry> log(model::audit_query query = {}) const {
    return had(audit->read_audit(query)).entries;
  }
  lease<token_store> by(const model::audit_run_ptr& run) const { return had(of->tokens(run)); }
};

TEST_CASE("a token is stored with all that it has, and moves the revision", "[engines]") {
  const access_bench on;
  CHECK(had(on.access->tokens_revision()) == 0);
  auto made = new_token().token;
  made.what.expires_ms = now_ms + 5;
  had(on.tokens->create_token(made));
  CHECK(had(on.access->tokens_revision()) == 1);
  const auto all = had(on.access->load_tokens());
  CHECK(all->revision() == 1);
  REQUIRE(all->tokens().size() == 1);
  const auto& stored = all->tokens()[0];
  CHECK(stored.token_id == made.token_id);
  CHECK(stored.digest == made.digest);
  CHECK(stored.what.kind == model::token_kind::game);
  CHECK(stored.what.scope == id_of(1));
  CHECK(stored.what.name == "build");
  CHECK(stored.what.expires_ms == now_ms + 5);
  CHECK(stored.created_ms == now_ms);
  CHECK(stored.created_by == "local root (0)");
  CHECK(stored.what.limits.cheap->quota == 100);
  CHECK_FALSE(stored.what.limits.expensive);
  CHECK_FALSE(stored.revoked_ms);
  CHECK_FALSE(stored.last_use_ms);
}

TEST_CASE("another session sees a new token and is told that something changed", "[engines]") {
  const access_bench on;
  const auto other = had(on.open());
  CHECK(tells(*on.feed));
  CHECK_FALSE(had(on.feed->changed()));
  had(had(other->tokens())->create_token(new_token().token));
  CHECK(tells(*on.feed));
  CHECK(had(on.access->tokens_revision()) == 1);
  // The catalog has not moved: nobody reloads it.
  CHECK(had(on.catalog->revision()) == 0);
}

TEST_CASE("a rotated token keeps its former text for a while", "[engines]") {
  const access_bench on;
  const auto made = new_token();
  had(on.tokens->create_token(made.token));
  const auto next = model::digest_of("next");
  const auto rotated = had(on.tokens->rotate_token(made.token.token_id, next, now_ms + 60, now_ms));
  CHECK(rotated.digest == next);
  CHECK(rotated.former_digest == made.token.digest);
  CHECK(rotated.former_until_ms == now_ms + 60);
  const auto all = had(on.access->load_tokens());
  CHECK(all->find(next).token != nullptr);
  CHECK(all->find(made.token.digest).is_former);
  CHECK(all->revision() == 2);
  const auto again = model::digest_of("again");
  had(on.tokens->rotate_token(made.token.token_id, again, now_ms, now_ms));
  CHECK(had(on.access->load_tokens())->find(made.token.digest).token == nullptr);
}

TEST_CASE("a revoked token stays, cannot be rotated, and is revoked once", "[engines]") {
  const access_bench on;
  const auto made = new_token().token;
  had(on.tokens->create_token(made));
  CHECK(had(on.tokens->revoke_token(made.token_id, now_ms)).revoked_ms == now_ms);
  CHECK(had(on.tokens->revoke_token(made.token_id, now_ms + 9)).revoked_ms == now_ms);
  CHECK(had(on.access->tokens_revision()) == 2);
  const auto refused = on.tokens->rotate_token(made.token_id, {}, now_ms, now_ms + 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::token_not_found);
  CHECK(refused.error().detail.find("revoked") != std::string::npos);
  for (const auto& missing : {on.tokens->revoke_token(id_of(9), now_ms),
                              on.tokens->rotate_token(id_of(9), {}, now_ms, now_ms)})
    CHECK(missing.error().code == base::errc::token_not_found);
}

TEST_CASE("uses move no revision, and the later one stays", "[engines]") {
  const access_bench on;
  const auto made = new_token().token;
  had(on.tokens->create_token(made));
  const auto before = on.log().size();
  had(on.access->note_uses(std::vector<token_use>{{made.token_id, now_ms + 5}, {id_of(9), 1}}));
  had(on.access->note_uses(std::vector<token_use>{{made.token_id, now_ms}}));
  const auto all = had(on.access->load_tokens());
  CHECK(all->tokens()[0].last_use_ms == now_ms + 5);
  CHECK(all->revision() == 1);
  CHECK(on.log().size() == before);
}

TEST_CASE("each change has an entry by whom it was made", "[engines]") {
  const access_bench on;
  const auto made = new_token().token;
  const auto id = made.token_id;
  had(on.by(model::run_of(somebody()))->create_token(made));
  had(on.by(model::run_of(somebody()))->rotate_token(id, {}, now_ms, now_ms));
  had(on.by(model::run_of(somebody()))->revoke_token(id, now_ms));
  had(on.by(model::run_of(somebody()))->revoke_token(id, now_ms)); // changes nothing
  const auto log = on.log();
  REQUIRE(log.size() == 3);
  const std::vector<std::string> actions{"token.revoke", "token.rotate", "token.create"};
  for (std::size_t i = 0; i < log.size(); ++i) {
    CHECK(log[i].what.action == actions[i]);
    CHECK(log[i].who == somebody());
    CHECK(log[i].what.subject == "tokens/" + to_string(id));
    CHECK_FALSE(log[i].what.after.empty());
    CHECK(log[i].at_ms > 0);
    if (i > 0) CHECK(log[i].entry < log[i - 1].entry);
  }
  CHECK(log[2].what.before.empty());
}

TEST_CASE("changes of the catalog have entries with before and after", "[engines]") {
  const access_bench on;
  had(on.catalog->import_document(lobby_catalog()));
  model::catalog_document one;
  one.games = {{id_of(1), "renamed"}};
  had(had(on.of->catalog(model::run_of(somebody())))->import_document(one));
  had(on.catalog->import_document(one)); // nothing new
  const auto key =
      *model::element_key::parse(model::element_kind::game_namespace, to_string(id_of(21)));
  had(on.catalog->remove(key));
  const auto log = on.log();
  REQUIRE(log.size() == 3);
  CHECK(log[0].what.action == "catalog.remove");
  CHECK(log[0].what.before.find("prod") != std::string::npos);
  CHECK(log[1].what.action == "catalog.put");
  CHECK(log[1].what.subject == "games/" + to_string(id_of(1)));
  CHECK(log[1].what.before.find("\"one\"") != std::string::npos);
  CHECK(log[1].what.after.find("\"renamed\"") != std::string::npos);
  CHECK(log[1].who == somebody());
}

TEST_CASE("a run of many transactions has one entry, with the first that changes anything",
          "[engines]") {
  const access_bench on;
  had(on.catalog->import_document(lobby_catalog()));
  const auto run =
      model::run_of(somebody(), {model::audit_action::lobbies_import, "file.jsonl", {}, {}});
  const auto before = on.log().size();
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto sink = had(on.of->sink(run));
    lobby_list unchanged;
    merge_all(*sink, unchanged);
    CHECK(on.log().size() == before + (i > 0 ? 1 : 0));
    lobby_list list;
    list.add(100 + i, {1, 2}, kind_of(11));
    merge_all(*sink, list);
  }
  const auto log = on.log();
  REQUIRE(log.size() == before + 1);
  CHECK(log[0].what.action == "lobbies.import");
  CHECK(log[0].what.subject == "file.jsonl");
  // The next lease is nobody's run.
  lobby_list more;
  more.add(900, {1, 2}, kind_of(11));
  merge_all(*had(on.of->sink()), more);
  CHECK(on.log()[0].who == local_author());
}

TEST_CASE("the log is read from the newest on, page by page, and since a time", "[engines]") {
  const access_bench on;
  for (int i = 0; i < 7; ++i)
    had(on.access->record({model::audit_action::demo_seed, std::to_string(i), {}, {}}));
  std::vector<std::string> seen;
  model::audit_query query;
  query.limit = 3;
  for (auto page = on.log(query); !page.empty(); page = on.log(query)) {
    for (const auto& each : page)
      seen.push_back(each.what.subject);
    query.before = page.back().entry;
  }
  CHECK(seen == std::vector<std::string>{"6", "5", "4", "3", "2", "1", "0"});
  model::audit_query later;
  later.since_ms = on.log()[0].at_ms + 60'000;
  CHECK(on.log(later).empty());
}

TEST_CASE("the log is read by action, subject and author", "[engines]") {
  const access_bench on;
  const auto record = [&](model::audit_author by, const std::string& action,
                          const std::string& subject) {
    model::audit_change what;
    what.action = action;
    what.subject = subject;
    had(had(on.of->access(model::run_of(std::move(by))))->record(what));
  };
  const model::audit_author ada{model::audit_author::kind::certificate, "CN=ada", {}, {}, {}};
  record(somebody(), "token.create", "tokens/1");
  record(ada, "token.revoke", "tokens/10");
  record(ada, "tokens.other", "games/1");
  record(somebody(), "test", {});
  const auto found = [&](model::audit_query query) {
    std::vector<std::string> actions;
    for (const auto& each : on.log(std::move(query)))
      actions.push_back(each.what.action);
    return actions;
  };
  using actions = std::vector<std::string>;
  CHECK(found({.action = "token"}) == actions{"token.revoke", "token.create"});
  CHECK(found({.action = "token.revoke"}) == actions{"token.revoke"});
  CHECK(found({.action = "token.%"}).empty());
  CHECK(found({.subject = "tokens"}) == actions{"token.revoke", "token.create"});
  CHECK(found({.subject = "tokens/1"}) == actions{"token.create"});
  CHECK(found({.who = "CN=ada"}) == actions{"tokens.other", "token.revoke"});
  CHECK(found({.who = "id-1"}) == actions{"test", "token.create"});
  CHECK(found({.who = "certificate"}) == actions{"tokens.other", "token.revoke"});
  CHECK(found({.action = "token", .subject = "tokens", .who = "token"}) == actions{"token.create"});
  CHECK(found({.limit = 1, .action = "token"}) == actions{"token.revoke"});
  CHECK(found({.who = "nobody"}).empty());
}

TEST_CASE("entries whose time is over go, and that is an entry", "[engines]") {
  const access_bench on;
  for (int i = 0; i < 2; ++i)
    had(on.access->record({model::audit_action::demo_seed, std::to_string(i), {}, {}}));
  CHECK(had(on.audit->expire_audit(1)) == 0);
  CHECK(on.log().size() == 2);
  CHECK(had(on.audit->expire_audit(on.log()[0].at_ms + 1)) == 2);
  const auto log = on.log();
  REQUIRE(log.size() == 1);
  CHECK(log[0].what.action == "audit.expire");
  CHECK(log[0].what.after.find("\"entries\":2") != std::string::npos);
}

TEST_CASE("tokens that were over before a time go, and that is an entry", "[engines]") {
  const access_bench on;
  auto expired = new_token("expired").token;
  expired.what.expires_ms = now_ms;
  const auto revoked = new_token("revoked").token;
  for (const auto& each : {expired, revoked, new_token("young").token})
    had(on.tokens->create_token(each));
  had(on.tokens->revoke_token(revoked.token_id, now_ms + 1));
  const auto revision = had(on.access->tokens_revision());
  CHECK(had(on.tokens->expire_tokens(now_ms)) == 0);
  CHECK(had(on.access->tokens_revision()) == revision);
  CHECK(had(on.tokens->expire_tokens(now_ms + 1)) == 1);
  CHECK(had(on.tokens->expire_tokens(now_ms + 2)) == 1);
  CHECK(had(on.access->tokens_revision()) == revision + 2);
  const auto left = had(on.access->load_tokens());
  REQUIRE(left->tokens().size() == 1);
  CHECK(left->tokens()[0].what.name == "young");
  CHECK(on.log()[0].what.action == "token.expire");
  CHECK(on.log()[0].what.after.find("\"tokens\":1") != std::string::npos);
}

TEST_CASE("an entry holds no token, and of a long text its size", "[engines]") {
  const access_bench on;
  const auto text = model::make_token_text(model::token_kind::admin);
  had(on.access->record({model::audit_action::demo_seed, "x/" + text, "{\"a\":\"" + text + "\"}",
                         "\"" + std::string(model::audit_text_limit_bytes, 'x') + "\""}));
  const auto entry = on.log()[0];
  CHECK(entry.what.subject == "x/mc_admin_***");
  CHECK(entry.what.before == R"({"a":"mc_admin_***"})");
  CHECK(entry.what.after == R"({"left_out_bytes":65538})");
}

} // namespace
} // namespace matchcloud::store
