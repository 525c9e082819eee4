#include "store/postgres/postgres_migrations.hpp"
#include "tests/fixtures/postgres_server.hpp"
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
      ", version = " + std::to_string(newest_postgres_schema() + 3) +
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
  CHECK(version_in(url) == std::to_string(newest_postgres_schema()));
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
                  std::to_string(newest_postgres_schema()));
    other.execute("SELECT pg_advisory_unlock_all()");
  }
  had(opened);
  CHECK(version_in(url) == std::to_string(newest_postgres_schema()));
}

TEST_CASE("a schema that a killed program only began is completed", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  postgres_session{url}.execute(
      "CREATE SCHEMA matchcloud; CREATE TABLE matchcloud.schema_version (version bigint NOT NULL, "
      "least_program bigint NOT NULL); INSERT INTO matchcloud.schema_version VALUES (0, 0)");
  had(open_and_close(url));
  CHECK(version_in(url) == std::to_string(newest_postgres_schema()));
}

TEST_CASE("a newer schema that is for this program too is used and stays as it is", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  make_newer(url, newest_postgres_schema());
  const all_roles store{open_postgres(settings_of(url))};
  CHECK(had(store.catalog->import_document(lobby_catalog())).changed);
  CHECK(version_in(url) == std::to_string(newest_postgres_schema() + 3));
}

TEST_CASE("a newer schema that is for newer programs is refused and stays as it is",
          "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  make_newer(url, newest_postgres_schema() + 1);
  const auto opened = open_postgres(settings_of(url));
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(opened.error().detail.find("use a newer program") != std::string::npos);
  CHECK(version_in(url) == std::to_string(newest_postgres_schema() + 3));
}

TEST_CASE("a program whose store is made one for newer programs notices", "[.postgres]") {
  const auto url = fixtures::shared_postgres().new_database();
  const all_roles store{open_postgres(settings_of(url))};
  CHECK(had(store.feed->changed()));
  make_newer(url, newest_postgres_schema());
  CHECK_FALSE(e2e::eventually([&] { return !store.feed->changed(); },
                              e2e::deadline{2 * change_feed::delay_limit}));
  make_newer(url, newest_postgres_schema() + 1);
  base::expected<bool> seen;
  CHECK(e2e::eventually([&] { return !(seen = store.feed->changed()); }));
  CHECK(seen.error().code == base::errc::store_newer);
}

} // namespace

} // namespace matchcloud::store
