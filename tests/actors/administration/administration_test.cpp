#include "actors/administration/administration.hpp"

#include "actors/administration/log_levels.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <string>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using verb = element_request::verb;
using model::element_kind;

/// The actor with a real store, a pool that runs when told to, and a front that records.
struct administration_bench : deterministic_system {
  temporary_directory directory;
  manual_pool pool;
  std::shared_ptr<probe_log> front_log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(front_log);
  caf::actor of;

  administration_bench() {
    auto opened = store::open_sqlite(directory.path(), {.patience = std::chrono::milliseconds{50}});
    REQUIRE(opened.has_value());
    of = spawn<administration>(administration_settings{*std::move(opened), &pool});
    run();
  }
  ~administration_bench() { kill(of); }

  void ask(verb what, element_kind kind, std::string id = {}, std::string body = {}) {
    send_as(front, of,
            administer{{++last, 1},
                       element_request{what, kind, std::move(id),
                                       std::make_shared<const std::string>(std::move(body))},
                       {},
                       std::make_shared<ticket>()});
    while (pool.run_one())
      run();
  }
  const json_made& made() const {
    REQUIRE(!front_log->made.empty());
    CHECK(front_log->made.back().exchange.exchange == last);
    return front_log->made.back();
  }
  base::errc failure() const {
    REQUIRE(!front_log->failed.empty());
    CHECK(front_log->failed.back().exchange.exchange == last);
    return front_log->failed.back().error.code;
  }

  std::uint64_t last = 0;
};

TEST_CASE("an element is put, shown, listed and removed") {
  administration_bench on;
  const std::string id = "00000000-0000-4000-8000-000000000001";
  on.ask(verb::put, element_kind::game, id, R"({"display_name":"One"})");
  CHECK(on.made().status == 201);
  on.ask(verb::put, element_kind::game, id, R"({"display_name":"Two"})");
  CHECK(on.made().status == 200);
  on.ask(verb::get, element_kind::game, id);
  CHECK(on.made().json->find("\"Two\"") != std::string::npos);
  on.ask(verb::list, element_kind::game);
  CHECK(on.made().json->find(id) != std::string::npos);
  on.ask(verb::remove, element_kind::game, id);
  CHECK(on.made().status == 204);
  on.ask(verb::get, element_kind::game, id);
  CHECK(on.failure() == errc::element_not_found);
}

TEST_CASE("malformed requests are refused without the store") {
  administration_bench on;
  on.ask(verb::get, element_kind::game, "one");
  CHECK(on.failure() == errc::id_malformed);
  on.ask(verb::put, element_kind::region, "lon", "{");
  CHECK(on.front_log->failed.size() == 2);
  CHECK(on.front_log->made.empty());
}

TEST_CASE("a change that waits too long for another's fails, and reading goes on") {
  administration_bench on;
  auto other = store::sqlite_connection::open(on.directory.path("matchcloud.db"));
  {
    const auto holding = store::sql_transaction::write(other, std::nullopt, "hold the lock");
    on.ask(verb::put, element_kind::tier, "a");
    CHECK(on.failure() == errc::store_failed);
    on.ask(verb::list, element_kind::tier);
    CHECK(on.made().status == 200);
  }
  on.ask(verb::put, element_kind::tier, "a");
  CHECK(on.made().status == 201);
}

TEST_CASE("a full pool refuses, and requests of gone clients are skipped") {
  administration_bench on;
  on.pool.full = true;
  on.ask(verb::list, element_kind::tier);
  CHECK(on.failure() == errc::overloaded);
  on.pool.full = false;
  const auto left = std::make_shared<ticket>();
  left->over = true;
  on.send_as(on.front, on.of,
             administer{{9, 1}, element_request{verb::list, element_kind::tier, {}, {}}, {}, left});
  CHECK(on.pool.tasks.empty());
}

TEST_CASE("a change is not begun after its client's deadline") {
  administration_bench on;
  const auto left = std::make_shared<ticket>();
  on.send_as(
      on.front, on.of,
      administer{{9, 1}, element_request{verb::put, element_kind::tier, "late", {}}, {}, left});
  left->over = true;
  while (on.pool.run_one())
    on.run();
  CHECK(on.front_log->made.empty());
  on.ask(verb::get, element_kind::tier, "late");
  CHECK(on.failure() == errc::element_not_found);
}

using base::log_level;
using base::log_subject;
using fixtures::contains;

const auto others = base::log_levels_of(log_level::warning);

std::string refusal(std::string_view json) {
  const auto parsed = parse_log_levels(json, others);
  REQUIRE_FALSE(parsed);
  return parsed.error().detail;
}

TEST_CASE("subjects that are left out have their other level") {
  CHECK(parse_log_levels("{}", others) == others);
  auto wanted = others;
  wanted[log_subject::store] = log_level::debug;
  wanted[log_subject::tls] = log_level::error;
  CHECK(parse_log_levels(R"({"tls":"error","store":"debug"})", others) == wanted);
}

TEST_CASE("all that is wrong with levels is said at once") {
  const auto why = refusal(R"({"store":"loud","stoer":"debug","tls":7,"http":"critical"})");
  INFO(why);
  for (const auto* part : {"`store` must be", "`tls` must be", "`http` must be", "`stoer`"})
    CHECK(contains(why, part));
  CHECK(parse_log_levels("[]", others).error().code == base::errc::body_not_object);
  CHECK(parse_log_levels(R"({"store":"loud"})", others).error().code == base::errc::query_invalid);
}

} // namespace
} // namespace matchcloud::actors
