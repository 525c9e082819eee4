#include "store/objects/object_audit.hpp"

#include "model/catalog/catalog_document.hpp"
#include "store/open_store.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::object_call;
using entries = std::vector<object_audit::entry>;

constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t old_ts = 1'000;
constexpr std::int64_t young_ts = old_ts + 1;
constexpr std::int64_t now_ts = old_ts + day_ms;

image_key key_of(std::uint8_t number) {
  image_key key;
  key.upload_id = id_of(number);
  key.name = *model::parse_image_name("0123456789abcdef0123456789abcd3f.png");
  return key;
}

std::string image_of(std::uint8_t number) {
  return object_of(key_of(number)).text();
}

std::string export_of(std::uint8_t number) {
  return "exports/" + model::to_string(id_of(number)) + "/1";
}

struct object_audit_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<database> store = had(open_sqlite(directory.path()));
  fixtures::memory_objects objects;
  object_audit_settings settings{std::chrono::hours{24}, now_ts, {}};

  object_audit_bench() { had(had(store->catalog())->import_document(lobby_catalog())); }

  void refer_to_image(std::uint8_t number) const {
    model::avatar avatar;
    avatar.upload_id = id_of(number);
    avatar.game_id = id_of(1);
    avatar.display_name = "A";
    avatar.complete = true;
    avatar.image = key_of(number).name;
    REQUIRE(had(had(store->avatars())->put(std::vector{avatar}))[0] == put_outcome::added);
  }
  export_record begin_export(std::uint8_t number) const {
    const export_claim claim{{id_of(number), {0, 1}}, id_of(number), id_of(99)};
    const auto claimed = had(had(store->exports())->claim_export(claim));
    REQUIRE(claimed.is_own);
    return claimed.record;
  }
  void refer_to_export(std::uint8_t number, std::uint64_t size_bytes) const {
    auto whole = begin_export(number);
    whole.facts.keep_until_ts = 5;
    whole.is_complete = true;
    whole.size_bytes = size_bytes;
    whole.sha256 = std::string(64, 'a');
    REQUIRE(had(had(store->exports())->complete_export(whole)));
  }
  object_audit audit() { return had(audit_objects(*store, objects, settings)); }
  base::errc why_not() {
    const auto audited = audit_objects(*store, objects, settings);
    REQUIRE_FALSE(audited.has_value());
    return audited.error().code;
  }
  std::size_t remove(const object_audit& found) {
    return had(remove_unreferred(*store, objects, found, settings));
  }
};

TEST_CASE("objects that are referred to are good, old or young") {
  object_audit_bench on;
  on.refer_to_image(1);
  on.refer_to_image(2);
  on.refer_to_export(3, 4);
  on.objects.place(image_of(1), "image", old_ts);
  on.objects.place(image_of(2), "image", young_ts);
  on.objects.place(export_of(3), "1234", young_ts);
  const auto found = on.audit();
  CHECK(found.images == 2);
  CHECK(found.exports == 1);
  CHECK(found.missing.empty());
  CHECK(found.unreferred.empty());
  CHECK(found.young == 0);
}

TEST_CASE("what is referred to and not there is missing, by name") {
  object_audit_bench on;
  on.refer_to_image(2);
  on.refer_to_image(1);
  on.refer_to_export(3, 4);
  CHECK(on.audit().missing == entries{{export_of(3), 4}, {image_of(1), 0}, {image_of(2), 0}});
  CHECK(on.audit().unreferred.empty());
}

TEST_CASE("an export of another size is missing, an image of any size is not") {
  object_audit_bench on;
  on.refer_to_image(1);
  on.refer_to_export(2, 4);
  on.refer_to_export(3, 4);
  on.objects.place(image_of(1), "", old_ts);
  on.objects.place(export_of(2), "123", old_ts);
  on.objects.place(export_of(3), "12345", young_ts);
  const auto found = on.audit();
  CHECK(found.missing == entries{{export_of(2), 4}, {export_of(3), 4}});
  CHECK(found.unreferred.empty());
}

TEST_CASE("an export that is being written is neither missing nor in nobody's name") {
  object_audit_bench on;
  on.begin_export(1);
  on.begin_export(2);
  on.objects.place(export_of(2), "whole, but not noted", old_ts);
  const auto found = on.audit();
  CHECK(found.exports == 0);
  CHECK(found.missing.empty());
  CHECK(found.unreferred.empty());
}

