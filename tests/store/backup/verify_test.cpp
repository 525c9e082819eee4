#include "store/backup/verify.hpp"

#include "store/sqlite/sqlite.hpp"
#include "tests/store/backup/backup_bench.hpp"

#include <set>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;
using enum finding::kind;
using lines = std::vector<std::string>;

void change(const backed_up_store& on, const char* sql) {
  auto db = sqlite_connection::open(on.from.place.data_dir + "/matchcloud.db");
  db.execute(sql, "damage the store");
}

findings found_in(const backed_up_store& on) {
  return had(verify_store(on.from.place, {})).found;
}

TEST_CASE("a store that is as it was made has no faults") {
  const backed_up_store on;
  on.add_export(9);
  const auto found = had(verify_store(on.from.place, {}));
  CHECK(found.found.empty());
  CHECK(found.faults() == 0);
  CHECK(found.images == 3);
  CHECK(found.exports == 1);
  CHECK_FALSE(found.tables.empty());
}

TEST_CASE("rows that contradict others or themselves are found") {
  const backed_up_store on;
  SECTION("a namespace of no game") {
    change(on, "UPDATE namespaces SET game_id = zeroblob(16) "
               "WHERE namespace_id = x'0000000000000000000000000000000b'");
    const auto wrong = all_of(found_in(on), contradictory);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0] == "namespaces: game_id is in no row of games in 1 row: "
                      "00000000-0000-0000-0000-00000000000b");
  }
  SECTION("lobbies of no kind") {
    change(on, "UPDATE lobbies SET kind = 4711");
    const auto wrong = all_of(found_in(on), contradictory);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].starts_with("lobbies: kind is in no row of lobby_kinds in 200 rows"));
  }
  SECTION("a lobby that exports look for elsewhere") {
    change(on, "UPDATE lobbies SET duration_class = 60 WHERE lobby_id = "
               "(SELECT max(lobby_id) FROM lobbies WHERE stop_ts IS NOT NULL)");
    const auto wrong = all_of(found_in(on), contradictory);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].starts_with("lobbies: duration_class is not the one of"));
  }
  SECTION("a lobby that ends before it begins") {
    change(on, "UPDATE lobbies SET stop_ts = start_ts - 1 WHERE lobby_id = "
               "(SELECT max(lobby_id) FROM lobbies WHERE stop_ts IS NOT NULL)");
    CHECK(all_of(found_in(on), contradictory).size() == 1);
  }
}

TEST_CASE("images that are missing, damaged or named by nothing are found") {
  const backed_up_store on;
  const auto first = on.image_path(0, on.from.place.data_dir);
  SECTION("missing") {
    fs::remove(first);
    CHECK(all_of(found_in(on), missing) ==
          lines{object_of(on.images[0]).text() + ": the store refers to it"});
  }
  SECTION("of other bytes") {
    backed_up_store::write(first, "imagE 1");
    CHECK(
        all_of(found_in(on), damaged) ==
        lines{object_of(on.images[0]).text() + ": its bytes do not match the digest in its name"});
  }
  SECTION("unreferenced") {
    const auto other = first.substr(0, first.rfind('/') + 1) + "x.png";
    backed_up_store::write(other, "x");
    fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours{25});
    const auto found = had(verify_store(on.from.place, {}));
    CHECK(found.faults() == 0);
    CHECK(all_of(found.found, unreferenced).size() == 1);
  }
}

TEST_CASE("an export that is damaged or missing is found") {
  const backed_up_store on;
  const auto path = on.add_export(9);
  backed_up_store::write(path, "a,c\r\n");
  const auto wrong = all_of(found_in(on), damaged);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].ends_with("its bytes do not match the digest in its record"));
  fs::remove(path);
  CHECK(all_of(found_in(on), missing).size() == 1);
}

