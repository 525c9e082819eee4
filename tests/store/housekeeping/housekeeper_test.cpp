#include "store/housekeeping/housekeeper.hpp"

#include "store/files/file_objects.hpp"
#include "store/open_store.hpp"
#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <string>
#include <string_view>

namespace matchcloud::store {
namespace {

constexpr std::int64_t day_ms = 86'400'000;
constexpr std::chrono::hours interval{1};

struct housekeeper_bench {
  fixtures::temporary_directory directory;
  moved_clock clock;
  /// With one session, as that of a service.
  std::shared_ptr<database> in = had(open_sqlite(directory.path(), {.sessions = {1, 1, {}}}));
  std::shared_ptr<object_store> objects = had(file_objects::open(directory.path()));
  std::unique_ptr<export_objects> exports = open_ok(directory.path());

  housekeeper_bench() {
    had(had(in->catalog())->import_document(lobby_catalog()));
    had(had(in->retention())->note_expiry(clock.unix_ms()));
  }

  housekeeper_settings settings() const {
    housekeeper_settings made;
    made.in = in;
    made.objects = objects;
    made.exports = exports.get();
    made.owner = id_of(77);
    made.clock = &clock;
    made.kept.history = std::chrono::days{10};
    made.kept.delay = std::chrono::milliseconds{0};
    made.kept.share_percent = 100;
    made.expiry_interval = interval;
    made.rests = false;
    return made;
  }
  std::int64_t now_ms() const { return clock.unix_ms(); }
  /// Lobbies of game 1 that stopped `days` ago, and as many of game 2.
  void add(std::uint32_t first, std::uint32_t count, std::int64_t days) const {
    lobby_list list;
    const auto stop = now_ms() - days * day_ms;
    for (std::uint32_t i = 0; i < count; ++i) {
      list.add(first + i, {stop - 1'000 - i, stop}, kind_of(11));
      list.add(first + count + i, {stop - 1'000 - i, stop}, kind_of(21));
    }
    merge_all(*had(in->sink()), list);
  }
  std::size_t lobbies_of(std::uint32_t game) const {
    return had(had(in->erasures())->lobbies_after(id_of(game), {}, 100'000)).size();
  }
  void put_avatar(std::uint32_t number) const {
    model::avatar made;
    made.game_id = id_of(1);
    made.upload_id = id_of(number);
    made.image = model::parse_image_name("0123456789abcdef0123456789abcdef.png");
    had(objects->put_new(object_of(image_key{made.upload_id, *made.image}), "image", "image/png"));
    had(had(in->avatars())->put({&made, 1}));
  }
  std::size_t images() const {
    std::size_t count = 0;
    had(objects->list(images_folder(),
                      [&](const object_name&, const object_facts&) { return ++count > 0; }));
    return count;
  }
};

TEST_CASE("lobbies expire after the time that is configured, or that their game says") {
  housekeeper_bench on;
  model::catalog_document document;
  document.games = {{id_of(2), "two", 30}};
  had(had(on.in->catalog())->import_document(document));
  on.add(1'000, 700, 11);
  on.add(3'000, 5, 9);
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 5);
  CHECK(on.lobbies_of(2) == 705);
  const auto all = had(retentions_at(*had(on.in->retention()), std::chrono::days{10}, on.now_ms()));
  REQUIRE(all.size() == 2);
  CHECK(all[0].complete_from_ts == on.now_ms() - 10 * day_ms);
  CHECK(all[1].complete_from_ts == 0);
}

TEST_CASE("lobbies that are kept for ever never expire, and expiry runs once an interval") {
  housekeeper_bench on;
  auto settings = on.settings();
  settings.kept.history = std::chrono::days{0};
  housekeeper kept{settings};
  on.add(1'000, 3, 30'000 / 30);
  had(kept.run());
  CHECK(on.lobbies_of(1) == 3);

  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
  on.add(2'000, 3, 11);
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  on.clock.move(interval);
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
}

double shown(const housekeeper& keeper, std::string_view name) {
  base::metric_set all;
  keeper.show(all);
  double value = -1;
  for (const auto& each : all.metrics())
    if (each.text.name == name)
      each.read([&](auto, const base::metric_value& read) { value = read.number; });
  return value;
}

model::audit_run_ptr by_operator() {
  return model::run_of(model::audit_author{});
}

void confirm(const housekeeper_bench& on) {
  had(had(on.in->access(by_operator()))
          ->record({model::audit_action::retention_confirm, {}, {}, {}}));
}

TEST_CASE("nothing expires in the first minutes of a process") {
  housekeeper_bench on;
  on.add(1'000, 3, 11);
  auto settings = on.settings();
  settings.kept.delay = std::chrono::minutes{5};
  housekeeper keeper{settings};
  had(keeper.run());
  on.clock.move(std::chrono::minutes{4});
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  on.clock.move(std::chrono::minutes{1});
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
}

TEST_CASE("nothing expires by a clock that is far ahead of the last run, until it is confirmed") {
  housekeeper_bench on;
  on.add(1'000, 3, 1);
  on.clock.move(std::chrono::days{3'650});
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  CHECK(shown(keeper, "matchcloud_expiry_clock_in_doubt") == 1);
  on.clock.move(std::chrono::minutes{1});
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  confirm(on);
  on.clock.move(std::chrono::minutes{1});
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
  CHECK(shown(keeper, "matchcloud_expiry_clock_in_doubt") == 0);
  on.add(2'000, 3, 11);
  on.clock.move(interval);
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
}

TEST_CASE("a clock that is corrected lets lobbies expire again") {
  housekeeper_bench on;
  on.add(1'000, 3, 11);
  // The steady time goes on while the time of day is set back.
  struct set_clock final : base::clock {
    base::steady_time now() const noexcept override { return true_time.now(); }
    std::int64_t unix_ms() const noexcept override { return true_time.unix_ms() + ahead_ms; }
    moved_clock true_time;
    std::int64_t ahead_ms = 100 * day_ms;
  } clock;
  auto settings = on.settings();
  settings.clock = &clock;
  housekeeper keeper{settings};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  clock.ahead_ms = 0;
  clock.true_time.move(std::chrono::minutes{1});
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
}

TEST_CASE("a store in which nothing has ever expired is compared with its newest lobby") {
  housekeeper_bench on;
  had(had(on.in->retention())->note_expiry(0));
  on.add(1'000, 3, 300);
  {
    housekeeper keeper{on.settings()};
    had(keeper.run());
    CHECK(on.lobbies_of(1) == 3);
    CHECK(shown(keeper, "matchcloud_expiry_clock_in_doubt") == 1);
  }
  on.add(2'000, 1, 1);
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 1);
}

TEST_CASE("much of a game expires once it is confirmed, or its retention was just set") {
  housekeeper_bench on;
  on.add(1'000, 300, 11);
  on.add(3'000, 200, 1);
  auto settings = on.settings();
  settings.kept.share_percent = 50;
  housekeeper keeper{settings};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 500);
  CHECK(shown(keeper, "matchcloud_expiry_waiting_games") == 2);
  model::catalog_document document;
  document.games = {{id_of(1), "one", 9}};
  had(had(on.in->catalog(by_operator()))->import_document(document));
  on.clock.move(interval);
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 200);
  CHECK(on.lobbies_of(2) == 500);
  confirm(on);
  on.clock.move(std::chrono::minutes{1});
  had(keeper.run());
  CHECK(on.lobbies_of(2) == 200);
  CHECK(shown(keeper, "matchcloud_expiry_waiting_games") == 0);
}

TEST_CASE("half of a game expires without a confirmation") {
  housekeeper_bench on;
  on.add(1'000, 300, 11);
  on.add(3'000, 300, 1);
  auto settings = on.settings();
  settings.kept.share_percent = 50;
  housekeeper keeper{settings};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 300);
}

TEST_CASE("a store that is slow to count what is due counts less") {
  std::uint64_t most = 0;
  const auto count = [&](const model::uuid&, std::int64_t,
                         std::uint64_t limit) -> base::expected<std::uint64_t> {
    if (limit > most) return base::fail(base::errc::store_failed, "canceling statement");
    return limit;
  };
  std::vector<game_retention> all(1);
  all[0].horizon_ts = 1;
  CHECK(count_due(count, all).error().code == base::errc::store_failed);
  most = hurried_count_limit;
  had(count_due(count, all));
  CHECK(all[0].due == hurried_count_limit);
  most = due_count_limit;
  had(count_due(count, all));
  CHECK(all[0].due == due_count_limit);
}

TEST_CASE("the image of a removed avatar that is elsewhere is left to those who have it") {
  housekeeper_bench on;
  on.put_avatar(1);
  had(had(on.in->erasures())->remove_avatar(id_of(1), id_of(1)));
  const fixtures::temporary_directory other;
  const auto elsewhere = had(file_objects::open(other.path()));
  had(remove_images_of(*on.in, *elsewhere, id_of(1)));
  CHECK(had(had(on.in->erasures())->removed_images(10, std::chrono::hours{24})).size() == 1);
  had(remove_images_of(*on.in, *on.objects, id_of(1)));
  CHECK(had(had(on.in->erasures())->removed_images(10, std::chrono::hours{24})).empty());
  CHECK(on.images() == 0);
}

TEST_CASE("housekeeping does nothing while another process has the lease, or once it is stopped") {
  housekeeper_bench on;
  on.add(1'000, 3, 11);
  had(had(on.in->retention())->take_housekeeping(id_of(78), std::chrono::hours{1}));
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  had(had(on.in->retention())->leave_housekeeping(id_of(78)));
  keeper.stop();
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 3);
  housekeeper next{on.settings()};
  had(next.run());
  CHECK(on.lobbies_of(1) == 0);
}

TEST_CASE("a game is erased with its lobbies, avatars, images and exports; others keep theirs") {
  housekeeper_bench on;
  on.add(1'000, 300, 1);
  for (std::uint32_t number = 1; number <= 150; ++number)
    on.put_avatar(number);
  auto mine = facts_of(1);
  mine.query = {id_of(1), {0, 10}};
  publish_ok(*on.exports, mine, "csv");
  publish_ok(*on.exports, facts_of(2), "csv");
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 300);

  had(had(on.in->erasures())->begin_erasure(id_of(1), on.now_ms()));
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 0);
  CHECK(on.lobbies_of(2) == 300);
  CHECK(on.images() == 0);
  CHECK_FALSE(on.exports->has(mine.export_id));
  CHECK(on.exports->has(facts_of(2).export_id));
  const auto all = had(had(on.in->erasures())->erasures());
  REQUIRE(all.size() == 1);
  CHECK(all[0] == erasure{id_of(1), on.now_ms(), 300, 150, 1, 0, on.now_ms()});
}

TEST_CASE("the image of a removed avatar is removed, however late") {
  housekeeper_bench on;
  on.put_avatar(1);
  on.put_avatar(2);
  had(had(on.in->erasures())->remove_avatar(id_of(1), id_of(1)));
  CHECK(on.images() == 2);
  housekeeper keeper{on.settings()};
  had(keeper.run());
  CHECK(on.images() == 1);
  CHECK(had(had(on.in->erasures())->removed_images(10, std::chrono::hours{24})).empty());
}

/// A clock that is visited at one of its looks.
struct clock_with_guest final : base::clock {
  clock_with_guest(int at_look, std::function<void()> with)
      : visited_at{at_look}, visit{std::move(with)} {}

  base::steady_time now() const noexcept override {
    if (++looks == visited_at) visit();
    return moved.now();
  }
  std::int64_t unix_ms() const noexcept override { return moved.unix_ms(); }

  moved_clock moved;
  int visited_at;
  std::function<void()> visit;
  mutable int looks = 0;
};

constexpr int before_first_batch = 5;
constexpr int after_first_batch = 6;

TEST_CASE("a game that is kept for ever from now on loses no more, though its expiry has begun") {
  housekeeper_bench on;
  on.add(1'000, 600, 11);
  clock_with_guest clock{after_first_batch, [&] {
                           model::catalog_document document;
                           document.games = {{id_of(1), "one", 0}};
                           had(had(on.in->catalog())->import_document(document));
                         }};
  auto settings = on.settings();
  settings.clock = &clock;
  housekeeper keeper{settings};
  had(keeper.run());
  CHECK(on.lobbies_of(1) == 600 - batch_pace::least);
  CHECK(on.lobbies_of(2) == 0);
}

TEST_CASE("a process that has lost the housekeeping lease ends soon, and does the rest later") {
  housekeeper_bench on;
  on.add(1'000, 600, 11);
  clock_with_guest clock{before_first_batch, [&] {
                           // As if this process had hung for longer than its lease.
                           clock.moved.move(2 * housekeeping_lease);
                           const auto retention = had(on.in->retention());
                           had(retention->leave_housekeeping(id_of(77)));
                           CHECK(
                               had(retention->take_housekeeping(id_of(78), std::chrono::hours{1})));
                         }};
  auto settings = on.settings();
  settings.clock = &clock;
  housekeeper keeper{settings};
  had(keeper.run());
  CHECK(clock.looks > before_first_batch);
  CHECK(on.lobbies_of(1) + on.lobbies_of(2) >= 700);
  had(keeper.run());
  CHECK(on.lobbies_of(1) + on.lobbies_of(2) >= 700);
  had(had(on.in->retention())->leave_housekeeping(id_of(78)));
  had(keeper.run());
  CHECK(on.lobbies_of(1) + on.lobbies_of(2) == 0);
}

TEST_CASE("what comes to a game after its erasure has ended is removed at the next look") {
  housekeeper_bench on;
  housekeeper keeper{on.settings()};
  had(had(on.in->erasures())->begin_erasure(id_of(1), on.now_ms()));
  had(keeper.run());
  REQUIRE(had(had(on.in->erasures())->erasures())[0].finished_ms);
  model::access_token late;
  late.token_id = id_of(5);
  late.what.kind = model::token_kind::game;
  late.what.scope = id_of(1);
  had(had(on.in->tokens())->create_token(late));
  on.clock.move(interval);
  had(keeper.run());
  CHECK(had(had(on.in->access())->load_tokens())->tokens().empty());
}

TEST_CASE("a batch follows how long the last one took, within bounds") {
  batch_pace pace;
  const auto first = pace.size();
  CHECK(pace.note(std::chrono::milliseconds{1}) == std::chrono::milliseconds{10});
  CHECK(pace.size() == 2 * first);
  for (int i = 0; i < 20; ++i)
    pace.note(std::chrono::microseconds{1});
  CHECK(pace.size() == batch_pace::most);
  pace.note(batch_pace::target);
  CHECK(pace.size() == batch_pace::most);
  pace.note(2 * batch_pace::target);
  CHECK(pace.size() < batch_pace::most);
  for (int i = 0; i < 20; ++i)
    pace.note(std::chrono::seconds{10});
  CHECK(pace.size() == batch_pace::least);
}

} // namespace
} // namespace matchcloud::store
