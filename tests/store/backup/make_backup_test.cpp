// Backups and their manifests.
#include "store/backup/make_backup.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/database_file.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/store/backup/backup_bench.hpp"
#include "tests/store/store_fixture.hpp"

#include <sys/stat.h>

#include <set>

namespace matchcloud::store {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_of(const backup_manifest& manifest) {
  std::set<std::string> names;
  for (const auto& each : manifest.files)
    names.insert(each.name);
  return names;
}

base::error refusal_of(const base::expected<backup_manifest>& made) {
  REQUIRE_FALSE(made.has_value());
  return made.error();
}

ino_t inode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_ino;
}

TEST_CASE("a store whose schema somebody changed has no backup, because none would be restored") {
  const backed_up_store on;
  sqlite_connection::open(on.from.place.data_dir + "/" + database_file_name)
      .execute("CREATE TRIGGER kept AFTER UPDATE ON tokens BEGIN SELECT 1; END", "change");
  const auto done = on.back_up();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().detail.find("its trigger kept is not the same as in a new store") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(on.backup));
}

TEST_CASE("a database of which an index is damaged has no whole backup") {
  const backed_up_store on;
  const auto path = on.from.place.data_dir + "/" + database_file_name;
  const auto page = sqlite_connection::open(path).read_integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'lobbies_by_id'", "look for an index");
  auto bytes = fixtures::read_whole(path);
  // The end of its page, where the entries are.
  bytes.replace(static_cast<std::size_t>(page - 1) * 4'096 + 2'096, 2'000, 2'000, '\xee');
  backed_up_store::write(path, bytes);
  const auto done = on.back_up();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::store_failed);
  CHECK(done.error().detail.find("damaged") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(on.backup));
}

TEST_CASE("a backup has the database and the images, no exports, and says what it has") {
  const backed_up_store on;
  (void)on.make_secret();
  on.add_export(9);
  const auto made = had(on.back_up());
  CHECK(made == had(parse_manifest(fixtures::read_whole(on.backup + "/manifest.json"))));
  std::set<std::string> expected{"matchcloud.db"};
  for (const auto& each : on.images)
    expected.insert(object_of(each).text());
  CHECK(names_of(made) == expected);
  CHECK_FALSE(made.has_secrets());
  CHECK(made.engine == "SQLite");
  CHECK(made.source == on.from.place.data_dir);
  CHECK(made.program == "1.2.3");
  CHECK(made.begun_ts <= made.ended_ts);
  CHECK(had(verify_backup(on.backup, {})).found.empty());
  CHECK(content(made.tables) == content(had(verify_store(on.from.place, {})).tables));
}

TEST_CASE("the images of a game that is being erased may be gone before its rows") {
  const backed_up_store on;
  had(had(on.from.open()->erasures())->begin_erasure(id_of(1), 1));
  std::filesystem::remove(on.image_path(0, on.from.place.data_dir));
  had(on.back_up());
  CHECK(had(verify_backup(on.backup, {})).found.empty());
}

TEST_CASE("images are links where they can be, and only their owner can read the rest") {
  const backed_up_store on;
  (void)on.make_secret();
  had(on.back_up(true));
  CHECK(inode_of(on.image_path(0, on.backup)) ==
        inode_of(on.image_path(0, on.from.place.data_dir)));
  for (const auto* name : {"matchcloud.db", "manifest.json", "signing-keys"})
    CHECK(fixtures::mode_of(on.backup + "/" + name) == 0600);
  CHECK(fixtures::mode_of(on.backup) == 0700);
}

TEST_CASE("a backup of a store without secrets does not claim to have some") {
  const backed_up_store on;
  CHECK_FALSE(had(on.back_up(true)).has_secrets());
}

