// `matchcloud backup`, `restore` and `verify`, by the program itself.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

namespace {

using matchcloud::fixtures::contains;

namespace fs = std::filesystem;
using namespace matchcloud;
using namespace matchcloud::e2e;

command_result good(const arguments& words, const environment& added = {}) {
  auto got = run(words, added);
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return got;
}

/// A data directory with demo data, and places next to it.
struct demo_store {
  fixtures::temporary_directory directory;
  std::string data_dir = directory.path("data");
  std::string backup = directory.path("backup");
  std::string restored = directory.path("restored");

  demo_store() { good({"demo", "--data-dir", data_dir}); }
};

/// The rows and digests of what `verify` read, by table.
std::map<std::string, std::string> tables_of(const command_result& got) {
  std::map<std::string, std::string> found;
  const auto json = parse_json(got.out);
  for (const auto& each : json["tables"].GetArray())
    found[each["table"].GetString()] =
        std::to_string(each["rows"].GetUint64()) + " " + each["sha256"].GetString();
  found.erase("audit"); // each restore has an entry more
  return found;
}

TEST_CASE("with its secrets a restored service goes on where the former one was",
          "[operations][embedded]") {
  const demo_store on;
  good({"token", "create", "--data-dir", on.data_dir, "--kind", "viewer", "--name", "kept",
        "--expires", "1d"});
  std::string url;
  {
    const directory_service service{on.data_dir};
    url = service.export_all();
    REQUIRE(service.ask("GET", url).status == 200);
    good({"backup", "--with-secrets", on.backup, "--data-dir", on.data_dir});
  }
  fs::remove_all(on.data_dir);
  const bool has_secrets = GENERATE(true, false);
  if (!has_secrets) {
    // As a backup without them is, but for what its manifest says.
    const auto other = on.directory.path("other");
    good({"restore", on.backup, "--data-dir", other});
    fs::remove_all(on.backup);
    const auto made = good({"backup", on.backup, "--data-dir", other});
    CHECK(contains(made.out, "export URLs in use stop working"));
  }
  const auto done = good({"restore", on.backup, "--data-dir", on.restored});
  CHECK(contains(done.out, has_secrets ? "come from the backup" : "contains no signing keys"));
  const directory_service service{on.restored};
  // The key is the former one; the export is in no backup.
  CHECK(service.ask("GET", url).status == (has_secrets ? 404 : 403));
  CHECK(service.ask("GET", image_target(service)).status == 200);
  service.check_exports();
  CHECK(contains(good({"token", "list", "--data-dir", on.restored}).out, "kept"));
}

TEST_CASE("an interrupted backup removes what it made", "[operations][embedded]") {
  const demo_store on;
  child_process began{{"backup", on.backup, "--data-dir", on.data_dir}};
  REQUIRE(eventually([&] { return fs::exists(on.backup) || !began.running(); }));
  began.signal(SIGINT);
  const auto code = began.exit_code();
  REQUIRE(code);
  if (*code == 1) {
    CHECK(contains(began.errors(), "interrupted"));
    CHECK_FALSE(fs::exists(on.backup));
  } else {
    CHECK(*code == 0); // it came too late
    good({"verify", on.backup});
  }
}

TEST_CASE("a backup, restore or verification that fails says why, and by its exit code",
          "[operations][embedded]") {
  const demo_store on;
  const auto check = [](const command_result& got, int code, const std::string& says) {
    INFO(got.errors);
    CHECK(got.exit_code == code);
    CHECK(contains(got.errors, says));
  };
  check(run({"backup", on.backup, "--data-dir", on.restored}), 1, "there is no store");
  check(run({"backup", on.data_dir + "/b", "--data-dir", on.data_dir}), 2, "in the data directory");
  check(run({"backup", on.backup, "--store", "postgresql://me:secret@localhost/x"}), 2, "password");
  check(run({"backup", on.backup + "/none", "--data-dir", on.data_dir}), 2, "create it first");
  check(run({"restore", on.backup, "--data-dir", on.restored}), 1, "not a whole backup");
  check(run({"verify", on.backup}), 1, "not a whole backup");
  CHECK_FALSE(fs::exists(on.restored));
  CHECK_FALSE(fs::exists(on.backup));
  good({"backup", on.backup, "--data-dir", on.data_dir});
  check(run({"backup", on.backup, "--data-dir", on.data_dir}), 2, "already has a backup");
  check(run({"restore", on.backup, "--data-dir", on.data_dir}), 1, "not empty");
  fs::remove(on.backup + "/matchcloud.db");
  const auto found = run({"verify", on.backup, "--format", "json"});
  check(found, 1, "1 item is missing or damaged");
  CHECK(parse_json(found.out)["faults"].GetUint64() > 0);
}

TEST_CASE("a backup to another disk is whole, or says that it is full and leaves nothing there",
          "[operations][embedded]") {
  const demo_store on;
  SECTION("a full disk") {
    const fixtures::small_disk disk{"1m"};
    if (!disk.mounted()) return;
    const auto got = run({"backup", disk.path() + "/backup", "--data-dir", on.data_dir});
    CHECK(got.exit_code == 1);
    CHECK(contains(got.errors, "free some disk space"));
    CHECK_FALSE(fs::exists(disk.path() + "/backup"));
    good({"backup", on.backup, "--data-dir", on.data_dir});
    const auto restored = run({"restore", on.backup, "--data-dir", disk.path() + "/restored"});
    CHECK(restored.exit_code == 1);
    CHECK(contains(restored.errors, "free some disk space"));
  }
  SECTION("a larger one, to which images cannot be linked") {
    const fixtures::small_disk disk;
    if (!disk.mounted()) return;
    const auto folder = disk.path() + "/backup";
    good({"backup", folder, "--data-dir", on.data_dir});
    good({"verify", folder});
    fs::remove_all(on.data_dir);
    good({"restore", folder, "--data-dir", on.restored});
    good({"verify", "--data-dir", on.restored});
  }
}

TEST_CASE("backups go to PostgreSQL and back by commands", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const demo_store on;
  good({"signing-key", "rotate", "--data-dir", on.data_dir});
  good({"backup", "--with-secrets", on.backup, "--data-dir", on.data_dir});
  const environment store{"MATCHCLOUD_STORE=" + fixtures::shared_postgres().new_database()};
  const auto key = on.directory.file("key", std::string(64, 'a'));
  fs::permissions(key, fs::perms::owner_read);
  const auto images = on.directory.path("images");
  CHECK(run({"restore", on.backup, "--data-dir", images}, store).exit_code == 2); // without a key
  good({"restore", on.backup, "--data-dir", images, "--master-key-file", key}, store);
  const auto there = good({"verify", "--data-dir", images, "--format", "json"}, store);
  const auto second = on.directory.path("second");
  good({"backup", "--with-secrets", second, "--data-dir", images, "--master-key-file", key}, store);
  good({"restore", second, "--data-dir", on.restored});
  const auto first = tables_of(good({"verify", "--data-dir", on.data_dir, "--format", "json"}));
  CHECK(tables_of(there) == first);
  CHECK(tables_of(good({"verify", "--data-dir", on.restored, "--format", "json"})) == first);
  CHECK(fixtures::read_whole(on.restored + "/signing-keys") ==
        fixtures::read_whole(on.data_dir + "/signing-keys"));
}

} // namespace
