// Erasure of games and avatars, on every complete engine.
#include "model/access/new_token.hpp"
#include "model/audit/audit_record.hpp"
#include "tests/store/conformance/engines.hpp"

#include <string>

namespace matchcloud::store {
namespace {

constexpr std::int64_t erasure_ms = 1'800'000'000'000;
constexpr std::size_t all_of_them = 10'000;
constexpr std::chrono::hours a_day{24};

model::image_name image() {
  return *model::parse_image_name("0123456789abcdef0123456789abcdef.png");
}

model::avatar avatar_with_image(std::uint32_t game, std::uint32_t upload) {
  model::avatar made;
  made.game_id = id_of(game);
  made.upload_id = id_of(upload);
  made.display_name = "Avatar";
  made.image = image();
  return made;
}

struct erasure_bench : store_for_lobbies {
  erasure_bench() : store_for_lobbies{each_complete_engine()} {
    lobby_list list;
    list.add(100, {10, 20}, kind_of(11)).add(101, {10, std::nullopt}, kind_of(12));
    list.add(200, {10, 20}, kind_of(21));
    merge(list);
    had(avatars->put(
        std::vector{avatar_with_image(1, 1), avatar_with_image(1, 2), avatar_with_image(2, 3)}));
    for (const std::uint32_t scope : {1, 12, 2}) {
      model::new_token wanted;
      wanted.kind = scope == 12 ? model::token_kind::player : model::token_kind::game;
      wanted.scope = id_of(scope);
      wanted.name = std::to_string(scope);
      had(tokens->create_token(model::make_token(wanted, "local", erasure_ms).token));
    }
  }

  lease<access_store> access = had(of->access());
  lease<token_store> tokens = had(of->tokens());
  lease<audit_store> audit = had(of->audit());
  lease<erasure_store> erasing = had(of->erasures());
  lease<export_records> exports = had(of->exports());