TEST_CASE("a backup goes into a folder that is missing or empty, and into no other") {
  const backed_up_store on;
  const auto why_not = [&] {
    const auto refused = refusal_of(on.back_up());
    CHECK(refused.code == base::errc::config_invalid);
    return refused.detail;
  };
  fs::create_directory(on.backup);
  SECTION("an empty one") {
    had(on.back_up());
    CHECK(why_not().find("already has a backup") != std::string::npos);
    CHECK(had(verify_backup(on.backup, {})).found.empty());
  }
  SECTION("one of a backup that was killed") {
    backed_up_store::write(on.backup + "/manifest.json.unfinished", "");
    CHECK(why_not().find("remove the folder") != std::string::npos);
    CHECK(fs::exists(on.backup + "/manifest.json.unfinished"));
  }
  SECTION("one with something else") {
    backed_up_store::write(on.backup + "/x", "mine");
    CHECK(why_not().find("not empty") != std::string::npos);
    CHECK(fixtures::read_whole(on.backup + "/x") == "mine");
  }
  SECTION("one whose parent is missing") {
    backed_up_store other;
    other.backup = other.from.directory.path("none") + "/backup";
    const auto refused = refusal_of(other.back_up());
    CHECK(refused.code == base::errc::config_invalid);
    CHECK(refused.detail.find("none is missing; create it first") != std::string::npos);
  }
  SECTION("a file") {
    fs::remove(on.backup);
    backed_up_store::write(on.backup, "mine");
    CHECK(why_not().find("not a folder") != std::string::npos);
  }
}

TEST_CASE("a backup is not made in the data directory that it is of") {
  backed_up_store on;
  on.backup = on.from.place.data_dir + "/backups/today";
  CHECK(refusal_of(on.back_up()).detail.find("in the data directory") != std::string::npos);
  CHECK_FALSE(fs::exists(on.from.place.data_dir + "/backups"));
}

TEST_CASE("a backup that is stopped at any moment leaves nothing") {
  const backed_up_store on;
  bool is_made = false;
  int stops = 0;
  for (; !is_made; ++stops) {
    int left = stops;
    const auto made = on.back_up(true, {[&] { return left-- == 0; }, {}});
    is_made = made.has_value();
    if (is_made) break;
    CHECK(made.error().code == base::errc::cancelled);
    CHECK_FALSE(fs::exists(on.backup));
  }
  CHECK(stops > 10);
  CHECK(had(verify_backup(on.backup, {})).found.empty());
}

