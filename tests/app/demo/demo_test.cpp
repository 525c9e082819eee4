#include "app/demo/demo_data.hpp"
#include "app/demo/demo_pictures.hpp"

#include "model/avatars/image_content.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/files/file_objects.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {
namespace {

constexpr std::int64_t february_ms = 1'769'904'000'000; // 2026-02-01T00:00:00Z

TEST_CASE("the demo's lobbies are 10,000 of 31 days, some running and some long, once") {
  const fixtures::temporary_directory directory;
  {
    auto store = store::open_sqlite(directory.path());
    REQUIRE(store.has_value());
    REQUIRE((*store)->catalog().value()->import_document(model::demo_catalog()).has_value());
    const auto moment = [&](std::int64_t wanted_ms) {
      return app::moment_of_demo(*(*store)->history().value(), wanted_ms);
    };
    CHECK(moment(february_ms) == february_ms);
    CHECK(app::seed_demo_lobbies(*(*store)->sink().value(), february_ms) == true);
    CHECK(app::seed_demo_lobbies(*(*store)->sink().value(), february_ms) == false);
    CHECK(moment(february_ms + 86'400'000) == february_ms);
    CHECK(moment(february_ms - 1) == february_ms);
  }
  auto db = store::sqlite_connection::open(directory.path("matchcloud.db"));
  const auto count = [&](const std::string& condition) {
    return db.read_integer("SELECT count(*) FROM lobbies WHERE " + condition, "count");
  };
  CHECK(count("true") == 10'000);
  CHECK(count("stop_ts IS NULL") > 10);
  CHECK(count("stop_ts - start_ts >= 86400000") > 10);
  CHECK(count("start_ts < unixepoch('2026-01-01') * 1000") == 0);
  CHECK(count("start_ts >= unixepoch('2026-02-01') * 1000") == 0);
  CHECK(count("stop_ts >= unixepoch('2026-02-01') * 1000") == 0);
}

TEST_CASE("the demo's avatars are of the weeks before its moment, and seeded once") {
  const fixtures::temporary_directory directory;
  auto store = store::open_sqlite(directory.path());
  REQUIRE(store.has_value());
  REQUIRE((*store)->catalog().value()->import_document(model::demo_catalog()).has_value());
  const auto images = store::file_objects::open(directory.path());
  REQUIRE(images.has_value());
  const auto seed = [&] {
    return app::seed_demo_avatars(*(*store)->avatars().value(), **images, february_ms);
  };
  REQUIRE(seed() == true);
  CHECK(seed() == false);
  const auto& game = model::demo_catalog().games.front().game_id;
  std::vector<std::int64_t> created;
  REQUIRE((*store)
              ->avatars()
              .value()
              ->read(game,
                     [&](const model::avatar& each) {
                       created.push_back(each.create_ts_ms);
                       return true;
                     })
              .has_value());
  CHECK(created == std::vector<std::int64_t>{1'769'126'400'001, 1'768'521'600'750,
                                             1'768'003'200'500, 1'767'614'400'250,
                                             1'767'225'600'000});
}

TEST_CASE("the demo's pictures are images that the import would take, each its own") {
  const std::vector<std::string_view> all{app::red_panda_png(), app::snow_owl_png(),
                                          app::tide_turtle_png()};
  for (const auto image : all)
    CHECK(model::inspect_image(image) == model::found_image{model::image_type::png, image.size()});
  CHECK(std::set(all.begin(), all.end()).size() == 3);
}

} // namespace
} // namespace matchcloud::app
