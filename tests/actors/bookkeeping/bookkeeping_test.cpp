#include "actors/bookkeeping/bookkeeping.hpp"

#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

struct bookkeeping_bench : deterministic_system {
  manual_pool pool;
  manual_clock clock;
  std::shared_ptr<fake_database> database = std::make_shared<fake_database>();
  model::token_snapshot tokens = std::make_shared<const model::token_list>(
      1, std::vector<model::access_token>{model::make_token({}, "x", 1).token,
                                          model::make_token({}, "x", 1).token});
  ingestion_metrics metrics;
  services with;
  std::shared_ptr<ingest_tally> tally;
  caf::actor of;

  bookkeeping_bench() {
    with.administered = open_fake(database);
    with.administering = &pool;
    with.clock = &clock;
    with.ingest_store = std::make_shared<ingest_store>(with.administered, SIZE_MAX, metrics, clock);
    tally = with.ingest_store->tally();
    of = spawn<bookkeeping>(with, tokens);
    run();
  }
  ~bookkeeping_bench() { pool.tasks.clear(); }

  /// A minute goes by, and what is to be done is done. False: nothing was.
  bool tick() {
    clock.advance(1min);
    advance(1min);
    const bool ran = pool.run_one();
    run();
    return ran;
  }
  void use(std::size_t which) { tokens->note_use(tokens->tokens()[which], clock.unix_ms()); }
};

TEST_CASE("token uses are written once a minute") {
  bookkeeping_bench on;
  on.use(0);
  CHECK(on.database->token_uses.empty());
  CHECK(on.tick());
  REQUIRE(on.database->token_uses.size() == 1);
  CHECK(on.database->token_uses[0].token_id == on.tokens->tokens()[0].token_id);
  CHECK(on.tick());
  CHECK(on.database->token_uses.size() == 1);
  on.use(0);
  on.use(1);
  CHECK(on.tick());
  CHECK(on.database->token_uses.size() == 3);
}

TEST_CASE("a new list of tokens replaces the old one") {
  bookkeeping_bench on;
  const auto next = std::make_shared<const model::token_list>(
      2, std::vector<model::access_token>{model::make_token({}, "y", 1).token});
  caf::anon_send(on.of, tokens_changed{next});
  on.run();
  on.use(0);
  next->note_use(next->tokens()[0], on.clock.unix_ms());
  CHECK(on.tick());
  REQUIRE(on.database->token_uses.size() == 1);
  CHECK(on.database->token_uses[0].token_id == next->tokens()[0].token_id);
}

TEST_CASE("an hour's ingests are one audit entry at its end") {
  bookkeeping_bench on;
  const model::audit_author by{model::audit_author::kind::token, "build", "id", "192.0.2.1", "r"};
  on.tally->add(by, 7, true);
  on.tally->add(by, 5, false);
  CHECK(on.tally->has_entry(by));
  CHECK(on.tick());
  CHECK(on.database->recorded.empty());
  on.clock.advance(1h);
  CHECK_FALSE(on.tally->has_entry(by));
  on.database->failure = base::error{base::errc::store_failed, "no disk"};
  CHECK(on.tick());
  on.database->failure.reset();
  CHECK(on.tick());
  REQUIRE(on.database->recorded.size() == 1);
  const auto& sum = on.database->recorded[0];
  CHECK(sum.action == "lobbies.ingest.sum");
  CHECK(contains(sum.after, R"("requests":1,"lobbies":12)"));
  CHECK(on.tick());
  CHECK(on.database->recorded.size() == 1);
}

TEST_CASE("a failed write of uses is tried again at the next tick") {
  bookkeeping_bench on;
  on.use(0);
  on.database->failure = base::error{base::errc::store_failed, "no disk"};
  CHECK(on.tick());
  on.database->failure.reset();
  on.pool.full = true;
  CHECK_FALSE(on.tick());
  on.pool.full = false;
  on.use(1);
  CHECK(on.tick());
  REQUIRE_FALSE(on.database->token_uses.empty());
  CHECK(on.database->token_uses.back().token_id == on.tokens->tokens()[1].token_id);
}

} // namespace
} // namespace matchcloud::actors