TEST_CASE("an object that nothing refers to is found once it is old") {
  object_audit_bench on;
  on.objects.place(image_of(2), "image", old_ts);
  on.objects.place("media/notes", "foreign", old_ts);
  on.objects.place(export_of(1), "1234", old_ts);
  on.objects.place(image_of(3), "image", young_ts);
  on.objects.place("elsewhere/a", "not ours", old_ts);
  const auto found = on.audit();
  CHECK(found.unreferred == entries{{export_of(1), 4}, {image_of(2), 5}, {"media/notes", 7}});
  CHECK(found.young == 1);
}

TEST_CASE("the compressed file of an export belongs to it, and need not exist") {
  object_audit_bench on;
  for (const std::uint8_t number : {1, 2}) {
    on.refer_to_export(number, 4);
    on.objects.place(export_of(number), "1234", old_ts);
  }
  on.objects.place(export_of(1) + ".gz", "packed", old_ts);
  on.objects.place(export_of(3) + ".gz", "packed", old_ts);
  const auto found = on.audit();
  CHECK(found.missing.empty());
  CHECK(found.unreferred == entries{{export_of(3) + ".gz", 6}});
}

TEST_CASE("what is stored while the comparison lasts is there") {
  object_audit_bench on;
  on.refer_to_image(1);
  on.refer_to_export(2, 4);
  on.objects.meanwhile = [&](object_call call) {
    if (call != object_call::stat) return;
    on.objects.place(image_of(1), "image", young_ts);
    on.objects.place(export_of(2), "1234", young_ts);
  };
  CHECK(on.audit().missing.empty());
}

TEST_CASE("what is not referred to is removed, with what unfinished uploads left") {
  object_audit_bench on;
  on.refer_to_image(1);
  on.objects.place(image_of(1), "image", old_ts);
  on.objects.place(image_of(2), "image", old_ts);
  on.objects.place(image_of(3), "image", young_ts);
  on.objects.leftovers = 3;
  CHECK(on.remove(on.audit()) == 4);
  CHECK(on.objects.names() == std::vector{image_of(1), image_of(3)});
  CHECK(on.objects.collected_age == on.settings.age);
  CHECK(on.remove(on.audit()) == 0);
}

TEST_CASE("an object that is referred to by the time of its removal stays") {
  object_audit_bench on;
  on.objects.place(image_of(1), "image", old_ts);
  on.objects.place(export_of(2), "1234", old_ts);
  on.objects.place(export_of(3), "1234", old_ts);
  const auto found = on.audit();
  CHECK(found.unreferred.size() == 3);
  on.refer_to_image(1);
  on.begin_export(2);
  CHECK(on.remove(found) == 1);
  CHECK(on.objects.names() == std::vector{export_of(2), image_of(1)});
}

TEST_CASE("a comparison ends when it is not wanted any more") {
  object_audit_bench on;
  on.refer_to_image(1);
  on.refer_to_export(2, 4);
  on.objects.place(image_of(3), "image", old_ts);
  // However far it came.
  int asked = 0;
  int limit = 0;
  on.settings.stop = [&] { return asked++ >= limit; };
  for (; limit < 100; ++limit) {
    asked = 0;
    const auto audited = audit_objects(*on.store, on.objects, on.settings);
    if (audited) break;
    CHECK(audited.error().code == base::errc::cancelled);
  }
  CHECK(limit > 4);
  CHECK(limit < 100);
  on.settings.stop = {};
  const auto found = on.audit();
  on.settings.stop = [] { return true; };
  const auto removed = remove_unreferred(*on.store, on.objects, found, on.settings);
  REQUIRE_FALSE(removed.has_value());
  CHECK(removed.error().code == base::errc::cancelled);
  CHECK(on.objects.find(image_of(3)));
}

TEST_CASE("a comparison fails when the store of objects does") {
  object_audit_bench on;
  on.refer_to_image(1);
  for (const auto failing : {object_call::list, object_call::stat}) {
    on.objects.fail(failing);
    CHECK(on.why_not() == base::errc::store_failed);
    on.objects.mend(failing);
  }
  on.objects.place(image_of(2), "image", old_ts);
  const auto found = on.audit();
  for (const auto failing : {object_call::remove, object_call::collect_leftovers}) {
    on.objects.fail(failing);
    CHECK_FALSE(remove_unreferred(*on.store, on.objects, found, on.settings).has_value());
    on.objects.mend(failing);
  }
}

} // namespace
} // namespace matchcloud::store