TEST_CASE("damaged pages of a database are found, and the rest is read") {
  const backed_up_store on{1, 2'000};
  const auto path = on.from.place.data_dir + "/matchcloud.db";
  change(on, "PRAGMA wal_checkpoint(TRUNCATE)");
  auto bytes = fixtures::read_whole(path);
  for (std::size_t page = bytes.size() / 4096 / 2; page < bytes.size() / 4096; ++page)
    bytes.replace(page * 4096, 512, 512, '\xff');
  backed_up_store::write(path, bytes);
  const auto found = had(verify_store(on.from.place, {}));
  CHECK(found.faults() > 1);
  CHECK(std::ranges::count(found.found, std::string{"matchcloud.db"}, &finding::what) > 0);
  CHECK_FALSE(found.tables.empty());
}

TEST_CASE("what is wrong with a backup is found") {
  const backed_up_store on;
  had(on.back_up());
  const auto entries = [&] {
    std::set<std::string> names;
    for (const auto& each : fs::recursive_directory_iterator{on.backup})
      names.insert(each.path());
    return names;
  };
  const auto found = [&] {
    const auto before = entries();
    auto all = had(verify_backup(on.backup, {})).found;
    CHECK(entries() == before);
    return all;
  };
  CHECK(found().empty());
  const auto image = on.image_path(0, on.backup);
  const auto name = object_of(on.images[0]).text();
  SECTION("a file is missing") {
    fs::remove(image);
    CHECK(all_of(found(), missing) == lines{name + ": it is in the manifest"});
  }
  SECTION("a file is cut off") {
    fs::remove(image);
    backed_up_store::write(image, "image");
    CHECK(all_of(found(), damaged) == lines{name + ": it has 5 bytes instead of 7"});
  }
  SECTION("a link stands for a file") {
    fs::remove(image);
    fs::create_symlink(on.image_path(0, on.from.place.data_dir), image);
    CHECK(all_of(found(), damaged).size() == 1);
  }
  SECTION("a file is not in the manifest") {
    backed_up_store::write(on.backup + "/x", "");
    CHECK(all_of(found(), unreferenced) == lines{"x: it is not in the manifest"});
  }
  SECTION("the database was written to") {
    auto db = sqlite_connection::open(on.backup + "/matchcloud.db");
    db.execute("DELETE FROM lobbies", "change the backup");
    const auto wrong = all_of(found(), damaged);
    REQUIRE(wrong.size() == 2);
    CHECK(wrong[0].starts_with("matchcloud.db: "));
    CHECK(wrong[1].starts_with("lobbies: 0 rows with the SHA-256 "));
  }
  SECTION("the database is gone") {
    fs::remove(on.backup + "/matchcloud.db");
    const auto only = found();
    REQUIRE(only.size() == 1);
    CHECK(only[0].is == missing);
  }
}

/// Neither `verify` nor `restore` accepts the backup, and nothing is restored.
void check_refused(const backed_up_store& on) {
  const auto looked = verify_backup(on.backup, {});
  CHECK((!looked || looked->faults() > 0));
  CHECK_FALSE(on.restore().has_value());
  CHECK_FALSE(fs::exists(on.other));
}

TEST_CASE("a backup with a flipped bit in any file is refused") {
  const backed_up_store on{1, 20};
  (void)on.make_secret();
  const auto made = had(on.back_up(true));
  std::vector<std::string> names{"manifest.json"};
  for (const auto& each : made.files)
    names.push_back(each.name);
  for (const auto& name : names) {
    const auto path = on.backup + "/" + name;
    const auto bytes = fixtures::read_whole(path);
    fs::remove(path); // not the image of the store
    for (std::size_t sample = 0; sample < 8; ++sample) {
      const auto at = bytes.size() * sample / 8;
      auto flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << sample));
      backed_up_store::write(path, flipped);
      CAPTURE(name, at);
      check_refused(on);
    }
    backed_up_store::write(path, bytes);
  }
  CHECK(had(verify_backup(on.backup, {})).found.empty());
  had(on.restore());
}