  /// All steps of an erasure but its end.
  void erase_rest(std::uint32_t game) const {
    const auto id = id_of(game);
    had(erasing->erase_tokens(id));
    std::vector<model::uuid> uploads;
    for (const auto& each : had(erasing->avatars_after(id, {}, all_of_them)))
      uploads.push_back(each.upload_id);
    had(erasing->erase_avatars(id, uploads));
    had(erasing->erase_lobbies(id, had(erasing->lobbies_after(id, {}, all_of_them))));
  }
  bool finish(std::uint32_t game) const {
    // PostgreSQL waits for older transactions, which the sessions of tests do not hold.
    return e2e::eventually(
        [&] { return had(erasing->finish_erasure(id_of(game), erasure_ms + 5)); });
  }
  std::size_t avatars_of(std::uint32_t game) const {
    std::size_t count = 0;
    had(avatars->read(id_of(game), [&](const model::avatar&) { return ++count > 0; }));
    return count;
  }
  std::vector<std::string> actions() const {
    std::vector<std::string> all;
    for (const auto& each : had(audit->read_audit({})).entries)
      all.push_back(each.what.action);
    return all;
  }
};

TEST_CASE("from its begin on an erased game is not in the catalog and its images are not there",
          "[engines]") {
  const erasure_bench on;
  CHECK_FALSE(had(on.catalog->is_erased(id_of(1))));
  CHECK(had(on.avatars->has_image({id_of(1), image()}, a_day)));
  const auto revision = had(on.catalog->revision());
  const auto begun = had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  CHECK(begun == erasure{id_of(1), erasure_ms});
  CHECK(had(on.catalog->is_erased(id_of(1))));
  CHECK_FALSE(had(on.catalog->is_erased(id_of(2))));
  const auto catalog = had(on.catalog->load());
  CHECK(catalog.revision == revision + 1);
  REQUIRE(catalog.games.size() == 1);
  CHECK(catalog.games[0].game_id == id_of(2));
  CHECK(catalog.namespaces.size() == 1);
  CHECK_FALSE(had(on.avatars->has_image({id_of(1), image()}, a_day)));
  CHECK(had(on.avatars->has_image({id_of(3), image()}, a_day)));
  CHECK(on.actions()[0] == "game.erase");
  // It begins once, and what is done is told.
  had(on.erasing->erase_tokens(id_of(1)));
  auto again = had(on.erasing->begin_erasure(id_of(1), erasure_ms + 1'000));
  CHECK(again.begun_ms == erasure_ms);
  CHECK(again.tokens == 2);
}

TEST_CASE("a game that there never was cannot be erased", "[engines]") {
  const erasure_bench on;
  const auto begun = on.erasing->begin_erasure(id_of(9), erasure_ms);
  REQUIRE_FALSE(begun);
  CHECK(begun.error().code == base::errc::game_not_found);
  CHECK(had(on.erasing->erasures()).empty());
}

TEST_CASE("a removed game can be erased, too", "[engines]") {
  const erasure_bench on;
  for (const auto& [kind, number] : {std::pair{model::element_kind::game_namespace, 21U},
                                     std::pair{model::element_kind::game, 2U}})
    had(on.catalog->remove(*model::element_key::parse(kind, to_string(id_of(number)))));
  had(on.erasing->begin_erasure(id_of(2), erasure_ms));
  on.erase_rest(2);
  CHECK(on.finish(2));
}

TEST_CASE("an erasure ends when nothing is left, and the other games keep what they have",
          "[engines]") {
  const erasure_bench on;
  had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  CHECK_FALSE(had(on.erasing->finish_erasure(id_of(1), erasure_ms)));
  on.erase_rest(1);
  REQUIRE(on.finish(1));
  const auto all = had(on.erasing->erasures());
  REQUIRE(all.size() == 1);
  CHECK(all[0] == erasure{id_of(1), erasure_ms, 2, 2, 0, 2, erasure_ms + 5});
  CHECK(on.actions()[0] == "game.erased");
  CHECK(on.lobbies().size() == 1);
  CHECK(on.avatars_of(1) == 0);
  CHECK(on.avatars_of(2) == 1);
  const auto tokens = had(on.access->load_tokens());
  REQUIRE(tokens->tokens().size() == 1);
  CHECK(tokens->tokens()[0].what.scope == id_of(2));
  // Every step may be repeated.
  on.erase_rest(1);
  CHECK(on.finish(1));
  CHECK(had(on.erasing->erasures()) == all);
}

TEST_CASE("an erasure does not end while an export of its game is known", "[engines]") {
  const erasure_bench on;
  export_claim claim;
  claim.query = {id_of(1), {0, 10}};
  claim.export_id = id_of(50);
  claim.owner = id_of(51);
  claim.lease = std::chrono::minutes{1};
  const auto claimed = had(on.exports->claim_export(claim));
  had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  on.erase_rest(1);
  CHECK_FALSE(had(on.erasing->finish_erasure(id_of(1), erasure_ms)));
  const auto records = had(on.exports->exports_of_game(id_of(1), 10));
  REQUIRE(records.size() == 1);
  had(on.exports->forget_export(records[0]));
  // Its writer finds that it is gone.
  CHECK_FALSE(had(on.exports->complete_export(claimed.record)));
  CHECK(on.finish(1));
}

TEST_CASE("nothing of an erased game is taken any more, by sessions that knew it either",
          "[engines]") {
  const erasure_bench on;
  const auto other = had(on.open());
  const auto knowing = had(other->sink());
  lobby_list known;
  known.add(102, {10, 20}, kind_of(11));
  merge_all(*knowing, known);
  had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  on.erase_rest(1);
  REQUIRE(on.finish(1));
  lobby_list late;
  late.add(103, {10, 20}, kind_of(11));
  late.add(104, {10, 20}, kind_of(12, "iad", "siege"));
  late.add(201, {10, 20}, kind_of(21));
  merge_all(*knowing, late);
  merge_all(*on.sink, late);
  CHECK(on.lobbies().size() == 2);
  CHECK(had(on.avatars->put(std::vector{avatar_with_image(1, 1)})) ==
        std::vector{put_outcome::game_unknown});
}

TEST_CASE("the ids of an erased game and of its namespaces are not given again", "[engines]") {
  const erasure_bench on;
  had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  const auto refused = [&](const model::catalog_document& document) {
    const auto done = on.catalog->import_document(document);
    return done ? std::string{} : done.error().detail;
  };
  model::catalog_document again;
  again.games = {{id_of(1), "one"}};
  CHECK(refused(again).find("was erased") != std::string::npos);
  model::catalog_document moved;
  moved.namespaces = {{id_of(11), id_of(2), "prod", {}, std::nullopt}};
  CHECK(refused(moved).find("cannot return to game") != std::string::npos);
}

TEST_CASE("a removed avatar is gone, and its image is kept in mind until it is", "[engines]") {
  const erasure_bench on;
  const auto revision = had(on.avatars->read(id_of(1), [](const model::avatar&) { return true; }));
  had(on.erasing->remove_avatar(id_of(1), id_of(1)));
  CHECK(on.avatars_of(1) == 1);
  CHECK(had(on.avatars->read(id_of(1), [](const model::avatar&) { return true; })) > revision);
  CHECK(on.actions()[0] == "avatar.remove");
  const image_key key{id_of(1), image()};
  CHECK_FALSE(had(on.avatars->has_image(key, a_day)));
  CHECK(had(on.erasing->removed_images(10, a_day)) == std::vector{key});
  had(on.erasing->forget_removed_image(key));
  CHECK(had(on.erasing->removed_images(10, a_day)).empty());
  for (const std::uint32_t upload : {1U, 3U}) {
    const auto failed = on.erasing->remove_avatar(id_of(1), id_of(upload));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == base::errc::avatar_not_found);
  }
}

TEST_CASE("the image of an avatar that is imported again is not removed", "[engines]") {
  const erasure_bench on;
  had(on.erasing->remove_avatar(id_of(1), id_of(1)));
  had(on.avatars->put(std::vector{avatar_with_image(1, 1)}));
  CHECK(had(on.erasing->removed_images(10, a_day)).empty());
  CHECK(had(on.avatars->has_image({id_of(1), image()}, a_day)));
}

TEST_CASE("the image that an avatar had before is served for a time, and then removed",
          "[engines]") {
  const erasure_bench on;
  const image_key before{id_of(1), image()};
  auto changed = avatar_with_image(1, 1);
  changed.image = model::parse_image_name("0123456789abcdef0123456789abcdef.jpg");
  const image_key after{id_of(1), *changed.image};
  had(on.avatars->put({&changed, 1}));
  CHECK(had(on.avatars->has_image(after, a_day)));
  CHECK(had(on.avatars->has_image(before, a_day)));
  CHECK(had(on.erasing->removed_images(10, a_day)).empty());
  std::size_t named = 0;
  had(on.avatars->read_images([&](const image_key& each, bool is_current) {
    if (each.upload_id != id_of(1)) return true;
    CHECK(is_current == (each.name == after.name));
    ++named;
    return true;
  }));
  CHECK(named == 2);

  constexpr std::chrono::milliseconds none{0};
  CHECK_FALSE(had(on.avatars->has_image(before, none)));
  CHECK(had(on.erasing->removed_images(10, none)) == std::vector{before});

  // What an avatar has again is not removed.
  had(on.avatars->put(std::vector{avatar_with_image(1, 1)}));
  CHECK(had(on.avatars->has_image(before, none)));
  CHECK(had(on.erasing->removed_images(10, none)) == std::vector{after});
}

TEST_CASE("names of an erased game leave the audit log, whose entries stay", "[engines]") {
  const erasure_bench on;
  model::catalog_document renamed;
  renamed.games = {{id_of(1), "Secret Game"}};
  had(on.catalog->import_document(renamed));
  const auto tokens = had(on.access->load_tokens());
  for (const auto& each : tokens->tokens()) {
    model::audit_author by;
    by.what = model::audit_author::kind::token;
    by.name = "by " + each.what.name;
    by.id = to_string(each.token_id);
    had(had(on.of->access(model::run_of(by)))
            ->record({model::audit_action::lobbies_ingest_sum, {}, {}, "{}"}));
  }
  had(on.erasing->remove_avatar(id_of(1), id_of(1)));
  had(on.erasing->begin_erasure(id_of(1), erasure_ms));
  const auto before = had(on.audit->read_audit({})).entries;
  audit_names names;
  while (!names.is_done)
    had(on.erasing->erase_audit_names(id_of(1), names, 2));
  const auto after = had(on.audit->read_audit({})).entries;
  REQUIRE(after.size() == before.size());
  std::size_t blanked = 0;
  std::size_t unnamed = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    INFO(model::to_json(before[i]) << " is now " << model::to_json(after[i]));
    CHECK(after[i].entry == before[i].entry);
    CHECK(after[i].at_ms == before[i].at_ms);
    CHECK(after[i].what.action == before[i].what.action);
    CHECK(after[i].what.subject == before[i].what.subject);
    CHECK(after[i].who.id == before[i].who.id);
    unnamed += after[i].who.name != before[i].who.name ? 1 : 0;
    if (after[i].what == before[i].what) continue;
    ++blanked;
    CHECK((after[i].what.before + after[i].what.after).find("Secret") == std::string::npos);
    CHECK(after[i].what.after.find("name") == std::string::npos);
  }
  // The game's entry, two tokens and an avatar; those two tokens' own entries.
  CHECK(blanked == 4);
  CHECK(unnamed == 2);
  CHECK(on.actions()[0] == "game.erase");
  CHECK(after[0].what == before[0].what);
}

TEST_CASE("images that a removed avatar had before are not there at once", "[engines]") {
  const erasure_bench on;
  const auto replace_image = [&](std::uint32_t game, std::uint32_t upload) {
    auto changed = avatar_with_image(game, upload);
    changed.image.reset();
    had(on.avatars->put({&changed, 1}));
  };
  replace_image(1, 1);
  replace_image(2, 3);
  CHECK(had(on.avatars->has_image({id_of(1), image()}, a_day)));
  had(on.erasing->remove_avatar(id_of(1), id_of(1)));
  CHECK_FALSE(had(on.avatars->has_image({id_of(1), image()}, a_day)));
  had(on.erasing->begin_erasure(id_of(2), erasure_ms));
  CHECK_FALSE(had(on.avatars->has_image({id_of(3), image()}, a_day)));
  on.erase_rest(2);
  CHECK(had(on.erasing->removed_images(10, a_day)) ==
        std::vector{image_key{id_of(1), image()}, image_key{id_of(3), image()}});
}

} // namespace
} // namespace matchcloud::store
