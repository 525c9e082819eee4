// Revisions under several concurrent writers, each on its own database as in a separate process: a
// reader that saw revision n has seen everything before n.
#include "base/clock.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/store/conformance/engines.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <thread>

namespace matchcloud::store {
namespace {

constexpr std::uint32_t writers = 8;
constexpr std::uint32_t changes = 25;

/// The first id of the games, one per change, and of their namespaces.
constexpr std::uint32_t game_base = 1'000;
constexpr std::uint32_t namespace_base = 2'000;

model::catalog_document games_to_change() {
  model::catalog_document document;
  document.regions = {{"fra", "Frankfurt", "P", {}}};
  for (std::uint32_t i = 0; i < writers * changes; ++i) {
    document.games.push_back({id_of(game_base + i), "game"});
    document.namespaces.push_back(
        {id_of(namespace_base + i), id_of(game_base + i), "prod", {}, std::nullopt});
  }
  return document;
}

/// Makes change `number`. False if it fails.
bool change_catalog(database& in, std::uint32_t number) {
  model::catalog_document document;
  document.regions = {{std::to_string(number), "Region", "P", {}}};
  const auto into = in.catalog();
  return into && (*into)->import_document(document);
}
bool change_avatars(database& in, std::uint32_t number) {
  model::avatar made;
  made.game_id = id_of(game_base + number);
  made.upload_id = id_of(number);
  made.display_name = "Avatar";
  const auto into = in.avatars();
  return into && (*into)->put({&made, 1}) == std::vector{put_outcome::added};
}
/// Two lobbies, of games 1 and 2.
bool change_lobbies(database& in, std::uint32_t number) {
  lobby_list one;
  one.add(2 * number, {1, 2}, kind_of(11));
  lobby_list other;
  other.add(2 * number + 1, {1, 2}, kind_of(21));
  const auto into = in.sink();
  if (!into) return false;
  std::array parts{merge_part{one.records, &one.attributes, nullptr, {}},
                   merge_part{other.records, &other.attributes, nullptr, {}}};
  // Some in one transaction, where the engine can.
  if (number % 2 == 0) {
    (*into)->merge_together(parts);
  } else {
    for (auto& each : parts)
      each.merged = (*into)->merge(each.records, *each.attributes);
  }
  return std::ranges::all_of(
      parts, [](const auto& each) { return each.merged && each.merged->accepted == 1; });
}

/// Makes all changes, each writer on a separate thread and database. `look` runs repeatedly
/// during that and once more after the last change. Whether all changes could be made.
bool change_at_once(const conforming_store& in, bool (*change)(database&, std::uint32_t),
                    const std::function<void()>& look) {
  std::atomic<std::uint32_t> left{writers};
  std::atomic<bool> done{true};
  std::vector<std::jthread> threads;
  for (std::uint32_t writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      const auto own = in.open();
      bool made = own.has_value();
      for (std::uint32_t i = 0; i < changes && made; ++i)
        made = change(**own, writer * changes + i);
      if (!made) done = false;
      --left;
    });
  while (left > 0)
    look();
  look();
  return done;
}

TEST_CASE("a reader that saw a revision of the catalog has seen all writers' changes before it",
          "[engines]") {
  const conforming_store in;
  bool sound = true;
  std::int64_t known = 0;
  std::size_t most = 0;
  const bool done = change_at_once(in, change_catalog, [&] {
    const auto least = in.catalog->revision().value_or(-1);
    const auto catalog = in.catalog->load().value_or(model::catalog{});
    const auto found = catalog.regions.size();
    // A later revision has more content, an equal one the same.
    sound = sound && least >= known && catalog.revision >= least &&
            (catalog.revision > known) == (found > most);
    known = catalog.revision;
    most = found;
  });
  CHECK(done);
  CHECK(sound);
  CHECK(most == writers * changes);
}

TEST_CASE("a reader that follows games by their revisions hears of all writers' changes",
          "[engines]") {
  const conforming_store in;
  had(in.catalog->import_document(games_to_change()));
  std::set<model::uuid> told;
  std::int64_t known = 0;
  bool sound = true;
  const auto revision_in = [&](const model::uuid& game) {
    return in.avatars->read(game, [](const model::avatar&) { return true; }).value();
  };
  const bool done = change_at_once(in, change_avatars, [&] {
    const auto moved = in.feed->moved_games_since(known).value();
    for (const auto& [game, revision] : moved.games) {
      // Each game changes once: a game reported later must have a higher revision.
      sound = sound && revision > known && told.insert(game).second;
      sound = sound && revision_in(game) == revision;
      known = revision;
    }
    sound = sound && known == moved.revision;
  });
  CHECK(done);
  CHECK(sound);
  CHECK(told.size() == writers * changes);
}

TEST_CASE("a feed tells of every change within its delay, and then that nothing changed",
          "[engines]") {
  const conforming_store in;
  std::int64_t known = 0;
  bool sound = true;
  auto level_at = base::machine_clock().now();
  const auto look = [&] {
    const auto before = in.catalog->revision().value();
    if (in.feed->changed().value()) known = in.catalog->revision().value();
    const auto now = base::machine_clock().now();
    // Another look may come late on a busy machine, so twice the delay.
    if (known >= before) level_at = now;
    sound = sound && now - level_at < 2 * change_feed::delay_limit;
  };
  CHECK(change_at_once(in, change_catalog, look));
  CHECK(e2e::eventually([&] {
    look();
    return known == in.catalog->revision();
  }));
  CHECK(sound);
  CHECK(e2e::eventually([&] { return in.feed->changed() == false; }));
}

TEST_CASE("an export's revisions are of the very history that it reads, even during writes",
          "[engines]") {
  const store_for_lobbies in;
  bool sound = true;
  struct seen {
    std::int64_t revision = 0;
    std::int64_t lobbies = 0;
  };
  std::array<seen, 2> games;
  std::uint32_t looks = 0;
  const bool done = change_at_once(in, change_lobbies, [&] {
    auto& [known, most] = games.at(looks % 2);
    const auto game = id_of(1 + looks++ % 2);
    std::int64_t found = 0;
    std::int64_t revision = 0;
    history_reader to;
    to.begun = [&](const history_snapshot& snapshot) { revision = snapshot.revisions.lobbies; };
    to.take = [&](const model::history_lobby&) { return ++found > 0; };
    const auto read = in.history->read({game, {0, 10}}, base::machine_clock(), to);
    // A later revision has more content, an equal one the same.
    sound = sound && read && revision >= known && (revision > known) == (found > most);
    known = revision;
    most = found;
  });
  CHECK(done);
  CHECK(sound);
  // The last look was at one of them.
  CHECK(std::max(games[0].lobbies, games[1].lobbies) == writers * changes);
}

} // namespace
} // namespace matchcloud::store
