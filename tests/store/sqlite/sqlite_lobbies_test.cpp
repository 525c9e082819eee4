// Lobbies in SQLite, and how they are read.
#include "store/sqlite/sqlite_lobbies.hpp"

#include "store/lobby_history.hpp"
#include "store/sql/lobby_rows.hpp"
#include "tests/store/history_fixture.hpp"
#include "tests/store/sqlite/lobby_fixture.hpp"

#include <limits>
#include <sstream>
#include <string>

namespace matchcloud::store {
namespace {

using numbers = std::vector<std::uint32_t>;

constexpr auto still_running = std::nullopt;

TEST_CASE(
    "a lobby moves to the class of how long it lasted, and what is refused leaves no attributes") {
  lobby_store in;
  const auto merge = [&](model::lobby_times times, const model::lobby_attributes& kind) {
    merge_all(*in.sink, lobby_list{}.add(100, times, kind));
    std::istringstream words{in.lobbies().at(0)};
    std::string lobby_id, game_id, duration_class, start, stop;
    words >> lobby_id >> game_id >> duration_class >> start >> stop;
    return duration_class + " " + start + " " + stop;
  };
  CHECK(merge({1'200, still_running}, kind_of(11)) == "-1 1200 running");
  CHECK(merge({1'200, 1'300}, kind_of(11)) == "6 1200 1300");
  CHECK(merge({900, still_running}, kind_of(11)) == "8 900 1300");
  CHECK(merge({500, 2'000}, kind_of(11, "iad")) == "8 900 1300");
  CHECK(in.lobbies().size() == 1);
  auto db = sqlite_connection::open(in.path() + "/matchcloud.db");
  CHECK(db.read_integer("SELECT count(*) FROM lobby_kinds", "count") == 1);
}

TEST_CASE("tidying up empties the log, unless somebody reads it") {
  lobby_store in;
  merge_all(*in.sink, lobby_list{}.add(1, {1, 5}, kind_of(11)));
  CHECK(in.upkeep->backlog_bytes() > 0);
  {
    auto reader = sqlite_connection::open(in.path() + "/matchcloud.db");
    auto snapshot = sql_transaction::read(reader, "read");
    REQUIRE(reader.read_integer("SELECT count(*) FROM lobbies", "count") == 1);
    merge_all(*in.sink, lobby_list{}.add(2, {1, 5}, kind_of(11)));
    CHECK(in.upkeep->tidy() == false);
    CHECK(in.upkeep->backlog_bytes() > 0);
  }
  CHECK(in.upkeep->tidy() == true);
  CHECK(in.upkeep->backlog_bytes() == 0);
}

TEST_CASE("many lobbies take several transactions, none of them long") {
  lobby_store in;
  lobby_list list;
  for (std::uint32_t i = 0; i < 40'000; ++i)
    list.add((i * 2'654'435'761U), {i, i + 1'000 + i % 7}, kind_of(11));
  std::size_t transactions = 0;
  std::span<const model::lobby_record> rest = list.records;
  while (!rest.empty()) {
    const auto part = in.sink->merge(rest, list.attributes);
    REQUIRE(part.has_value());
    CHECK(part->accepted == part->taken);
    rest = rest.subspan(part->taken);
    ++transactions;
  }
  CHECK(transactions > 1);
  CHECK(in.lobbies().size() == list.records.size());
}

TEST_CASE("a full disk is told from other failures, and what was acknowledged stays") {
  lobby_store in;
  merge_all(*in.sink, lobby_list{}.add(1, {1, still_running}, kind_of(11)));
  const auto before = in.lobbies();
  auto limited = sqlite_connection::open(in.path() + "/matchcloud.db");
  limited.execute("PRAGMA max_page_count = 1", "limit");
  sqlite_lobbies writer{limited};
  audit_table audit;
  lobby_list list;
  for (std::uint32_t i = 10; i < 5'000; ++i)
    list.add(i, {i, still_running}, kind_of(11));
  const auto done =
      base::attempt([&] { return writer.merge(list.records, list.attributes, audit); });
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::store_full);
  CHECK(in.lobbies() == before);
}

constexpr auto running = std::nullopt;
constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
constexpr auto limit = model::timestamp_limit_ms;
constexpr std::int64_t day_ms = 86'400'000;

sqlite_connection open_beside(const lobby_store& in) {
  return sqlite_connection::open(in.path() + "/matchcloud.db");
}

TEST_CASE("a reading that fails half-way leaves the store usable") {
  lobby_store in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {1, 5}, kind_of(11))
                          .add(2, {2, 6}, kind_of(12))
                          .add(3, {2, 600}, kind_of(11)));
  auto beside = open_beside(in);
  beside.execute("PRAGMA foreign_keys = OFF; CREATE TABLE kept AS SELECT * FROM "
                 "lobby_kinds; DELETE FROM lobby_kinds WHERE namespace_id = "
                 "x'0000000000000000000000000000000C'",
                 "break");
  const auto broken = try_to_write(*in.history, {id_of(1), {0, 10}}, 5);
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().code == base::errc::store_failed);
  beside.execute("INSERT OR IGNORE INTO lobby_kinds SELECT * FROM kept", "repair");
  merge_all(*in.sink, lobby_list{}.add(4, {3, 5}, kind_of(11)));
  CHECK(numbers_of(write_all(*in.history, {0, 10}, 5)) == numbers{1, 2, 3, 4});
}

TEST_CASE("a table that nobody could have written is a failure of the store") {
  lobby_store in;
  merge_all(*in.sink, lobby_list{}.add(1, {0, limit}, kind_of(11)));
  CHECK(numbers_of(write_all(*in.history, {0, 10}, 5)) == numbers{1});
  open_beside(in).execute("UPDATE lobbies SET duration_class = 63", "break");
  const auto broken = try_to_write(*in.history, {id_of(1), {0, 10}}, 5);
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().code == base::errc::store_failed);
}

TEST_CASE("kinds beyond those that fit in memory are read again") {
  lobby_store in;
  constexpr std::uint32_t kinds = 9'000;
  const auto mode_of = [](std::uint32_t number) {
    return std::to_string(number) + std::string(1'000, 'x');
  };
  static_assert(kinds * 1'000 > attribute_columns_limit_bytes);
  lobby_list list;
  for (std::uint32_t i = 0; i < 2 * kinds; ++i)
    list.add(i, {i, 100'000}, kind_of(11, "fra", mode_of(i * 7 % kinds)));
  merge_all(*in.sink, list);
  const auto rows = write_all(*in.history, {0, largest}, 0).rows();
  REQUIRE(rows.size() == 2 * kinds);
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    wrong += rows[i].at(8) == mode_of(i * 7 % kinds) ? 0 : 1;
  CHECK(wrong == 0);
}

/// Lobbies of up to three days, one every ten minutes of the given days, numbered from `first`.
lobby_list busy_days(std::uint32_t first, std::int64_t from_day, std::int64_t to_day) {
  lobby_list list;
  std::uint64_t state = first;
  for (auto start = from_day * day_ms; start < to_day * day_ms; start += 600'000) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    const auto lasted =
        static_cast<std::int64_t>(state >> 33) % (std::int64_t{1} << (state >> 59) % 29);
    list.add(first++, {start, start + lasted}, kind_of(11));
  }
  return list;
}

TEST_CASE("a day costs what it returns, however much history lies around it") {
  lobby_store in;
  constexpr std::int64_t day = 1'000;
  auto list = busy_days(1'000, day - 15, day + 15);
  list.add(1, {(day - 90) * day_ms, (day + 1) * day_ms}, kind_of(11));
  list.add(2, {(day - 300) * day_ms, (day + 200) * day_ms}, kind_of(11));
  list.add(3, {(day - 500) * day_ms, running}, kind_of(11));
  merge_all(*in.sink, list);

  auto db = open_beside(in);
  sqlite_lobbies history{db};
  struct found {
    std::vector<model::uuid> ids;
    std::uint64_t steps = 0;
  };
  const auto read = [&] {
    found result;
    const auto before = history.steps();
    history_reader reader;
    reader.take = [&](const model::history_lobby& lobby) {
      result.ids.push_back(lobby.lobby_id);
      return true;
    };
    constexpr model::time_span span{day * day_ms, (day + 1) * day_ms};
    history.read({id_of(1), span}, fixed_clock{0}, reader);
    result.steps = history.steps() - before;
    return result;
  };
  const auto small = read();
  merge_all(*in.sink, busy_days(100'000, day - 150, day - 15));
  merge_all(*in.sink, busy_days(200'000, day + 15, day + 150));
  const auto large = read();
  CHECK(large.ids == small.ids);
  for (const std::uint32_t number : {1, 2, 3})
    CHECK(std::ranges::find(large.ids, id_of(number)) != large.ids.end());
  CHECK(small.ids.size() > 144);
  INFO(small.steps << " and " << large.steps << " steps for " << small.ids.size() << " lobbies");
  CHECK(static_cast<double>(large.steps) <= 1.2 * static_cast<double>(small.steps));
  CHECK(static_cast<double>(large.steps) <= 60.0 * static_cast<double>(large.ids.size()));
}

} // namespace
} // namespace matchcloud::store
