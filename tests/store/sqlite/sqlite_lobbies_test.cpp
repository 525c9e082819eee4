#include "store/sqlite/sqlite_lobbies.hpp"
#include "tests/store/sqlite/lobby_fixture.hpp"

#include <sstream>
#include <string>

namespace matchcloud::store {
namespace {

constexpr auto still_running = std::nullopt;

TEST_CASE("a lobby is stored by the game of its namespace and how long it lasted") {
  lobby_store in;
  const auto done = merge_all(*in.sink, lobby_list{}
                                            .add(100, {1'000, 2'024}, kind_of(12))
                                            .add(101, {1'000, still_running}, kind_of(21)));
  CHECK(done.accepted == 2);
  CHECK(in.lobbies() ==
        std::vector<std::string>{
            "00000000000000000000000000000064 00000000000000000000000000000001 10 1000 2024 "
            "0000000000000000000000000000000C 00000000000000000000000000000007 fra basic-1d1 1.0 "
            "duel",
            "00000000000000000000000000000065 00000000000000000000000000000002 -1 1000 running "
            "00000000000000000000000000000015 00000000000000000000000000000007 fra basic-1d1 1.0 "
            "duel"});
  CHECK(in.sink->has_any() == true);
}

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

} // namespace
} // namespace matchcloud::store
