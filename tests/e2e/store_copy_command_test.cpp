// `matchcloud store copy`: a store in another place is the same store.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
namespace fixtures = matchcloud::fixtures;

command_result copy(arguments words, const environment& added = {}) {
  words.insert(words.begin(), {"store", "copy"});
  return run(words, added);
}

command_result good(command_result got) {
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return got;
}

/// A data directory with demo data, and a place for another.
struct copied_store {
  fixtures::temporary_directory directory;
  std::string from = directory.path("from");
  std::string into = directory.path("into");

  copied_store() { good(run({"demo", "--data-dir", from, "--until", "2026-02-01"})); }

  std::string exported(const arguments& store) const {
    arguments words{"export",
                    "--game",
                    std::string{demo_game},
                    "--start",
                    "2026-01-01T00:00:00Z",
                    "--end",
                    "2026-02-01T00:00:00Z",
                    "-o",
                    "-"};
    words.insert(words.end(), store.begin(), store.end());
    return good(run(words)).out;
  }
};

/// The rows and digests of a copy by table.
std::map<std::string, std::string> tables_of(const command_result& got) {
  std::map<std::string, std::string> found;
  const auto json = parse_json(got.out);
  for (const auto& each : json["tables"].GetArray())
    found[each["table"].GetString()] =
        std::to_string(each["rows"].GetUint64()) + " " + each["sha256"].GetString();
  return found;
}

TEST_CASE("a copied store gives the same answers, and is not copied over", "[operations]") {
  const copied_store on;
  const auto first = good(copy({on.from, on.into}));
  CHECK(contains(first.out, "TABLE              ROWS   SHA-256\n"));
  CHECK(contains(first.out, "lobbies            10000  "));
  CHECK(contains(first.out, "both stores have the same content\n"));
  CHECK(on.exported({"--data-dir", on.into}) == on.exported({"--data-dir", on.from}));
  const auto again = copy({on.from, on.into});
  CHECK(again.exit_code == 1);
  CHECK(contains(again.errors, "nothing was changed"));
  const auto log = good(run({"audit", "--data-dir", on.into})).out;
  CHECK(contains(log, "store.copy"));
}

TEST_CASE("secrets are copied only with --with-secrets", "[operations]") {
  const copied_store on;
  good(run({"signing-key", "rotate", "--data-dir", on.from}));
  good(copy({on.from, on.into}));
  CHECK_FALSE(std::filesystem::exists(on.into + "/signing-keys"));
  const auto other = on.directory.path("other");
  const auto got = good(copy({on.from, other, "--with-secrets"}));
  CHECK(contains(got.out, "signing-keys: 2 versions\n"));
  CHECK(fixtures::read_whole(other + "/signing-keys") ==
        fixtures::read_whole(on.from + "/signing-keys"));
}

TEST_CASE("a source or a target that cannot be copied is refused with a reason", "[operations]") {
  const copied_store on;
  SECTION("a target that is another store") {
    good(run({"catalog", "put", "tier", "other", "--data-dir", on.into}));
    const auto got = copy({on.from, on.into});
    CHECK(got.exit_code == 1);
    CHECK(contains(got.errors, "has rows, so it is neither empty"));
    CHECK(contains(got.errors, "Use a new data directory or database"));
  }
  SECTION("a source that is none") {
    const auto got = copy({on.directory.path("nothing"), on.into});
    CHECK(got.exit_code == 1);
    CHECK(contains(got.errors, "there is no store"));
    CHECK_FALSE(std::filesystem::exists(on.into));
  }
  SECTION("a store into itself") {
    CHECK(copy({on.from, on.from + "/."}).exit_code == 2);
  }
  SECTION("a password on the command line") {
    const auto got = copy({on.from, "postgresql://me:secret@localhost/x"});
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, "~/.pgpass"));
    CHECK_FALSE(contains(got.errors, "secret"));
  }
  SECTION("env without the variable") {
    const auto got = copy({on.from, "env"});
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, "MATCHCLOUD_STORE: "));
  }
  SECTION("secrets into a database without a master key") {
    const auto got = copy({on.from, "postgresql:///x", "--with-secrets"});
    CHECK(got.exit_code == 2);
  }
}

TEST_CASE("a store goes to PostgreSQL and back by commands", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const copied_store on;
  good(run({"signing-key", "rotate", "--data-dir", on.from}));
  const auto url = fixtures::shared_postgres().new_database();
  const auto key = on.directory.file("key", std::string(64, 'a'));
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  const arguments more{"--with-secrets", "--master-key-file", key, "--format", "json"};
  arguments there{on.from, url};
  there.insert(there.end(), more.begin(), more.end());
  auto went = tables_of(good(copy(there)));
  CHECK(on.exported({"--store", url}) == on.exported({"--data-dir", on.from}));
  arguments back{"env", on.into};
  back.insert(back.end(), more.begin(), more.end());
  auto came = tables_of(good(copy(back, {"MATCHCLOUD_STORE=" + url})));
  went.erase("audit");
  came.erase("audit"); // has the entry of the first copy
  CHECK(came == went);
  CHECK(on.exported({"--data-dir", on.into}) == on.exported({"--data-dir", on.from}));
  CHECK(fixtures::read_whole(on.into + "/signing-keys") ==
        fixtures::read_whole(on.from + "/signing-keys"));
}

} // namespace
