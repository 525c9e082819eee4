// What is PostgreSQL's own: connections, counts of changes, and the same bytes as the embedded
// store.
#include "store/postgres/postgres.hpp"

#include "store/open_store.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/history_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::postgres_session;

constexpr sql_command read_one{"SELECT 1", "read a number"};

std::unique_ptr<postgres_connection> connected() {
  postgres_settings settings;
  settings.url = fixtures::shared_postgres().new_database();
  return postgres_connection::open(settings);
}

void check_names_pooler(const base::expected<std::int64_t>& failed) {
  REQUIRE_FALSE(failed.has_value());
  INFO(failed.error().detail);
  CHECK(failed.error().detail.find("pooler") != std::string::npos);
  CHECK(failed.error().detail.find("connect to the server directly") != std::string::npos);
}

TEST_CASE("prepared statements that are gone are blamed on a pooler", "[.postgres]") {
  const auto on = connected();
  CHECK(on->number(read_one) == 1);
  on->execute("DEALLOCATE ALL", "act like a pooler");
  check_names_pooler(base::attempt([&] { return on->number(read_one); }));
}

TEST_CASE("a query whose taker throws leaves a connection that goes on", "[.postgres]") {
  const auto on = connected();
  static constexpr sql_command numbers{"SELECT generate_series(1, 1000)", "read numbers"};
  const auto refuse = [](sql_row&) { throw base::failure{base::errc::cancelled, "enough"}; };
  CHECK_THROWS_AS(on->each(numbers, {}, refuse), base::failure);
  CHECK(on->all(numbers, {}, [](sql_row& row) { return row.integer(0); }).size() == 1'000);
  CHECK(on->is_usable());
}

TEST_CASE("a statement that runs out of time is told apart, and the connection stays",
          "[.postgres]") {
  const auto on = connected();
  on->limit_time(std::chrono::milliseconds{50});
  static constexpr sql_command slow{"SELECT count(*) FROM generate_series(1, 100000000)", "count"};
  {
    const auto reading = sql_transaction::read(*on, "read");
    CHECK_FALSE(on->ran_out_of_time());
    const auto failed = base::attempt([&] { return on->number(slow); });
    CHECK(failed.error().code == base::errc::store_failed);
    CHECK(on->ran_out_of_time());
  }
  CHECK_FALSE(on->has_failed());
  const auto again = sql_transaction::read(*on, "read");
  CHECK_FALSE(on->ran_out_of_time());
  CHECK(on->number(read_one) == 1);
}

base::expected<std::shared_ptr<database>> open(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return open_postgres(settings);
}

struct postgres_lobbies_bench {
  std::string url = fixtures::shared_postgres().new_database();
  all_roles in{open(url)};
  postgres_session other{url};

  postgres_lobbies_bench() {
    had(in.catalog->import_document(lobby_catalog()));
    other.execute("SET search_path = matchcloud");
  }

  void merge(std::uint32_t number) const {
    merge_all(*in.sink, lobby_list{}.add(number, {1, 2}, kind_of(11)));
  }
  std::int64_t revision() const { return had(in.history->revisions(id_of(1))).lobbies; }
};

TEST_CASE("a game has no more rows of counts than sessions wrote at once", "[.postgres]") {
  postgres_lobbies_bench on;
  constexpr std::uint32_t writers = 6;
  std::atomic<std::uint32_t> done{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        // A session for each, as if they were replaced all the time.
        for (std::uint32_t i = 0; i < 10; ++i) {
          const auto own = open(on.url);
          if (!own) return;
          lobby_list one;
          one.add(100 * writer + i, {1, 2}, kind_of(11));
          const auto into = (*own)->sink();
          if (into && (*into)->merge(one.records, one.attributes)) ++done;
        }
      });
  }
  CHECK(done == 10 * writers);
  CHECK(std::stoul(on.other.value("SELECT count(*) FROM lobby_changes")) <= writers);
  CHECK(on.other.value("SELECT sum(changes) FROM lobby_changes") == std::to_string(10 * writers));
}

TEST_CASE("a transaction that has counted a change keeps no other waiting", "[.postgres]") {
  postgres_lobbies_bench on;
  on.merge(1);
  on.other.execute("BEGIN; UPDATE lobby_changes SET changes = changes + 1");
  const auto before = on.revision();
  on.merge(2); // would fail after lock_timeout
  CHECK(on.revision() == before + 1);
  on.other.execute("COMMIT");
  CHECK(on.revision() == before + 2);
}

constexpr auto ever = std::numeric_limits<std::uint64_t>::max();

std::shared_ptr<database> open_served(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return had(open_postgres(settings));
}

/// A store of each engine with the same catalog.
struct both {
  fixtures::temporary_directory directory;
  std::string url = fixtures::shared_postgres().new_database();
  all_roles embedded{open_sqlite(directory.path())};
  all_roles served{open_served(url)};

  both() {
    for (auto* each : {&embedded, &served})
      had(each->catalog->import_document(lobby_catalog()));
  }
};

/// Reports of few lobbies, most of them several times and some running, over a span of any scale.
lobby_list any_reports() {
  lobby_list list;
  const auto scale = std::int64_t{1} << *rc::gen::inRange(3, 40);
  const auto count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto number = *rc::gen::inRange<std::uint32_t>(0, 25);
    const auto start = *rc::gen::inRange<std::int64_t>(0, scale);
    model::lobby_times times{start, std::nullopt};
    if (*rc::gen::inRange(0, 4) != 0)
      times.stop_ts = start + *rc::gen::inRange<std::int64_t>(0, scale);
    list.add(number, times, kind_of(number % 2 == 0 ? 11 : 21, number % 3 == 0 ? "fra" : "iad"));
  }
  return list;
}

TEST_CASE("property: PostgreSQL exports the same bytes as the embedded store", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const both of;
  REQUIRE(rc::check([&] {
    const auto reports = any_reports();
    merge_all(*of.embedded.sink, reports);
    merge_all(*of.served.sink, reports);
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
    const auto length = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
    for (const auto& span : {model::time_span{0, ever}, model::time_span{begin, begin + length}}) {
      const auto one = write_all(*of.embedded.history, span, 1'000'000);
      const auto other = write_all(*of.served.history, span, 1'000'000);
      RC_ASSERT(one.csv == other.csv);
    }
  }));
}

TEST_CASE("one transaction takes a bounded number of reports of one lobby", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const both of;
  lobby_list list;
  for (std::int64_t i = 0; i < 30; ++i)
    list.add(1, {1'000 - i, 2'000 + i}, kind_of(11));
  const auto first = had(of.served.sink->merge(list.records, list.attributes));
  CHECK(first.taken == 8);
  CHECK(first.accepted == 8);
  const auto all = merge_all(*of.served.sink, list);
  CHECK(all.accepted == 22);
  CHECK(all.unchanged == 8);
}

} // namespace
} // namespace matchcloud::store
