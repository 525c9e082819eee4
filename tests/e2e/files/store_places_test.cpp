// Where a store lies: file systems that lack what others have, folders and databases that are moved
// or removed while they are in use, and places that have no store.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

namespace fs = std::filesystem;

/// The environment of a process on a file system that lacks `what`.
environment lacking(const std::string& what) {
  return {"LD_PRELOAD=" + fixtures::unwilling_files(), "UNWILLING_FILES=" + what};
}

/// Sanitizers insist on being loaded first.
bool can_preload() {
  if (!fixtures::programs_are_sanitized()) return true;
  WARN("nothing can be loaded before a sanitizer");
  return false;
}

std::string demo_directory(const fixtures::temporary_directory& in, const environment& told = {}) {
  const auto data_dir = in.path("data");
  const auto seeded = run({"demo", "--data-dir", data_dir}, told);
  INFO(seeded.errors);
  REQUIRE(seeded.exit_code == 0);
  return data_dir;
}

std::string ready(const directory_service& service) {
  return service.ask_ops("/readyz").body;
}

TEST_CASE("file systems without links, syncs of folders or sendfile are good for everything",
          "[operations][embedded][shipped]") {
  if (!can_preload()) return;
  const std::string what = GENERATE("link", "link noreplace", "fsync_folder", "sendfile",
                                    "link noreplace fsync_folder sendfile");
  CAPTURE(what);
  const fixtures::temporary_directory folder;
  const auto told = lacking(what);
  const auto data_dir = demo_directory(folder, told);
  const directory_service service{data_dir, told};
  const auto image = service.ask("GET", image_target(service));
  CHECK(image.status == 200);
  CHECK_FALSE(image.body.empty());
  CHECK(image.header("content-length") == std::to_string(image.body.size()));
  service.check_exports();
  const auto url = service.export_all();
  // The plain file is sent while the other is being made.
  answer zipped;
  CHECK(eventually([&] {
    zipped =
        raw_connection{service.data()}.ask(request("GET", url, {}, "Accept-Encoding: gzip\r\n"));
    return zipped.header("content-encoding") == "gzip";
  }));
  CHECK(zipped.header("content-length") == std::to_string(zipped.body.size()));
  CHECK(run({"signing-key", "rotate", "--data-dir", data_dir}, told).exit_code == 0);
  const auto tls = folder.path("tls");
  CHECK(run({"tls", "self-signed", "--out-dir", tls}, told).exit_code == 0);
  const auto taken = run({"tls", "self-signed", "--out-dir", tls}, told);
  CHECK(taken.exit_code == 1); // also without links, nothing that is there is replaced
  CHECK(taken.errors.find("not replaced") != std::string::npos);
  // Nothing stays next to what was published.
  for (const auto& entry : fs::directory_iterator{tls})
    CHECK_FALSE(entry.path().filename().string().starts_with(".matchcloud"));
}

TEST_CASE("folders that somebody removes are made again", "[operations][embedded][shipped]") {
  const fixtures::temporary_directory folder;
  const auto data_dir = demo_directory(folder);
  directory_service service{data_dir};
  service.check_exports();
  int begin = 0;
  for (const std::string gone : {"tmp", "exports", "tmp"}) {
    CAPTURE(gone);
    fs::remove_all(data_dir + "/" + gone);
    // Of another span each time, or the file that is kept would be given out.
    const auto made = service.ask(
        "POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
        R"({"query_start":)" + std::to_string(++begin) + R"(,"query_end":1769900400000})");
    INFO(made.body << service.process().errors());
    CHECK(made.status == 200);
    service.check_exports();
    CHECK(fs::exists(data_dir + "/" + gone));
  }
  CHECK(run({"objects", "check", "--data-dir", data_dir}).exit_code == 1); // exports are missing
  CHECK(run({"demo", "--data-dir", data_dir}).exit_code == 0);
  service.process().signal(SIGTERM);
  CHECK(service.process().exit_code() == 0);
  CHECK(fs::is_empty(data_dir + "/tmp"));
}

