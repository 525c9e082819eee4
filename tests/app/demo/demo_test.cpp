#include "app/demo/demo_avatars.hpp"
#include "app/demo/demo_image.hpp"
#include "app/demo/demo_lobbies.hpp"

#include "model/avatars/image_content.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/files/file_objects.hpp"
#include "store/open_sqlite.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace {

using namespace matchcloud;

TEST_CASE("the demo's lobbies are 10,000 of January 2026, some running and some long, once") {
  const fixtures::temporary_directory directory;
  {
    auto store = store::open_sqlite(directory.path());
    REQUIRE(store.has_value());
    REQUIRE((*store)->catalog().value()->import_document(model::demo_catalog()).has_value());
    CHECK(app::seed_demo_lobbies(*(*store)->sink().value()) == true);
    CHECK(app::seed_demo_lobbies(*(*store)->sink().value()) == false);
  }
  auto db = store::sqlite_connection::open(directory.path("matchcloud.db"));
  REQUIRE(db.has_value());
  const auto count = [&](const std::string& condition) {
    return db->read_integer("SELECT count(*) FROM lobbies WHERE " + condition, "count").value();
  };
  CHECK(count("true") == 10'000);
  CHECK(count("stop_ts IS NULL") > 10);
  CHECK(count("stop_ts - start_ts >= 86400000") > 10);
  CHECK(count("start_ts < unixepoch('2026-01-01') * 1000") == 0);
  CHECK(count("start_ts >= unixepoch('2026-02-01') * 1000") == 0);
  CHECK(count("stop_ts >= unixepoch('2026-02-01') * 1000") == 0);
}

TEST_CASE("the demo's avatars are seeded once") {
  const fixtures::temporary_directory directory;
  auto store = store::open_sqlite(directory.path());
  REQUIRE(store.has_value());
  REQUIRE((*store)->catalog().value()->import_document(model::demo_catalog()).has_value());
  const auto images = store::file_objects::open(directory.path());
  REQUIRE(images.has_value());
  CHECK(app::seed_demo_avatars(*(*store)->avatars().value(), **images) == true);
  CHECK(app::seed_demo_avatars(*(*store)->avatars().value(), **images) == false);
}

TEST_CASE("drawn avatars are images that the import would take, each its own") {
  const auto one = app::draw_demo_avatar(1);
  CHECK(model::inspect_image(one) == model::found_image{model::image_type::png, one.size()});
  CHECK(app::draw_demo_avatar(1) == one);
  CHECK(app::draw_demo_avatar(2) != one);
}

} // namespace
