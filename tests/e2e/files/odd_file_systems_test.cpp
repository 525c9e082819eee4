// File systems that lack what others have, folders that somebody cleans up, and a database that is
// moved while it is in use.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>

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

} // namespace
