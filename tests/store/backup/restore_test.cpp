#include "store/backup/restore.hpp"

#include "store/sql/shared_statements.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/backup/backup_bench.hpp"

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

base::error refusal_of(const base::expected<restored>& done) {
  REQUIRE_FALSE(done.has_value());
  return done.error();
}

void check_is_restored(const backed_up_store& on) {
  const auto found = had(verify_store(on.other_place(), {}));
  CHECK(found.found.empty());
  CHECK(content(found.tables) == content(had(verify_store(on.from.place, {})).tables));
  for (std::size_t each = 0; each < on.images.size(); ++each)
    CHECK(fixtures::read_whole(on.image_path(each, on.other)) ==
          fixtures::read_whole(on.image_path(each, on.from.place.data_dir)));
}

TEST_CASE("what is restored is what was backed up, with an entry in the audit log") {
  const auto seed = GENERATE(1U, 2U);
  const backed_up_store on{seed};
  had(on.back_up());
  const auto done = had(on.restore());
  CHECK(done.images == 3);
  check_is_restored(on);
  const auto store = had(open_existing_store(on.other_place()));
  const auto log = had(had(store->audit())->read_audit({})).entries;
  CHECK(log.front().what.action == name_of(model::audit_action::store_copy));
  CHECK(log.front().what.subject == on.backup);
  CHECK(had(verify_backup(on.backup, {})).found.empty());
}

TEST_CASE("secrets are restored where the backup has them") {
  const backed_up_store on;
  const auto secret = on.make_secret();
  const bool with = GENERATE(false, true);
  had(on.back_up(with));
  had(on.restore());
  const auto found = had(secret_files{on.other}.find());
  CHECK(found.has_value() == with);
  if (with) {
    CHECK(*found == secret);
    CHECK(fixtures::mode_of(on.other + "/signing-keys") == 0600);
  }
}

TEST_CASE("an interrupted restore is completed by another, and nobody uses the half of it") {
  const backed_up_store on;
  (void)on.make_secret();
  had(on.back_up(true));
  int stops = 0;
  for (;; ++stops) {
    int left = stops;
    const auto done = on.restore({[&] { return left-- == 0; }, {}});
    if (done) break;
    REQUIRE(done.error().code == base::errc::cancelled);
    if (!fs::exists(on.other)) continue; // while the backup was read
    const auto opened = open_store(on.other_place());
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == base::errc::import_invalid);
  }
  CHECK(stops > 5);
  check_is_restored(on);
}

/// Restores, and tries to restore into the same place and to use it in the meantime.
void check_is_alone(const backed_up_store& on, const store_place& into) {
  bool was_tried = false;
  const auto try_both = [&](std::string_view what, std::uint64_t) {
    if (what != "files restored") return;
    was_tried = true;
    CHECK(refusal_of(restore_backup(on.backup, into, {})).detail.find("at work") !=
          std::string::npos);
    CHECK_FALSE(open_store(into).has_value());
  };
  had(restore_backup(on.backup, into, {{}, try_both}));
  CHECK(was_tried);
  CHECK(content(had(verify_store(into, {})).tables) ==
        content(had(verify_store(on.from.place, {})).tables));
}

TEST_CASE("of two restores into one directory, the later one is refused and changes nothing") {
  const backed_up_store on;
  had(on.back_up());
  check_is_alone(on, on.other_place());
  check_is_restored(on);
  CHECK_FALSE(fs::exists(on.other + "/filling"));
}

TEST_CASE("of two restores into one database, the later one is refused and changes nothing",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const backed_up_store on;
  had(on.back_up());
  store_place server;
  server.url = fixtures::shared_postgres().new_database();
  server.data_dir = on.from.directory.path("server");
  check_is_alone(on, server);
}

TEST_CASE("a restore that was killed is completed by the next one") {
  const backed_up_store on;
  had(on.back_up());
  fs::create_directories(on.other + "/filling");
  had(on.restore());
  check_is_restored(on);
}

TEST_CASE("a restore whose last step is missing does not overwrite what came after it") {
  const backed_up_store on;
  const auto made = had(on.back_up());
  had(on.restore());
  model::audit_change after;
  after.action = "came.after";
  had(had(had(open_store(on.other_place()))->access())->record(after));
  backed_up_store::write(
      on.other + "/restore.unfinished",
      base::hexadecimal(base::sha256(fixtures::read_whole(on.backup + "/manifest.json"))));
  CHECK(had(on.restore()).was_done);
  CHECK_FALSE(fs::exists(on.other + "/restore.unfinished"));
  const auto store = had(open_store(on.other_place()));
  // Nor has the log a second entry of it.
  CHECK(had(had(store->audit())->read_audit({})).entries.front().what.action == "came.after");
}

TEST_CASE("a restore that ended before its database was there is not taken for a whole one") {
  const backed_up_store on;
  had(on.back_up());
  fs::create_directory(on.other);
  backed_up_store::write(
      on.other + "/restore.unfinished",
      base::hexadecimal(base::sha256(fixtures::read_whole(on.backup + "/manifest.json"))));
  const auto opened = open_store(on.other_place());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::import_invalid);
  CHECK_FALSE(fs::exists(on.other + "/matchcloud.db"));
  CHECK_FALSE(had(on.restore()).was_done);
  check_is_restored(on);
}

