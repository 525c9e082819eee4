#include "actors/ingestion/ingestion.hpp"

#include "model/access/new_token.hpp"
#include "store/open_store.hpp"
#include "tests/actors/ingestion/lobby_lines.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <string>
#include <string_view>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using namespace std::chrono_literals;

/// The actor with a real store, a pool that runs when told to, and a front that records.
struct ingesting_bench : deterministic_system {
  temporary_directory directory;
  ingestion_metrics metrics;
  manual_pool pool;
  std::shared_ptr<probe_log> front_log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(front_log);
  manual_clock clock;
  services with;
  caf::actor of;

  explicit ingesting_bench(std::size_t places = 256) {
    auto opened = store::open_sqlite(directory.path(), {.use = store::workload::bulk});
    REQUIRE(opened.has_value());
    REQUIRE((*opened)->catalog().value()->import_document(known_catalog()).has_value());
    with.ingest_store = std::make_shared<ingest_store>(*std::move(opened), 1'000'000'000, metrics);
    with.ingesting = &pool;
    with.ingestion_metrics = &metrics;
    with.clock = &clock;
    ingestion_settings settings;
    settings.places = places;
    settings.share_percent = 25;
    settings.least_rate = 1'000;
    of = spawn<ingestion>(with, settings);
    run();
  }
  ~ingesting_bench() { kill(of); }

  ticket_ptr begin(std::uint64_t exchange, bool has_body = true,
                   const model::audit_author& by = {}) {
    auto made = std::make_shared<ticket>();
    send_as(front, of, ingest_lobbies{{exchange, 1}, has_body, by, made});
    return made;
  }
  /// Moves the clock, and with it what happens from time to time.
  void pass(std::chrono::milliseconds time) {
    clock.advance(time);
    advance(1'000ms);
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

TEST_CASE("an ingest gets credit and is answered once all is committed") {
  ingesting_bench on;
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

TEST_CASE("an ingest without a good line is 422") {
  ingesting_bench on;
  on.begin(7);
  on.send_part(7, 0, "{}\n", true);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].status == 422);
}

TEST_CASE("an ingest without a body is answered at once") {
  ingesting_bench on;
  on.begin(1, false);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].json->starts_with(R"({"accepted":0)"));
  CHECK(on.front_log->credits.empty());
}

TEST_CASE("waiting parts are ingested by one task") {
  ingesting_bench on;
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

TEST_CASE("a hundred silent ingests hold up no other") {
  ingesting_bench on;
  for (std::uint64_t i = 0; i < 100; ++i)
    on.begin(i);
  CHECK(on.pool.tasks.empty());
  on.begin(1'000);
  on.send_part(1'000, 0, line(1), true);
  on.work();
  REQUIRE(on.front_log->made.size() == 1);
  CHECK(on.front_log->made[0].exchange.exchange == 1'000);
}

TEST_CASE("a missing part ends an ingest") {
  ingesting_bench on;
  on.begin(1);
  on.send_part(1, 5, line(1), true);
  on.work();
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::unavailable);
  CHECK(on.metrics.accepted.get() == 0);
}

TEST_CASE("an ingest whose client left is dropped") {
  ingesting_bench on;
  on.begin(1)->over = true;
  on.begin(2);
  CHECK(on.metrics.running.get() == 2);
  on.advance(1'000ms);
  CHECK(on.metrics.running.get() == 1);
  on.send_part(1, 0, line(1), true);
  CHECK(on.pool.tasks.empty());
  const auto late = std::make_shared<ticket>();
  late->over = true;
  on.send_as(on.front, on.of, ingest_lobbies{{3, 1}, true, {}, late});
  CHECK(on.metrics.running.get() == 1);
}

TEST_CASE("the queued parts of a gone client are dropped") {
  ingesting_bench on;
  const auto left = on.begin(1);
  on.send_part(1, 0, line(1), true);
  left->over = true;
  on.advance(1'000ms);
  CHECK(on.metrics.running.get() == 0);
  CHECK(left.use_count() > 1);
  on.work();
  CHECK(on.metrics.accepted.get() == 0);
  CHECK(left.use_count() == 1);
}

TEST_CASE("a full pool or failed store ends the ingest") {
  ingesting_bench on;
  on.begin(1);
  on.pool.full = true;
  on.send_part(1, 0, line(1), true);
  REQUIRE(on.front_log->failed.size() == 1);
  CHECK(on.front_log->failed[0].error.code == errc::overloaded);
  on.pool.full = false;
  on.begin(2);
  {
    const injected_fault failing{base::fault_point::store_write, base::fault_kind::error};
    on.send_part(2, 0, line(1), true);
    on.work();
  }
  REQUIRE(on.front_log->failed.size() == 2);
  CHECK(on.front_log->failed[1].error.code == errc::store_failed);
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("an actor that died holds no request, however long others hold the actor") {
  ingesting_bench on;
  const auto ticket = on.begin(1);
  on.kill(on.of); // the bench still refers to it
  CHECK(ticket.use_count() == 1);
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("an actor that dies before its answer has committed") {
  ingesting_bench on;
  on.begin(1);
  on.send_part(1, 0, line(1), true);
  {
    const injected_fault crash{base::fault_point::ingestion_reply, base::fault_kind::crash};
    on.work();
  }
  CHECK(on.front_log->made.empty());
  CHECK(on.metrics.accepted.get() == 1);
  CHECK(on.metrics.running.get() == 0);
}

model::audit_author from(std::string address) {
  model::audit_author by;
  by.address = std::move(address);
  return by;
}

TEST_CASE("an address of many ingests leaves places to others") {
  ingesting_bench on{16};
  for (std::uint64_t i = 0; i < 20; ++i)
    on.begin(i, true, from("2001:db8::" + std::to_string(i)));
  // One /64: half of the places without question, and no more than its share beyond.
  CHECK(on.metrics.running.get() == 9);
  CHECK(on.metrics.over_share.get() == 11);
  REQUIRE(on.front_log->failed.size() == 11);
  CHECK(on.front_log->failed[0].error.code == errc::overloaded);
  CHECK(on.front_log->failed[0].error.detail.starts_with("This address already has its share"));
  CHECK(contains(on.front_log->failed[0].error.detail, "4 of 16"));
  for (std::uint64_t i = 0; i < 5; ++i)
    on.begin(100 + i, true, from("2001:db8:0:1::1"));
  CHECK(on.metrics.running.get() == 13);
  on.begin(200, true, from("192.0.2.1"));
  CHECK(on.metrics.running.get() == 14);
  CHECK(on.front_log->failed.size() == 12);
}

TEST_CASE("a token has its share of the ingests, from whatever address") {
  ingesting_bench on{8};
  const auto of_token = [](const char* id, const char* address) {
    auto by = from(address);
    by.what = model::audit_author::kind::token;
    by.id = id;
    return by;
  };
  for (std::uint64_t i = 0; i < 8; ++i)
    on.begin(i, true, of_token("1", i % 2 == 0 ? "192.0.2.1" : "192.0.2.2"));
  CHECK(on.metrics.running.get() == 5);
  CHECK(on.front_log->failed.at(0).error.detail.starts_with("This token already has its share"));
  on.begin(20, true, of_token("2", "192.0.2.1"));
  CHECK(on.metrics.running.get() == 6);
}

TEST_CASE("if places are short, slow ingests end") {
  ingesting_bench on{4};
  on.begin(1, true, from("192.0.2.1"));
  on.begin(2, true, from("192.0.2.2"));
  on.pass(600'000ms);
  CHECK(on.metrics.running.get() == 2); // half of the places are free
  on.begin(3, true, from("192.0.2.3"));
  std::string fast;
  for (std::uint64_t i = 0; fast.size() < 7'000; ++i)
    fast += line(static_cast<int>(i));
  on.send_part(3, 0, fast, false);
  on.work();
  on.pass(5'000ms);
  CHECK(on.metrics.running.get() == 1);
  CHECK(on.metrics.too_slow.get() == 2);
  REQUIRE(on.front_log->failed.size() == 2);
  CHECK(on.front_log->failed[0].error.code == errc::body_timeout);
  CHECK(contains(on.front_log->failed[0].error.detail, "1000 bytes a second"));
  on.begin(4, true, from("192.0.2.4"));
  on.begin(5, true, from("192.0.2.5"));
  on.pass(1'000ms); // 7,000 bytes in 6 s, and newcomers have their first 5 s
  CHECK(on.metrics.running.get() == 3);
  CHECK(on.metrics.too_slow.get() == 2);
}

TEST_CASE("the store's time does not count as the client's") {
  ingesting_bench on{2};
  on.begin(1, true, from("192.0.2.1"));
  on.begin(2, true, from("192.0.2.2"));
  for (const std::uint64_t each : {1, 2})
    on.send_part(each, 0, line(1), false); // waits for the pool
  on.pass(60'000ms);
  CHECK(on.metrics.too_slow.get() == 0);
  on.work();
  on.pass(5'000ms);
  CHECK(on.metrics.too_slow.get() == 0);
  on.pass(1'000ms);
  CHECK(on.metrics.too_slow.get() == 2);
}

TEST_CASE("an ingest ends when its token is revoked") {
  ingesting_bench on;
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
  CHECK(on.front_log->failed[0].error.code == errc::not_permitted);
  CHECK(on.front_log->made.empty());
}

} // namespace
} // namespace matchcloud::actors
