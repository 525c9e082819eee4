// What expires, on every complete engine.
#include "tests/store/conformance/engines.hpp"

#include <chrono>
#include <set>

namespace matchcloud::store {
namespace {

constexpr std::int64_t horizon = 1'000'000;
constexpr std::size_t all_expired = 10'000;

struct retention_bench : store_for_lobbies {
  retention_bench() : store_for_lobbies{each_complete_engine()} {}

  lease<retention_store> retention = had(of->retention());

  std::vector<lobby_place> expired(std::uint32_t game, std::size_t at_once = all_expired) const {
    std::vector<lobby_place> all;
    lobby_place after;
    while (true) {
      const auto some = had(retention->expired_lobbies(id_of(game), horizon, after, at_once));
      all.insert(all.end(), some.begin(), some.end());
      if (some.size() < at_once) return all;
      after = some.back();
    }
  }
  std::size_t expire(std::uint32_t game) const {
    return had(retention->expire_lobbies(id_of(game), {}, horizon, expired(game))).value();
  }
};

std::set<model::uuid> ids_of(const std::vector<lobby_place>& places) {
  std::set<model::uuid> ids;
  for (const auto& each : places)
    ids.insert(each.lobby_id);
  return ids;
}

/// Lobbies of all durations around the horizon, and a running one; returns those that have
/// expired.
std::set<model::uuid> fill(const retention_bench& on) {
  lobby_list list;
  std::set<model::uuid> over;
  std::uint32_t number = 100;
  for (const std::int64_t duration : {0, 1, 2, 3, 1'000, 4'095, 4'096, 500'000, 900'000})
    for (const std::int64_t stop :
         {horizon - 50'000, horizon - 1, horizon, horizon + 1, horizon + 700'000}) {
      if (stop < duration) continue;
      list.add(++number, {stop - duration, stop}, kind_of(11));
      if (stop <= horizon) over.insert(id_of(number));
    }
  list.add(++number, {5, std::nullopt}, kind_of(12));
  list.add(++number, {5, 6}, kind_of(21));
  on.merge(list);
  return over;
}

TEST_CASE("a lobby has expired that stopped at or before the horizon, however long it ran",
          "[engines]") {
  const retention_bench on;
  const auto over = fill(on);
  CHECK(ids_of(on.expired(1)) == over);
  CHECK(ids_of(on.expired(1, 3)) == over);
  CHECK(on.expired(1, 1).size() == over.size());
  CHECK(had(on.retention->count_expired(id_of(1), horizon, all_expired)) == over.size());
  CHECK(had(on.retention->count_expired(id_of(1), horizon, 2)) == 2);
  CHECK(on.expired(2).size() == 1);
  CHECK(on.expired(3).empty());
}

TEST_CASE("expired lobbies leave, the others stay, and the horizon is noted with the revision",
          "[engines]") {
  const retention_bench on;
  const auto over = fill(on);
  const auto before = on.lobbies().size();
  const auto revision = on.revision_of(1);
  const auto other_revision = on.revision_of(2);
  CHECK(on.expire(1) == over.size());
  CHECK(on.lobbies().size() == before - over.size());
  CHECK(on.expired(1).empty());
  CHECK(on.revision_of(1) > revision);
  CHECK(on.revision_of(2) == other_revision);
  const auto kept = had(on.retention->kept_histories());
  REQUIRE(kept.size() == 2);
  CHECK(kept[0] == kept_history{id_of(1), std::nullopt, horizon});
  CHECK(kept[1] == kept_history{id_of(2), std::nullopt, 0});
  // An earlier horizon takes nothing back.
  had(on.retention->expire_lobbies(id_of(1), {}, horizon - 1, {}));
  CHECK(had(on.retention->kept_histories())[0].complete_from_ts == horizon);
}

TEST_CASE("a lobby whose stop moved since it was found stays", "[engines]") {
  const retention_bench on;
  lobby_list list;
  list.add(100, {10, 20}, kind_of(11));
  on.merge(list);
  const auto found = on.expired(1);
  REQUIRE(found.size() == 1);
  lobby_list later;
  later.add(100, {10, horizon + 20}, kind_of(11));
  on.merge(later);
  CHECK(had(on.retention->expire_lobbies(id_of(1), {}, horizon, found)) == 0);
  CHECK(on.lobbies().size() == 1);
  CHECK(had(on.retention->kept_histories())[0].complete_from_ts == 0);
}

TEST_CASE("a batch that was computed from an earlier retention of its game removes nothing",
          "[engines]") {
  const retention_bench on;
  const auto over = fill(on);
  const auto keep_for = [&](std::optional<std::int64_t> days) {
    model::catalog_document document;
    document.games = {{id_of(1), "one", days}};
    had(on.catalog->import_document(document));
  };
  const auto expire = [&](std::optional<std::int64_t> computed_from) {
    return had(on.retention->expire_lobbies(id_of(1), computed_from, horizon, on.expired(1)));
  };
  keep_for(0);
  CHECK_FALSE(expire(std::nullopt));
  CHECK_FALSE(expire(30));
  keep_for(30);
  CHECK_FALSE(expire(std::nullopt));
  CHECK(on.expired(1).size() == over.size());
  CHECK(expire(30) == over.size());
}

TEST_CASE("an export's snapshot says from when on history is complete", "[engines]") {
  const retention_bench on;
  fill(on);
  const auto complete_from = [&](std::uint32_t game) {
    std::int64_t found = -1;
    history_reader to;
    to.begun = [&](const history_snapshot& snapshot) { found = snapshot.complete_from_ts; };
    to.take = [](const model::history_lobby&) { return true; };
    had(on.history->read({id_of(game), {0, 10}}, base::machine_clock(), to));
    return found;
  };
  CHECK(complete_from(1) == 0);
  on.expire(1);
  CHECK(complete_from(1) == horizon);
  CHECK(complete_from(2) == 0);
}

TEST_CASE("a game says how long its lobbies are kept", "[engines]") {
  const retention_bench on;
  model::catalog_document document;
  document.games = {{id_of(1), "one", 30}, {id_of(2), "two", 0}};
  had(on.catalog->import_document(document));
  const auto kept = had(on.retention->kept_histories());
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].retention_days == 30);
  CHECK(kept[1].retention_days == 0);
  CHECK(had(on.catalog->load()).find_game(id_of(1))->retention_days == 30);
  document.games = {{id_of(1), "one"}};
  had(on.catalog->import_document(document));
  CHECK_FALSE(had(on.retention->kept_histories())[0].retention_days);
}

TEST_CASE("a store knows its last run of expiry, and each game's newest lobby", "[engines]") {
  const retention_bench on;
  CHECK(had(on.retention->last_expiry()) == 0);
  had(on.retention->note_expiry(5));
  had(on.retention->note_expiry(4));
  CHECK(had(on.retention->last_expiry()) == 4);
  CHECK_FALSE(had(on.retention->newest_lobby(id_of(1))));
  lobby_list list;
  list.add(100, {1'000, 90'000}, kind_of(11));
  list.add(101, {2'000, 2'001}, kind_of(11));
  list.add(102, {3'000, std::nullopt}, kind_of(11));
  on.merge(list);
  CHECK(had(on.retention->newest_lobby(id_of(1))) == 2'000);
}

TEST_CASE("one process at a time has the lease of housekeeping", "[engines]") {
  const retention_bench on;
  constexpr std::chrono::hours long_time{1};
  CHECK(had(on.retention->take_housekeeping(id_of(1), long_time)));
  CHECK_FALSE(had(on.retention->take_housekeeping(id_of(2), long_time)));
  CHECK(had(on.retention->take_housekeeping(id_of(1), long_time)));
  had(on.retention->leave_housekeeping(id_of(2)));
  CHECK_FALSE(had(on.retention->take_housekeeping(id_of(2), long_time)));
  had(on.retention->leave_housekeeping(id_of(1)));
  // Over as soon as it is taken.
  CHECK(had(on.retention->take_housekeeping(id_of(2), std::chrono::milliseconds{0})));
  CHECK(had(on.retention->take_housekeeping(id_of(1), long_time)));
}

TEST_CASE("all that one run expires is one entry of the audit log", "[engines]") {
  const retention_bench on;
  fill(on);
  model::audit_author service;
  service.what = model::audit_author::kind::service;
  const auto run = model::run_of(service);
  const auto all = on.expired(1);
  // A batch of which nothing is left to remove has no entry.
  CHECK(had(had(on.of->retention(run))->expire_lobbies(id_of(1), {}, horizon - 1'000'000, all)) ==
        0);
  for (const auto& each : all)
    had(had(on.of->retention(run))->expire_lobbies(id_of(1), {}, horizon, {&each, 1}));
  model::audit_query query;
  query.action = "lobbies.expire";
  const auto logged = had(had(on.of->audit())->read_audit(query)).entries;
  REQUIRE(logged.size() == 1);
  CHECK(logged[0].what.subject == "games/" + to_string(id_of(1)));
  CHECK(logged[0].what.after == R"({"complete_from_ts":1000000})");
}

TEST_CASE("lobbies that run are found by their start, with their attributes", "[engines]") {
  const retention_bench on;
  lobby_list list;
  list.add(101, {10, std::nullopt}, kind_of(11)).add(102, {10, std::nullopt}, kind_of(12, "iad"));
  list.add(103, {20, std::nullopt}, kind_of(11)).add(104, {21, std::nullopt}, kind_of(11));
  list.add(105, {10, 30}, kind_of(11)).add(106, {10, std::nullopt}, kind_of(21));
  on.merge(list);
  const auto first = had(on.retention->running_lobbies(id_of(1), 20, {}, 2));
  REQUIRE(first.size() == 2);
  CHECK(first[0] == model::lobby{id_of(101), {10, std::nullopt}, kind_of(11)});
  CHECK(first[1] == model::lobby{id_of(102), {10, std::nullopt}, kind_of(12, "iad")});
  const auto rest =
      had(on.retention->running_lobbies(id_of(1), 20, {model::running_class, 10, id_of(102)}, 2));
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].lobby_id == id_of(103));
}

} // namespace
} // namespace matchcloud::store
