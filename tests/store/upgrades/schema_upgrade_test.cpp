// Stores that earlier versions made are upgraded with all that is in them.
#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/restore.hpp"
#include "store/backup/verify.hpp"
#include "store/engines/store_place.hpp"
#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/store_fixture.hpp"

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

/// The rows of a statement, each as one text.
using rows = std::vector<std::string>;
/// Reads columns of a table, in the order of the first two.
using ask = std::function<rows(const std::string& table, const std::string& columns)>;

/// The tables of the first schema, with their columns and the order of their rows.
const std::map<std::string, std::string>& first_columns() {
  static const std::map<std::string, std::string> all{
      {"revisions", "name, revision"},
      {"game_revisions", "subject, game_id, revision"},
      {"lobby_changes", "game_id, writer, changes"},
      {"regions", "region_id, region_display_name, provider_display_name, latitude, longitude, "
                  "ping_url, removed"},
      {"tiers", "tier, removed"},
      {"games", "game_id, display_name, removed"},
      {"namespaces", "namespace_id, game_id, name, all_regions, removed"},
      {"namespace_domains", "domain, namespace_id"},
      {"namespace_regions", "namespace_id, region_id"},
      {"avatars", "upload_id, game_id, display_name, create_ts, content_length, complete, "
                  "image_digest, image_type"},
      {"lobby_kinds", "kind, namespace_id, region_id, tier, version_id, version_name, game_mode"},
      {"lobbies", "lobby_id, game_id, duration_class, start_ts, stop_ts, kind"},
      {"tokens", "token_id, kind, name, scope, digest, former_digest, former_until_ms, created_ms, "
                 "created_by, expires_ms, revoked_ms, cheap_limit, expensive_limit"},
      {"audit", "entry, at_ms, author_kind, author_name, author_id, address, request_id, action, "
                "subject, before, after"},
  };
  return all;
}

