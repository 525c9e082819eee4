// Commands on a place that has no store.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/service/server.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

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