TEST_CASE("a restore that an earlier version of the program left is completed") {
  const backed_up_store on;
  had(on.back_up());
  fs::create_directories(on.other);
  // It began with a marked database.
  {
    const auto db = open_sqlite_connection(on.other);
    auto changes = sql_transaction::write(*db, std::nullopt, "begin restoring");
    set_copy_mark(*db);
    changes.commit();
  }
  backed_up_store::write(
      on.other + "/restore.unfinished",
      base::hexadecimal(base::sha256(fixtures::read_whole(on.backup + "/manifest.json"))));
  CHECK_FALSE(had(on.restore()).was_done);
  check_is_restored(on);
}

TEST_CASE("rows that contradict themselves are backed up and restored as they are") {
  const backed_up_store on;
  sqlite_connection::open(on.from.place.data_dir + "/matchcloud.db")
      .execute("UPDATE lobbies SET kind = 4711", "change the store");
  had(on.back_up());
  had(on.restore());
  CHECK(had(verify_store(on.other_place(), {})).faults() == 1);
}

TEST_CASE("only an empty place is restored into") {
  const backed_up_store on;
  had(on.back_up());
  fs::create_directory(on.other);
  SECTION("a store") {
    (void)had(open_store(on.other_place()));
    CHECK(refusal_of(on.restore()).detail.find("it is not empty") != std::string::npos);
  }
  SECTION("a file") {
    backed_up_store::write(on.other + "/x", "mine");
    CHECK(refusal_of(on.restore()).detail.find("it has x") != std::string::npos);
    CHECK(fixtures::read_whole(on.other + "/x") == "mine");
  }
  SECTION("the beginning of another backup's restore") {
    backed_up_store::write(on.other + "/restore.unfinished", std::string(64, 'a'));
    CHECK(refusal_of(on.restore()).detail.find("another backup") != std::string::npos);
  }
  SECTION("a file system of its own") {
    fs::create_directory(on.other + "/lost+found");
    had(on.restore());
  }
}

TEST_CASE("nothing is restored of a backup that is not whole") {
  const backed_up_store on;
  had(on.back_up());
  SECTION("killed") {
    fs::rename(on.backup + "/manifest.json", on.backup + "/manifest.json.unfinished");
    CHECK(refusal_of(on.restore()).detail.find("was not completed") != std::string::npos);
  }
  SECTION("no backup") {
    fs::remove(on.backup + "/manifest.json");
    CHECK(refusal_of(on.restore()).detail.find("there is no manifest.json") != std::string::npos);
  }
  SECTION("a truncated image") {
    const auto image = on.image_path(0, on.backup);
    fs::remove(image);
    backed_up_store::write(image, "image");
    CHECK(refusal_of(on.restore()).detail.find("the backup is damaged") != std::string::npos);
  }
  SECTION("a newer schema") {
    auto manifest = had(parse_manifest(fixtures::read_whole(on.backup + "/manifest.json")));
    manifest.schema = 99;
    backed_up_store::write(on.backup + "/manifest.json", render_manifest(manifest));
    CHECK(refusal_of(on.restore()).code == base::errc::store_newer);
  }
  CHECK_FALSE(fs::exists(on.other));
}

TEST_CASE("a restore into a database that was killed early is not served, and is restored again",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  fixtures::postgres_server postgres;
  const backed_up_store on;
  had(on.back_up());
  store_place server;
  server.url = postgres.new_database();
  server.data_dir = on.from.directory.path("server");
  const std::string kill_at = GENERATE("files restored", "regions copied", "lobbies copied",
                                       "lobbies compared", "revisions copied");
  const auto lost =
      refusal_of(restore_backup(on.backup, server, {{}, [&](std::string_view step, std::uint64_t) {
                                                      if (step == kill_at)
                                                        postgres.terminate_connections();
                                                    }}));
  CHECK(lost.code == base::errc::store_failed);
  const auto served = open_store(server);
  REQUIRE_FALSE(served.has_value());
  CHECK(served.error().code == base::errc::import_invalid);
  had(restore_backup(on.backup, server, {}));
  const auto there = had(verify_store(server, {}));
  CHECK(there.found.empty());
  CHECK(content(there.tables) == content(had(verify_store(on.from.place, {})).tables));
  // What is whole is not replaced.
  CHECK(refusal_of(restore_backup(on.backup, server, {})).code == base::errc::import_invalid);
}

TEST_CASE("a backup goes from one engine to the other and back", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const backed_up_store on{3};
  had(on.back_up());
  store_place server;
  server.url = fixtures::shared_postgres().new_database();
  server.data_dir = on.from.directory.path("server");
  int stops = 0;
  for (;; stops += 5) {
    int left = stops;
    std::string step;
    const auto done = restore_backup(
        on.backup, server,
        {[&] { return left-- == 0; }, [&](std::string_view what, std::uint64_t) { step = what; }});
    if (done) break;
    REQUIRE(done.error().code == base::errc::cancelled);
    // From the first image on nobody uses what is there.
    if (step == "files restored") CHECK_FALSE(open_store(server).has_value());
  }
  const auto there = had(verify_store(server, {}));
  CHECK(there.found.empty());
  CHECK(there.images == 3);
  CHECK(content(there.tables) == content(had(verify_store(on.from.place, {})).tables));
  CHECK(refusal_of(restore_backup(on.from.directory.path("none"), server, {})).code ==
        base::errc::import_invalid);

  const auto second = on.from.directory.path("second");
  const auto made = had(make_backup({server, second, false, "1"}, {}));
  CHECK(made.engine == "PostgreSQL");
  CHECK(made.tables == there.tables);
  CHECK(had(verify_backup(second, {})).found.empty());
  had(restore_backup(second, on.other_place(), {}));
  check_is_restored(on);
}

} // namespace

} // namespace matchcloud::store
