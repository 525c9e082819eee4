#include "actors/ingestion.hpp"

#include "model/access/new_token.hpp"
#include "store/open_sqlite.hpp"
#include "tests/actors/lobby_lines.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <string>
#include <string_view>

namespace matchcloud::actors {
namespace {

using namespace fixtures;

/// The actor with a real store, a pool that runs when told to, and a front that records.
struct bench : deterministic_system {
  temporary_directory directory;
  ingestion_metrics metrics;
  manual_pool pool;
  std::shared_ptr<probe_log> front_log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(front_log);
  caf::actor of;

  bench() {
    auto opened = store::open_sqlite(directory.path(), {.use = store::workload::bulk});
    REQUIRE(opened.has_value());
    REQUIRE((*opened)->catalog().value()->import_document(known_catalog()).has_value());
    ingestion_settings settings;
    settings.store = std::make_shared<ingest_store>(*std::move(opened), 1'000'000'000, metrics);
    settings.pool = &pool;
    settings.metrics = &metrics;
    of = spawn<ingestion>(settings);
    run();
  }
  ~bench() { kill(of); }

  ticket_ptr begin(std::uint64_t exchange, bool has_body = true) {
    auto made = std::make_shared<ticket>();
    send_as(front, of, ingest_lobbies{{exchange, 1}, has_body, {}, made});
    return made;
  }
  void send_part(std::uint64_t exchange, std::uint64_t offset, std::string bytes, bool is_last) {
    send_as(
        front, of,
        body_part{
            {exchange, 1}, offset, std::make_shared<const std::string>(std::move(bytes)), is_last});
  }
  void work() {
    while (pool.run_one())
      run();
  }
};

TEST_CASE("an ingest is given credit, taken in parts, and answered once all is committed") {
  bench on;
  on.begin(7);
  REQUIRE(on.front_log->credits.size() == 1);
  CHECK(on.front_log->credits[0].exchange == exchange_ref{7, 1});
  CHECK(on.front_log->credits[0].bytes == 256UL * 1024);
  CHECK(on.metrics.running.get() == 1);

  const auto text = line(1) + line(2) + line(3);
  const auto half = text.size() / 2;
  on.send_part(7, 0, text.substr(0, half), false);
  on.work();
  REQUIRE(on.front_log->credits.size() == 2);
  CHECK(on.front_log->credits[1].bytes == half);
  CHECK(on.front_log->made.empty());
  on.send_part(7, half, text.substr(half), true);
  CHECK(on.front_log->made.empty());
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].exchange == exchange_ref{7, 1});
  CHECK(*on.front_log->made[0].json ==
        R"({"accepted":3,"unchanged":0,"rejected":[],"rejected_total":0})");
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("an ingest without a body is answered at once") {
  bench on;
  on.begin(1, false);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].json->starts_with(R"({"accepted":0)"));
  CHECK(on.front_log->credits.empty());
}

TEST_CASE("parts that come while others are worked on wait, and one task takes them all") {
  bench on;
  on.begin(1);
  on.send_part(1, 0, line(1), false);
  on.send_part(1, line(1).size(), line(2), false);
  on.send_part(1, 2 * line(1).size(), line(3), true);
  CHECK(on.pool.tasks.size() == 1);
  on.pool.run_one();
  on.run();
  CHECK(on.pool.tasks.size() == 1);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].json->starts_with(R"({"accepted":3)"));
}

TEST_CASE("a hundred ingests whose clients send nothing hold up none that is sent") {
  bench on;
  for (std::uint64_t i = 0; i < 100; ++i)
    on.begin(i);
  CHECK(on.pool.tasks.empty());
  on.begin(1'000);
  on.send_part(1'000, 0, line(1), true);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].exchange.exchange == 1'000);
}

TEST_CASE("a missing part ends an ingest, because what follows is not what the client sent") {
  bench on;
  on.begin(1);
  on.send_part(1, 5, line(1), true);
  on.work();
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == base::errc::unavailable);
  CHECK(on.metrics.accepted.get() == 0);
}

TEST_CASE("an ingest whose client left is dropped, and takes nothing that still comes") {
  bench on;
  on.begin(1)->over = true;
  on.begin(2);
  CHECK(on.metrics.running.get() == 2);
  on.advance(std::chrono::milliseconds{1'000});
  CHECK(on.metrics.running.get() == 1);
  on.send_part(1, 0, line(1), true);
  CHECK(on.pool.tasks.empty());
  const auto late = std::make_shared<ticket>();
  late->over = true;
  on.send_as(on.front, on.of, ingest_lobbies{{3, 1}, true, {}, late});
  CHECK(on.metrics.running.get() == 1);
}

TEST_CASE(
    "what waits for the pool of a client that left is dropped there, its place until then kept") {
  bench on;
  const auto left = on.begin(1);
  on.send_part(1, 0, line(1), true);
  left->over = true;
  on.advance(std::chrono::milliseconds{1'000});
  CHECK(on.metrics.running.get() == 0);
  CHECK(left.use_count() > 1);
  on.work();
  CHECK(on.metrics.accepted.get() == 0);
  CHECK(left.use_count() == 1);
}

TEST_CASE("a full pool and a store that fails are told, and the ingest is over") {
  bench on;
  on.begin(1);
  on.pool.full = true;
  on.send_part(1, 0, line(1), true);
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == base::errc::overloaded);
  on.pool.full = false;
  on.begin(2);
  {
    const injected_fault failing{base::fault_point::store_write, base::fault_kind::error};
    on.send_part(2, 0, line(1), true);
    on.work();
  }
  REQUIRE(on.front_log->failed.size() == 2);
  CHECK(on.front_log->failed[1].error.code == base::errc::store_failed);
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("an actor that died holds no request, however long others hold the actor") {
  bench on;
  const auto ticket = on.begin(1);
  on.kill(on.of); // the bench still refers to it
  CHECK(ticket.use_count() == 1);
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("an actor that dies between commit and answer has committed; sending again is harmless") {
  bench on;
  on.begin(1);
  on.send_part(1, 0, line(1), true);
  {
    const injected_fault crash{base::fault_point::ingestion_reply, base::fault_kind::crash};
    on.work();
  }
  CHECK(on.front_log->made.empty());
  CHECK(on.metrics.accepted.get() == 1);
  CHECK(on.metrics.running.get() == 0);
  ingestion_settings settings;
}

TEST_CASE("an ingest ends when its token is revoked while the body is on its way") {
  bench on;
  auto token = model::make_token({}, "x", 1).token;
  const auto told = [&] {
    const auto list = std::make_shared<const model::token_list>(1, std::vector{token});
    on.send_as(on.front, on.of, tokens_changed{list});
  };
  told();
  model::audit_author by;
  by.what = model::audit_author::kind::token;
  by.id = model::to_string(token.token_id);
  on.send_as(on.front, on.of, ingest_lobbies{{7, 1}, true, by, std::make_shared<ticket>()});
  const auto text = line(1) + line(2);
  on.send_part(7, 0, text, false);
  on.work();
  CHECK(on.front_log->failed.empty());
  token.revoked_ms = 1;
  told();
  on.send_part(7, text.size(), line(3), true);
  on.work();
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == base::errc::not_permitted);
  CHECK(on.front_log->made.empty());
}

} // namespace
} // namespace matchcloud::actors