TEST_CASE("a database that another one replaces, or that is gone, makes the service unready",
          "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto data_dir = demo_directory(folder);
  const auto database = data_dir + "/matchcloud.db";
  const auto kept = folder.path("kept.db");
  directory_service service{data_dir};
  REQUIRE(ready(service) == R"({"ready":true})");
  const bool replaced = GENERATE(true, false);
  CAPTURE(replaced);
  if (replaced) {
    fs::copy_file(database, folder.path("other.db"));
    fs::create_hard_link(database, kept);
    fs::rename(folder.path("other.db"), database);
  } else {
    fs::rename(database, kept);
  }
  CHECK(eventually([&] { return service.ask_ops("/readyz").status == 503; }));
  CHECK(ready(service) == R"({"ready":false,"reason":"store_gone"})");
  CHECK(service.ask_ops("/healthz").status == 200);
  // As haproxy asks unless told otherwise.
  CHECK(raw_connection{service.ops()}.ask(request("OPTIONS", "/readyz")).status == 503);
  CHECK(service.process().says("not ready: the database " + database + ": it " +
                               (replaced ? "was replaced" : "is gone")));
  CHECK(service.process().says(replaced ? "remove " + database + "-wal and -shm"
                                        : "without a file the service creates a new store"));
  // Writes in the meantime are refused: no session continues with the file without a name.
  const auto put_tier = [&] {
    return raw_connection{service.ops()}.ask(request("PUT", "/v1/tiers/basic-7d7"));
  };
  const auto written = put_tier();
  CHECK(written.status == 503);
  CHECK(written.problem_code() == "store_failed");
  CHECK(service.ask("GET", regions_target).status == 200);

  fs::rename(kept, database);
  CHECK(eventually([&] { return service.ask_ops("/readyz").status == 200; }));
  CHECK(eventually([&] { return put_tier().status / 100 == 2; }));
  CHECK(service.process().says("is back"));
}

TEST_CASE("a copy that is put in the place of a removed database is never taken for it",
          "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto data_dir = demo_directory(folder);
  const auto database = data_dir + "/matchcloud.db";
  const auto copy = folder.path("copy.db");
  fs::copy_file(database, copy);
  directory_service service{data_dir};
  fs::remove(database);
  REQUIRE(service.process().says("it is gone; move the same file back"));
  // All sessions end, which had the file open.
  for (int i = 0; i < 20; ++i)
    (void)raw_connection{service.ops()}.ask(request("PUT", "/v1/tiers/basic-7d7"));
  // The number of the file is not given to another one.
  for (int i = 0; i < 5; ++i) {
    fs::copy_file(copy, database);
    CHECK(service.process().says("it was replaced by another file while this process used it"));
    CHECK(eventually([&] { return service.ask_ops("/readyz").status == 503; }));
    fs::remove(database);
  }
}

TEST_CASE("a data directory that is moved away does not come back by itself",
          "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto data_dir = demo_directory(folder);
  const directory_service service{data_dir};
  const auto away = folder.path("away");
  fs::rename(data_dir, away);
  CHECK(eventually([&] { return service.ask_ops("/readyz").status == 503; }));
  CHECK(service
            .ask("POST",
                 "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
                 R"({"query_start":0,"query_end":1769900400000})")
            .status == 503);
  CHECK_FALSE(fs::exists(data_dir));
  fs::rename(away, data_dir);
  CHECK(eventually([&] { return service.ask_ops("/readyz").status == 200; }));
  service.check_exports();
}

constexpr std::string_view lobby =
    R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0003",)"
    R"("namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"lon",)"
    R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-000000000031",)"
    R"("version_name":"1","game_mode":"duel","start_ts":1769900400000})"
    "\n";

bool has_entries(const std::string& folder) {
  std::error_code none;
  return fs::directory_iterator{folder, none} != fs::directory_iterator{};
}