TEST_CASE("a store that lacks an image has no whole backup") {
  const backed_up_store on;
  const auto image = on.image_path(1, on.from.place.data_dir);
  SECTION("missing") {
    fs::remove(image);
    const auto refused = refusal_of(on.back_up());
    CHECK(refused.detail.find("1 image that avatars refer to is missing") != std::string::npos);
    CHECK(refused.detail.find(object_of(on.images[1]).text()) != std::string::npos);
  }
  SECTION("truncated") {
    fs::resize_file(image, 3);
    CHECK(refusal_of(on.back_up()).detail.find("the image is damaged") != std::string::npos);
  }
  SECTION("a link") {
    fs::rename(image, image + ".moved");
    fs::create_symlink(image + ".moved", image);
    CHECK(refusal_of(on.back_up()).detail.find("it is a link") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(on.backup));
}

TEST_CASE("an image that is replaced during a backup leaves it one state") {
  backed_up_store on;
  // After the database was taken and before images are: what an import and `objects check` do.
  bool is_done = false;
  const auto made = had(on.back_up(false, {{}, [&](std::string_view step, std::uint64_t) {
                                             if (is_done || step != "images copied") return;
                                             is_done = true;
                                             on.images[2] = on.add_image(3, "another image");
                                             fs::remove_all(on.from.place.data_dir + "/media");
                                             on.add_image(1, "image 1");
                                             on.add_image(2, "image 2");
                                             on.add_image(3, "another image");
                                           }}));
  REQUIRE(is_done);
  CHECK(names_of(made).contains(object_of(on.images[2]).text()));
  CHECK(names_of(made).size() == 4);
  CHECK(had(verify_backup(on.backup, {})).found.empty());
}

TEST_CASE("a backup does not change the store, and does not keep writers waiting") {
  const backed_up_store on{1, 3'000};
  const auto in = on.from.open();
  std::uint64_t written = 0;
  const auto write = [&](std::string_view step, std::uint64_t) {
    if (step != "pages copied") return;
    ++written;
    had(had(in->access())->record({model::audit_action::demo_seed, {}, {}, {}}));
  };
  const auto before = had(verify_store(on.from.place, {}));
  const auto made = had(on.back_up(false, {{}, write}));
  REQUIRE(written > 0);
  CHECK(made.tables == before.tables); // also the audit log: as it was at the begin
}

TEST_CASE("a store that is an unfinished copy, or of a newer program, is not backed up") {
  const backed_up_store on;
  auto db = sqlite_connection::open(on.from.place.data_dir + "/matchcloud.db");
  SECTION("a copy") {
    db.execute("INSERT INTO revisions VALUES ('store.copy', 1)", "mark");
    CHECK(refusal_of(on.back_up()).code == base::errc::import_invalid);
  }
  SECTION("newer") {
    db.execute("PRAGMA user_version = 999", "age");
    CHECK(refusal_of(on.back_up()).code == base::errc::store_newer);
  }
  SECTION("none") {
    fs::remove(on.from.place.data_dir + "/matchcloud.db");
    CHECK(refusal_of(on.back_up()).detail.find("there is no store") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(on.backup));
}

const std::string digest(64, 'a');

backup_manifest some_manifest() {
  return {"1.2.3",
          12,
          "SQLite",
          "/var/lib/\"x\"",
          1'000,
          2'000,
          {{"games", 3, digest}},
          {{"matchcloud.db", 4'096, digest}, {"media/ab/x.png", 7, digest}}};
}

std::string why_not(const std::string& text) {
  const auto parsed = parse_manifest(text);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == base::errc::import_invalid);
  return parsed.error().detail;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

/// With the digest that belongs to the rest.
std::string sealed(const std::string& text) {
  const auto head = text.substr(0, text.rfind(",\"sha256\""));
  return head + ",\"sha256\":\"" + base::hexadecimal(base::sha256(head)) + "\"}\n";
}

/// As version 0.2.0 wrote it.
std::string unprotected(const std::string& text) {
  return replaced(text.substr(0, text.rfind(",\"sha256\"")) + "}\n", "\"format\":2",
                  "\"format\":1");
}

TEST_CASE("a manifest is read as it was written") {
  const auto written = some_manifest();
  CHECK(had(parse_manifest(render_manifest(written))) == written);
  CHECK(written.size_bytes() == 4'103);
  CHECK_FALSE(written.has_secrets());
}

TEST_CASE("a manifest of version 0.2.0 is read, and known to be unprotected") {
  auto written = some_manifest();
  written.is_protected = false;
  const auto text = unprotected(render_manifest(written));
  CHECK(had(parse_manifest(text)) == written);
  CHECK(why_not(replaced(text, "\"format\":1", "\"format\":2")).find("its own SHA-256") !=
        std::string::npos);
}

TEST_CASE("a damaged manifest is refused, with what was expected") {
  const auto text = render_manifest(some_manifest());
  for (std::size_t bytes = 0; bytes < text.size(); bytes += 7)
    CHECK(why_not(text.substr(0, bytes)).starts_with("manifest.json: it is damaged: expected "));
  const auto why = [&](const std::string& what, const std::string& with) {
    return why_not(sealed(replaced(text, what, with)));
  };
  CHECK(why(digest, "A" + digest.substr(1)).find("\"sha256\"") != std::string::npos);
  CHECK(why("\"bytes\":4096", "\"bytes\":-1").find("\"bytes\"") != std::string::npos);
  CHECK(why("matchcloud.db", "matchcloud.dc").find("matchcloud.db") != std::string::npos);
  CHECK(why("\"format\":2", "\"format\":1").find("its own SHA-256") != std::string::npos);
}

TEST_CASE("a manifest with any flipped bit is refused") {
  const auto text = render_manifest(some_manifest());
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      CAPTURE(at, bit);
      CHECK_FALSE(parse_manifest(flipped).has_value());
    }
}

TEST_CASE("a manifest names no file outside of the backup") {
  const auto text = render_manifest(some_manifest());
  for (const auto* name : {"../x", "/etc/passwd", "media/../../x", "media//x", ""})
    CHECK(why_not(sealed(replaced(text, "media/ab/x.png", name))).find("\"files\"") !=
          std::string::npos);
}

TEST_CASE("the manifest of a newer program is refused as such") {
  const auto text = render_manifest(some_manifest());
  CHECK(why_not(replaced(text, "\"format\":2", "\"format\":3")).find("a newer one") !=
        std::string::npos);
}

} // namespace
} // namespace matchcloud::store
