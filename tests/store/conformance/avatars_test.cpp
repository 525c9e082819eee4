#include "model/catalog/catalog_document.hpp"
#include "tests/store/conformance/engines.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>

namespace matchcloud::store {
namespace {

model::avatar avatar_of(std::uint8_t game, std::uint8_t upload, std::int64_t create_ts_ms = 0) {
  model::avatar made;
  made.game_id = id_of(game);
  made.upload_id = id_of(upload);
  made.display_name = "Avatar";
  made.create_ts_ms = create_ts_ms;
  return made;
}

/// A store with games 1 and 2.
struct avatars_bench : conforming_store {
  explicit avatars_bench(const engine& on = each_engine()) : conforming_store{on} {
    model::catalog_document games;
    games.games = {{id_of(1), "One"}, {id_of(2), "Two"}};
    had(catalog->import_document(games));
  }

  std::vector<put_outcome> put(const std::vector<model::avatar>& list) const {
    return had(avatars->put(list));
  }
  std::vector<model::avatar> list(std::uint8_t game) const {
    std::vector<model::avatar> found;
    REQUIRE(avatars->read(id_of(game), [&](const model::avatar& each) {
      found.push_back(each);
      return true;
    }));
    return found;
  }
  std::int64_t revision(std::uint8_t game) const {
    return had(avatars->read(id_of(game), [](const model::avatar&) { return true; }));
  }
};

TEST_CASE("a game that was removed takes no avatars until it returns", "[engines]") {
  const avatars_bench on;
  auto shown = avatar_of(2, 1);
  shown.complete = true;
  shown.image = model::parse_image_name("0123456789abcdef0123456789abcdef.jpg");
  REQUIRE(on.put({shown}) == std::vector{put_outcome::added});
  const auto key = model::element_key::parse(model::element_kind::game, to_string(id_of(2)));
  REQUIRE(key.has_value());
  REQUIRE(on.catalog->remove(*key).has_value());
  std::vector<model::image_name> images;
  had(on.avatars->read_images([&](const image_key& each, bool is_current) {
    CHECK(is_current);
    images.push_back(each.name);
    return true;
  }));
  CHECK(images == std::vector{*shown.image});
  CHECK(on.put({avatar_of(2, 2), avatar_of(1, 3)}) ==
        std::vector{put_outcome::game_unknown, put_outcome::added});
  model::catalog_document again;
  again.games = {{id_of(2), "Two"}};
  REQUIRE(on.catalog->import_document(again).has_value());
  CHECK(on.put({avatar_of(2, 2)}) == std::vector{put_outcome::added});
  CHECK(on.list(2).size() == 2);
}

TEST_CASE("avatars come back as they were put, newest first, then by upload id", "[engines]") {
  const avatars_bench on;
  auto full = avatar_of(1, 9, 253'402'300'799'999);
  full.display_name = "\xF0\x9F\xA6\x8A \"fox\"";
  full.content_length = std::numeric_limits<std::uint64_t>::max();
  full.complete = true;
  full.image = model::parse_image_name("0123456789abcdef0123456789abcdef.jpg");
  CHECK(on.put({avatar_of(1, 2, 5), avatar_of(2, 3, 7), avatar_of(1, 4, 6), avatar_of(1, 1, 5),
                full}) == std::vector<put_outcome>(5, put_outcome::added));
  CHECK(on.list(1) == std::vector<model::avatar>{full, avatar_of(1, 4, 6), avatar_of(1, 1, 5),
                                                 avatar_of(1, 2, 5)});
  CHECK(on.list(2).size() == 1);
  CHECK(on.list(3).empty());
}

TEST_CASE("every content length survives the store, whose integers are signed", "[engines]") {
  const avatars_bench on;
  REQUIRE(rc::check("any 64 bits", [&](std::uint64_t length) {
    auto each = avatar_of(1, 1);
    each.content_length = length;
    RC_ASSERT(on.avatars->put(std::vector{each}).has_value());
    RC_ASSERT(on.list(1).front().content_length == length);
  }));
}

TEST_CASE("putting again changes what is new, and its revision only then", "[engines]") {
  const avatars_bench on;
  CHECK(on.revision(1) == 0);
  on.put({avatar_of(1, 1), avatar_of(1, 2)});
  const auto first = on.revision(1);
  CHECK(first > 0);
  CHECK(on.put({avatar_of(1, 1), avatar_of(1, 2)}) ==
        std::vector<put_outcome>(2, put_outcome::unchanged));
  CHECK(on.revision(1) == first);
  auto renamed = avatar_of(1, 2);
  renamed.display_name = "Renamed";
  CHECK(on.put({avatar_of(1, 1), renamed}) ==
        std::vector{put_outcome::unchanged, put_outcome::changed});
  CHECK(on.revision(1) > first);
  CHECK(on.list(1).back().display_name == "Renamed");
}

TEST_CASE("an avatar needs its game and keeps it", "[engines]") {
  const avatars_bench on;
  on.put({avatar_of(1, 1)});
  CHECK(on.put({avatar_of(9, 2), avatar_of(2, 1), avatar_of(2, 3)}) ==
        std::vector{put_outcome::game_unknown, put_outcome::of_other_game, put_outcome::added});
  CHECK(on.list(1) == std::vector{avatar_of(1, 1)});
  CHECK(on.list(2) == std::vector{avatar_of(2, 3)});
}

TEST_CASE("a check says what putting would do and writes nothing", "[engines]") {
  const avatars_bench on;
  on.put({avatar_of(1, 1)});
  const std::vector<model::avatar> avatars{avatar_of(1, 1), avatar_of(1, 2), avatar_of(9, 3)};
  const auto checked = on.avatars->check(avatars);
  REQUIRE(checked.has_value());
  CHECK(on.list(1).size() == 1);
  CHECK(*checked == on.put(avatars));
}

TEST_CASE("reading stops when it is told to", "[engines]") {
  const avatars_bench on;
  on.put({avatar_of(1, 1), avatar_of(1, 2), avatar_of(1, 3)});
  int seen = 0;
  REQUIRE(on.avatars->read(id_of(1), [&](const model::avatar&) { return ++seen < 2; }));
  CHECK(seen == 2);
  on.put({avatar_of(1, 4)}); // shows that the transaction has ended
}

TEST_CASE("a reader without a revision is told that all games may have moved, then which did",
          "[engines]") {
  const avatars_bench on;
  on.put({avatar_of(1, 1), avatar_of(2, 2)});
  const all_roles other{on.open()};
  const auto unknown = had(other.feed->moved_games_since(-1));
  CHECK(unknown.all);
  const auto nothing = had(other.feed->moved_games_since(unknown.revision));
  CHECK_FALSE(nothing.all);
  CHECK(nothing.games.empty());
  CHECK(nothing.revision == unknown.revision);
  on.put({avatar_of(2, 3)});
  const auto moved = had(other.feed->moved_games_since(unknown.revision));
  CHECK(moved.games == std::vector<game_revision>{{id_of(2), on.revision(2)}});
  CHECK(moved.revision == on.revision(2));
}

TEST_CASE("a store answers like a map of upload ids", "[engines]") {
  const auto any_avatar = rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<std::uint8_t>(1, 3), rc::gen::inRange<std::uint8_t>(1, 6),
                     rc::gen::inRange(0, 4), rc::gen::arbitrary<bool>()),
      [](const std::tuple<std::uint8_t, std::uint8_t, int, bool>& from) {
        const auto [game, upload, created, complete] = from;
        auto made = avatar_of(game, upload, created);
        made.complete = complete;
        return made;
      });
  const auto& engine = each_engine();
  REQUIRE(rc::check("whatever is put, in whatever batches", [&] {
    const avatars_bench on{engine};
    std::map<model::uuid, model::avatar> expected;
    for (const auto& batch : *rc::gen::container<std::vector<std::vector<model::avatar>>>(
             rc::gen::container<std::vector<model::avatar>>(any_avatar))) {
      RC_ASSERT(on.avatars->put(batch).has_value());
      for (const auto& each : batch) {
        const auto [at, is_new] = expected.try_emplace(each.upload_id, each);
        if (!is_new && at->second.game_id == each.game_id) at->second = each;
      }
    }
    for (const std::uint8_t game : {1, 2}) {
      std::vector<model::avatar> listed;
      for (const auto& [id, each] : expected)
        if (each.game_id == id_of(game)) listed.push_back(each);
      std::ranges::stable_sort(listed, std::greater{}, &model::avatar::create_ts_ms);
      RC_ASSERT(on.list(game) == listed);
    }
  }));
}

} // namespace
} // namespace matchcloud::store