TEST_CASE("an import writes nothing into a database that was moved away during it",
          "[operations][embedded]") {
  for (const bool is_replaced : {false, true}) {
    CAPTURE(is_replaced);
    const fixtures::temporary_directory folder;
    const auto data = folder.path("data");
    REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
    const auto pipe = folder.path("lobbies");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    child_process import{{"import", "lobbies", "--data-dir", data, pipe}};
    base::file_descriptor to{::open(pipe.c_str(), O_WRONLY | O_CLOEXEC)};
    REQUIRE(to);
    // It has the store open when it has a folder for its spool.
    REQUIRE(eventually([&] { return has_entries(data + "/tmp"); }));
    fs::rename(data + "/matchcloud.db", data + "/old.db");
    if (is_replaced) fs::copy_file(data + "/old.db", data + "/matchcloud.db");
    REQUIRE(::write(to.get(), lobby.data(), lobby.size()) == static_cast<ssize_t>(lobby.size()));
    to.reset();
    CHECK(import.exit_code() == 1);
    INFO(import.errors());
    CHECK(import.says(data + "/matchcloud.db: cannot "));
    CHECK(import.says(is_replaced ? "replaced by another file" : "it is gone"));
  }
}

TEST_CASE("images are served from a folder that was made again", "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto data = folder.path("data");
  REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
  const directory_service service{data};
  // Not asked for before: an open image is served whatever becomes of its name.
  const auto image = image_target(service);
  fs::rename(data + "/media", data + "/gone");
  CHECK(service.ask("GET", image).status == 404);
  REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
  CHECK(service.ask("GET", image).status == 200);
}

// -- places without a store --------------------------------------------------

const std::string id = "2f1c8a30-5b7e-4d19-9c64-0a7f3e82d5b1";

/// What makes no sense on a new store, without the place.
const std::vector<arguments> on_what_exists{
    {"audit"},
    {"audit", "--format", "json"},
    {"catalog", "list", "games"},
    {"catalog", "remove", "region", "lon"},
    {"latency", "export"},
    {"latency", "import", "/dev/null"},
    {"token", "list"},
    {"token", "list", "--format", "json"},
    {"token", "revoke", id},
    {"token", "rotate", id},
    {"objects", "check"},
    {"export", "--game", std::string{demo_game}, "--start", "0", "--end", "9", "-o", "-"},
};

arguments on(arguments words, const arguments& place) {
  words.insert(words.end(), place.begin(), place.end());
  return words;
}

void check_refused(const arguments& words, const std::string& says) {
  const auto got = run(words);
  CAPTURE(words, got.out, got.errors);
  CHECK(got.exit_code == 1);
  CHECK(got.out.empty());
  CHECK(got.errors.find(says) != std::string::npos);
}

TEST_CASE("commands on what is there refuse a directory without a store, and make none",
          "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto mistyped = folder.path("vra");
  const auto empty = folder.path("empty");
  std::filesystem::create_directory(empty);
  for (const auto& place : {mistyped, empty}) {
    const auto says = place + ": there is no store; is this the --data-dir of serve?";
    for (const auto& words : on_what_exists)
      check_refused(on(words, {"--data-dir", place}), says);
    check_refused({"signing-key", "rotate", "--data-dir", place}, says);
    check_refused({"store", "copy", place, folder.path("copy")}, says);
  }
  CHECK_FALSE(std::filesystem::exists(mistyped));
  CHECK_FALSE(std::filesystem::exists(folder.path("copy")));
  CHECK(std::filesystem::is_empty(empty));
  // SQLite would take an empty file for a new database.
  const auto file = folder.file("empty/matchcloud.db", "");
  for (const auto& words : on_what_exists)
    check_refused(on(words, {"--data-dir", empty}), empty + ": there is no store");
  CHECK(std::filesystem::is_empty(file));
  // A file in a directory's place says what it is, too.
  check_refused({"token", "list", "--data-dir", folder.file("plain", "")}, "there is no store");
}

TEST_CASE("commands on what is there refuse a database without a store, and make none",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  fixtures::postgres_server postgres;
  const auto url = postgres.new_database();
  for (const auto& words : on_what_exists)
    check_refused(on(words, {"--store", url}), "there is no store; is this the --store of serve?");
  const fixtures::temporary_directory folder;
  check_refused({"store", "copy", url, folder.path("copy")}, "there is no store");
  CHECK_FALSE(std::filesystem::exists(folder.path("copy")));
  // Still not: the refusals made nothing. What writes makes one.
  check_refused({"audit", "--store", url}, "there is no store");
  CHECK(run({"demo", "--store", url, "--data-dir", folder.path("data")}).exit_code == 0);
  CHECK(run({"audit", "--store", url}).exit_code == 0);
}

} // namespace
