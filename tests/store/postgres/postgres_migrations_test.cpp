#include "store/postgres/postgres.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/later_schema.hpp"
#include "tests/store/store_fixture.hpp"

#include <array>
#include <string>
#include <thread>

namespace matchcloud::store {

namespace {

using fixtures::postgres_session;

postgres_settings settings_of(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return settings;
}

base::expected<void> open_and_close(const std::string& url) {
  return open_postgres(settings_of(url)).map([](const auto&) {});
}

/// Makes a store of a version that this program does not know, as for programs that know
/// `least_program`.
void make_newer(const std::string& url, std::int64_t least_program) {
  had(open_and_close(url));
  postgres_session{url}.execute(
      "UPDATE matchcloud.schema_version SET least_program = " + std::to_string(least_program) +
      ", version = " + std::to_string(postgres_schema().newest() + 3) +
      "; CREATE TABLE IF NOT EXISTS matchcloud.later (x bigint)");
}

std::string version_in(const std::string& url) {
  return postgres_session{url}.value("SELECT version FROM matchcloud.schema_version");
}

TEST_CASE("of several programs that make the schema at once one does, and all can use it",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  std::array<base::expected<void>, 4> opened;
  {
    std::array<std::jthread, 4> programs;
    for (std::size_t each = 0; each < programs.size(); ++each)
      programs[each] = std::jthread{[&, each] { opened[each] = open_and_close(url); }};
  }
  for (const auto& each : opened)
    had(each);
  CHECK(version_in(url) == std::to_string(postgres_schema().newest()));
  CHECK(postgres_session{url}.value("SELECT count(*) FROM matchcloud.tiers") == "7");
}

TEST_CASE("a program waits for one that migrates the schema, then uses what that made",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  had(open_and_close(url));
  postgres_session other{url};
  // As between the first and the last step of another program.
  other.execute("SELECT pg_advisory_lock(x'6D636C64'::int)");
  other.execute("UPDATE matchcloud.schema_version SET version = 0");
  base::expected<void> opened;
  {
    const std::jthread program{[&] { opened = open_and_close(url); }};
    const bool waits = e2e::eventually([&] {
      return other.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT "
                         "granted AND database = (SELECT oid FROM pg_database WHERE datname = "
                         "current_database())") == "1";
    });
    CHECK(waits);
    other.execute("UPDATE matchcloud.schema_version SET version = " +
                  std::to_string(postgres_schema().newest()));
    other.execute("SELECT pg_advisory_unlock_all()");
  }
  had(opened);
  CHECK(version_in(url) == std::to_string(postgres_schema().newest()));
}

TEST_CASE("a schema that a killed program only began is completed", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  postgres_session{url}.execute(
      "CREATE SCHEMA matchcloud; CREATE TABLE matchcloud.schema_version (version bigint NOT NULL, "
      "least_program bigint NOT NULL); INSERT INTO matchcloud.schema_version VALUES (0, 0)");
  had(open_and_close(url));
  CHECK(version_in(url) == std::to_string(postgres_schema().newest()));
}

/// A schema of a later program: a step from what this one knows, after which this one may still use
/// the store.
const auto later_steps = steps_and(
    postgres_schema(), {{schema_versions::baseline,
                         "CREATE TABLE news (id bigint PRIMARY KEY); INSERT INTO news VALUES (7);"
                         "ALTER TABLE games ADD COLUMN rating bigint NOT NULL DEFAULT 3;"}});

TEST_CASE("a schema takes the migrations that it does not have, and keeps what is in it",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  const bool is_new = GENERATE(true, false);
  if (!is_new) {
    const all_roles store{open_postgres(settings_of(url))};
    had(store.catalog->import_document(lobby_catalog()));
  }
  const schema_versions later{later_steps};
  for (int turn = 0; turn < 2; ++turn) {
    migrate(*postgres_connection::open(settings_of(url)), later);
  }
  postgres_session in{url};
  CHECK(version_in(url) == std::to_string(later.newest()));
  CHECK(in.value("SELECT least_program FROM matchcloud.schema_version") ==
        std::to_string(schema_versions::baseline));
  CHECK(in.value("SELECT sum(id) FROM matchcloud.news") == "7");
  const auto games = in.value("SELECT count(*) FROM matchcloud.games WHERE rating = 3");
  CHECK((games == "0") == is_new);
  had(open_and_close(url));
}

TEST_CASE("while a migration waits for a session that reads for long, others do not wait for it",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  had(open_and_close(url));
  postgres_session slow{url};
  slow.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM matchcloud.games");
  const schema_versions later{later_steps};
  base::expected<void> done;
  {
    const std::jthread program{[&] {
      done = base::attempt([&] { migrate(*postgres_connection::open(settings_of(url)), later); });
    }};
    postgres_session other{url};
    const bool waits = e2e::eventually([&] {
      return other.value("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                         "'matchcloud.games'::regclass") == "1";
    });
    CHECK(waits);
    CHECK(other.value("SELECT count(*) FROM matchcloud.games") == "0");
    CHECK(version_in(url) == std::to_string(postgres_schema().newest()));
    slow.execute("COMMIT");
  }
  had(done);
  CHECK(version_in(url) == std::to_string(later.newest()));
}

TEST_CASE("a newer schema that is for this program too is used and stays as it is", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  make_newer(url, postgres_schema().newest());
  const all_roles store{open_postgres(settings_of(url))};
  CHECK(had(store.catalog->import_document(lobby_catalog())).changed);
  CHECK(version_in(url) == std::to_string(postgres_schema().newest() + 3));
}

TEST_CASE("a newer schema that is for newer programs is refused and stays as it is",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  make_newer(url, postgres_schema().newest() + 1);
  const auto opened = open_postgres(settings_of(url));
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("Use a newer program") != std::string::npos);
  CHECK(version_in(url) == std::to_string(postgres_schema().newest() + 3));
}

TEST_CASE("a program whose store is made one for newer programs notices", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  const all_roles store{open_postgres(settings_of(url))};
  CHECK(had(store.feed->changed()));
  make_newer(url, postgres_schema().newest());
  CHECK_FALSE(e2e::eventually([&] { return !store.feed->changed(); },
                              e2e::deadline{2 * change_feed::delay_limit}));
  make_newer(url, postgres_schema().newest() + 1);
  base::expected<bool> seen;
  CHECK(e2e::eventually([&] { return !(seen = store.feed->changed()); }));
  CHECK(seen.error().code == base::errc::store_newer);
}

} // namespace

} // namespace matchcloud::store