std::string text_of(const std::string& fixture) {
  std::ifstream in{fixtures::source_path("tests/store/upgrades/" + fixture), std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::map<std::string, rows> contents(const ask& on) {
  std::map<std::string, rows> found;
  for (const auto& [table, columns] : first_columns())
    found[table] = on(table, columns);
  // Later subjects have revisions, too.
  std::erase_if(found["revisions"],
                [](const auto& row) { return row.find("latencies") != row.npos; });
  return found;
}

/// Reads as the service does.
void check_serves(const std::shared_ptr<database>& upgraded) {
  const auto catalog = had(had(upgraded->catalog())->load());
  REQUIRE(catalog.games.size() == 2);
  CHECK(catalog.games[0].display_name == "One");
  CHECK_FALSE(catalog.games[0].retention_days);
  CHECK(catalog.namespaces.size() == 2);
  const auto game_id = catalog.games[0].game_id;
  std::size_t lobbies = 0;
  history_reader to;
  to.take = [&](const model::history_lobby&) { return ++lobbies > 0; };
  had(had(upgraded->history())->read({game_id, {0, UINT64_MAX}}, base::machine_clock(), to));
  CHECK(lobbies == 8);
  std::size_t avatars = 0;
  had(had(upgraded->avatars())->read(game_id, [&](const model::avatar&) { return ++avatars > 0; }));
  CHECK(avatars == 3);
  CHECK(had(had(upgraded->access())->load_tokens())->tokens().size() == 1);
  CHECK(had(had(upgraded->retention())->kept_histories()).size() == 2);
  const model::learned_entry learned{model::place_cell({50, 8}), "fra", {}, {{0, 9, 1, 1}}};
  had(had(upgraded->latencies())->add_latencies({&learned, 1}));
  CHECK(had(had(upgraded->latencies())->read_latencies({}, 10)).entries.size() == 1);
}

/// Who looks at a store of an earlier program does not migrate it.
void check_reading_refuses(const store_place& place) {
  const auto check = [](const auto& done) {
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().detail.find("schema version 10 is older") != std::string::npos);
  };
  check(open_to_read(place));
  check(open_connection(place, older_schema::refuses));
  check(verify_store(place, {}));
}

rows texts_in(const std::string& directory, const std::string& sql) {
  auto db = sqlite_connection::open(directory + "/matchcloud.db");
  INFO(sql);
  auto query = db.prepare(sql, "read a table");
  rows found;
  while (query.step())
    found.emplace_back(query.text(0));
  return found;
}

ask on_sqlite(const std::string& directory) {
  return [directory](const std::string& table, std::string columns) {
    for (auto at = columns.find(", "); at != columns.npos; at = columns.find(", ", at + 1))
      columns.replace(at, 2, ") || '|' || quote(");
    return texts_in(directory, "SELECT quote(" + columns + ") FROM " + table + " ORDER BY 1");
  };
}

/// A backup as version 0.2.0 made it of such a store.
backup_manifest make_old_backup(const std::string& folder) {
  backup_manifest manifest{"0.2.0", 10, "SQLite", "var", 1'000, 2'000, {}, {}, false};
  std::ofstream{folder + "/ticket-roots"} << "old\n";
  for (const std::string name : {"matchcloud.db", "ticket-roots"}) {
    const auto bytes = fixtures::read_whole(folder + "/" + name);
    manifest.files.push_back({name, bytes.size(), base::hexadecimal(base::sha256(bytes))});
  }
  auto text = render_manifest(manifest);
  text.resize(text.rfind(",\"sha256\""));
  text.replace(text.find("\"format\":2"), 10, "\"format\":1");
  std::ofstream{folder + "/manifest.json"} << text << "}\n";
  return manifest;
}

TEST_CASE("a backup of version 0.2.0 is restored, and upgraded with all that is in it") {
  const fixtures::temporary_directory directory;
  {
    auto db = sqlite_connection::open(directory.path("matchcloud.db"),
                                      sqlite_connection::missing_file::is_made);
    db.execute(text_of("schema_10_sqlite.sql").c_str(), "make the store");
  }
  const auto before = contents(on_sqlite(directory.path()));
  auto manifest = make_old_backup(directory.path());
  const auto found = had(verify_backup(directory.path(), {}));
  CHECK(found.faults() == 0);
  CHECK(found.left_out.find("unprotected") != std::string::npos);
  CHECK(found.left_out.find("an older schema") != std::string::npos);
  const fixtures::temporary_directory other;
  store_place place;
  place.data_dir = other.path("restored");
  CHECK(had(restore_backup(directory.path(), place, {})).manifest == manifest);
  auto after = contents(on_sqlite(place.data_dir));
  CHECK(after.at("audit").size() == before.at("audit").size() + 1); // the restore's
  after["audit"] = before.at("audit");
  CHECK(after == before);
  CHECK(std::ifstream{place.data_dir + "/ticket-roots"}.fail());
  check_serves(had(open_store(place)));
  // With a trigger, it is refused.
  {
    auto db = sqlite_connection::open(directory.path("matchcloud.db"));
    db.execute("CREATE TRIGGER kept AFTER UPDATE ON tokens BEGIN SELECT 1; END", "change");
  }
  make_old_backup(directory.path());
  CHECK(had(verify_backup(directory.path(), {})).faults() == 1);
}

TEST_CASE("a data directory of version 0.1.0 is upgraded with all that is in it") {
  const fixtures::temporary_directory directory;
  {
    auto db = sqlite_connection::open(directory.path("matchcloud.db"),
                                      sqlite_connection::missing_file::is_made);
    db.execute(text_of("schema_10_sqlite.sql").c_str(), "make the store");
  }
  const auto read = on_sqlite(directory.path());
  const auto before = contents(read);
  CHECK(before.at("lobbies").size() == 12);
  CHECK(before.at("audit").size() == 5);
  store_place place;
  place.data_dir = directory.path();
  check_reading_refuses(place);
  CHECK(texts_in(directory.path(), "PRAGMA user_version") == rows{"10"});
  check_serves(had(open_sqlite(directory.path())));
  CHECK(contents(read) == before);
  CHECK(texts_in(directory.path(), "PRAGMA user_version") ==
        rows{std::to_string(sqlite_schema().newest())});
}

TEST_CASE("a PostgreSQL store of version 0.1.0 is upgraded with all that is in it", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  fixtures::postgres_session session{url};
  session.execute(text_of("schema_10_postgres.sql"));
  session.execute("SET search_path = matchcloud");
  const ask read = [&](const std::string& table, const std::string& columns) {
    rows found;
    for (const auto& row :
         session.query("SELECT " + columns + " FROM " + table + " ORDER BY 1, 2")) {
      std::string text;
      for (const auto& cell : row)
        text.append(cell).append("|");
      found.push_back(text);
    }
    return found;
  };
  const auto before = contents(read);
  CHECK(before.at("lobbies").size() == 12);
  store_place place;
  place.url = url;
  place.data_dir = "/nonexistent";
  check_reading_refuses(place);
  CHECK(session.value("SELECT version FROM schema_version") == "10");
  postgres_settings settings;
  settings.url = url;
  check_serves(had(open_postgres(settings)));
  CHECK(contents(read) == before);
}

} // namespace
} // namespace matchcloud::store