TEST_CASE("a manifest of version 0.2.0 is accepted, and said to be unprotected") {
  const backed_up_store on;
  had(on.back_up());
  CHECK(had(verify_backup(on.backup, {})).left_out.empty());
  unprotect(on.backup);
  const auto found = had(verify_backup(on.backup, {}));
  CHECK(found.faults() == 0);
  CHECK(found.left_out.find("unprotected") != std::string::npos);
  CHECK(had(on.restore()).left_out.find("unprotected") != std::string::npos);
}

TEST_CASE("an unprotected manifest must still fit its files and rows") {
  const backed_up_store on;
  had(on.back_up());
  unprotect(on.backup);
  auto text = fixtures::read_whole(on.backup + "/manifest.json");
  SECTION("rows") {
    const auto at = text.find("\"rows\":", text.find("\"lobbies\"")) + 7;
    text[at] = text[at] == '9' ? '8' : '9';
  }
  SECTION("the digest of a table") {
    const auto at = text.find("\"sha256\":\"", text.find("\"lobbies\"")) + 10;
    text[at] = text[at] == 'a' ? 'b' : 'a';
  }
  SECTION("the name of a table") {
    text.replace(text.find("\"lobbies\""), 9, "\"lobbiez\"");
  }
  SECTION("an image that rows refer to") {
    const auto name = object_of(on.images[0]).text();
    const auto at = text.find("{\"name\":\"" + name);
    text.erase(at, text.find('}', at) + 2 - at);
  }
  SECTION("the schema") {
    const auto at = text.find("\"schema\":") + 9;
    text.replace(at, text.find(',', at) - at, "10");
  }
  backed_up_store::write(on.backup + "/manifest.json", text);
  check_refused(on);
}

TEST_CASE("a schema that no new store has is refused, also with a manifest that fits") {
  const backed_up_store on;
  had(on.back_up());
  const auto change = GENERATE(
      "CREATE TRIGGER kept AFTER UPDATE ON tokens BEGIN UPDATE tokens SET revoked_ms = NULL; END",
      "CREATE TABLE other (x)", "DROP INDEX lobbies_by_id", "CREATE VIEW other AS SELECT 1",
      "DROP TRIGGER audit_is_kept", "ALTER TABLE games ADD COLUMN other TEXT");
  {
    auto db = sqlite_connection::open(on.backup + "/matchcloud.db");
    db.execute(change, "change the schema");
  }
  describe_again(on.backup);
  const auto wrong = all_of(had(verify_backup(on.backup, {})).found, damaged);
  REQUIRE_FALSE(wrong.empty());
  CHECK(wrong[0].find("in a new store with the schema") != std::string::npos);
  check_refused(on);
}

TEST_CASE("no more of a file is read than the manifest says") {
  const backed_up_store on;
  had(on.back_up());
  constexpr auto four_tib = std::uintmax_t{4} << 40;
  SECTION("an image") {
    fs::remove(on.image_path(0, on.backup));
    backed_up_store::write(on.image_path(0, on.backup), "");
    fs::resize_file(on.image_path(0, on.backup), four_tib);
    CHECK(had(verify_backup(on.backup, {})).faults() == 1);
  }
  SECTION("the manifest") {
    fs::resize_file(on.backup + "/manifest.json", four_tib);
    const auto looked = verify_backup(on.backup, {});
    REQUIRE_FALSE(looked.has_value());
    CHECK(looked.error().detail.find("too large for a manifest") != std::string::npos);
  }
}

TEST_CASE("verify can be stopped at any moment") {
  const backed_up_store on;
  had(on.back_up());
  for (int stops = 0; stops < 1'000; ++stops) {
    int left = stops;
    const copy_watch watch{[&] { return left-- == 0; }, {}};
    const auto store = verify_store(on.from.place, watch);
    left = stops;
    const auto backup = verify_backup(on.backup, watch);
    if (store && backup) return;
    if (!store) CHECK(store.error().code == base::errc::cancelled);
    if (!backup) CHECK(backup.error().code == base::errc::cancelled);
  }
  FAIL("it never ends");
}

} // namespace

} // namespace matchcloud::store
