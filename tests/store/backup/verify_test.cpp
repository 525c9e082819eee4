#include "store/backup/verify.hpp"

#include "store/sqlite/sqlite.hpp"
#include "tests/store/backup/backup_bench.hpp"

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
  (void)on.add_export(9);
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
    const auto wrong = all_of(found_in(on), damaged);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0] == "namespaces: game_id is in no row of games in 1 row: "
                      "00000000-0000-0000-0000-00000000000b");
  }
  SECTION("lobbies of no kind") {
    change(on, "UPDATE lobbies SET kind = 4711");
    const auto wrong = all_of(found_in(on), damaged);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].starts_with("lobbies: kind is in no row of lobby_kinds in 200 rows"));
  }
  SECTION("a lobby that exports look for elsewhere") {
    change(on, "UPDATE lobbies SET duration_class = 60 WHERE lobby_id = "
               "(SELECT max(lobby_id) FROM lobbies WHERE stop_ts IS NOT NULL)");
    const auto wrong = all_of(found_in(on), damaged);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].starts_with("lobbies: duration_class is not the one of"));
  }
  SECTION("a lobby that ends before it begins") {
    change(on, "UPDATE lobbies SET stop_ts = start_ts - 1 WHERE lobby_id = "
               "(SELECT max(lobby_id) FROM lobbies WHERE stop_ts IS NOT NULL)");
    CHECK(all_of(found_in(on), damaged).size() == 1);
  }
  SECTION("an avatar of no game") {
    change(on, "UPDATE avatars SET game_id = zeroblob(16)");
    CHECK(all_of(found_in(on), damaged).size() == 1);
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

TEST_CASE("a damaged export is found") {
  const backed_up_store on;
  const auto folder = on.add_export(9);
  backed_up_store::write(folder + "/lobby-history.csv", "a,b");
  const auto wrong = all_of(found_in(on), damaged);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].find("3 bytes instead of 5") != std::string::npos);
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
  const auto found = [&] { return had(verify_backup(on.backup, {})).found; };
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
  SECTION("a file has other bytes") {
    fs::remove(image);
    backed_up_store::write(image, "imagE 1");
    CHECK(all_of(found(), damaged).size() == 1);
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
    CHECK(all_of(found(), missing).size() == 1);
  }
}

TEST_CASE("looking at a backup changes nothing in it") {
  const backed_up_store on;
  had(on.back_up());
  const auto entries = [&] {
    std::vector<std::string> names;
    for (const auto& each : fs::recursive_directory_iterator{on.backup})
      names.push_back(each.path().string());
    std::ranges::sort(names);
    return names;
  };
  const auto before = entries();
  (void)had(verify_backup(on.backup, {}));
  had(on.restore());
  CHECK(entries() == before);
}

TEST_CASE("a look can be stopped at any moment") {
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
