#include "base/clock.hpp"
#include "store/open_postgres.hpp"
#include "store/postgres/postgres_migrations.hpp"
#include "store/postgres/postgres_session.hpp"
#include "store/sql/copy_mark.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view looking = "look at the database";
/// `server_version_num` of PostgreSQL 15.
constexpr std::int64_t least_server = 150'000;

base::expected<void> read_server(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, "
      "current_setting('max_connections')::bigint - "
      "current_setting('superuser_reserved_connections')::bigint",
      looking};
  std::int64_t version = 0;
  auto read = for_each_row(on, query, {}, [&](sql_row& row) {
    into.engine = "PostgreSQL " + std::string{row.text(0)};
    version = row.integer(1);
    into.connections_limit = row.integer(2);
  });
  if (read && version < least_server)
    into.lacks.push_back("the server is " + into.engine +
                         ", but 15 or later is required: use a newer server");
  return read;
}

/// Takes the server's time as the time in the middle of the round trip.
base::expected<void> read_clock(postgres_connection& on, store_examination& into) {
  const auto& machine = base::machine_clock();
  const auto begun = machine.now();
  const auto theirs_ms = select_store_time(on);
  if (!theirs_ms) return tl::unexpected(theirs_ms.error());
  const auto taken = std::chrono::duration_cast<milliseconds>(machine.now() - begun);
  into.ahead = milliseconds{*theirs_ms - machine.unix_ms()} + taken / 2;
  return {};
}

/// The privilege to create the schema, which `migrate` needs.
base::expected<void> look_at_empty(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT CASE WHEN has_database_privilege(current_database(), 'CREATE') THEN 1 ELSE 0 END",
      looking};
  const auto may = select_integer(on, query);
  if (!may) return tl::unexpected(may.error());
  if (*may == 0)
    into.lacks.push_back(
        "the role may not create the schema matchcloud: make the role the owner of the database "
        "(ALTER DATABASE .. OWNER TO ..), or grant it CREATE on the database");
  return {};
}

/// Finds tables on which the role lacks the program's privileges. Entries of the audit log never
/// change.
base::expected<void> look_at_tables(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT c.relname, string_agg(needed, ', ' ORDER BY needed) FROM pg_class c, "
      "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed "
      "WHERE c.relnamespace = to_regnamespace('matchcloud') AND c.relkind IN ('r', 'p') "
      "AND NOT (c.relname = 'audit' AND needed = 'UPDATE') "
      "AND NOT has_table_privilege(c.oid, needed) GROUP BY c.relname ORDER BY c.relname",
      looking};
  return for_each_row(on, query, {}, [&](sql_row& row) {
    into.lacks.push_back("the role lacks " + std::string{row.text(1)} + " on matchcloud." +
                         std::string{row.text(0)} + ": grant it the role that owns the schema");
  });
}

/// Finds tables that the next start would alter but the role cannot.
base::expected<void> look_at_owners(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('matchcloud') "
      "AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')",
      looking};
  const auto foreign = select_integer(on, query);
  if (!foreign) return tl::unexpected(foreign.error());
  if (*foreign > 0)
    into.lacks.push_back("the schema has to be migrated, but the role does not own " +
                         std::to_string(*foreign) + " of its tables: start once as their owner");
  return {};
}

base::expected<void> look_at_schema(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{"SELECT version FROM schema_version",
                                     "read the schema's version"};
  if (auto used = look_at_tables(on, into); !used || !into.lacks.empty()) return used;
  if (auto fits = check_schema(on); !fits) return fits;
  const auto version = select_integer(on, query);
  if (!version) return tl::unexpected(version.error());
  into.version = *version;
  if (auto whole = check_is_whole(on, on.server_name()); !whole) return whole;
  return into.version < into.newest ? look_at_owners(on, into) : base::expected<void>{};
}

} // namespace

base::expected<store_examination> examine_postgres(const postgres_settings& settings) {
  const auto on = open_checked(settings);
  if (!on) return tl::unexpected(on.error());
  store_examination found;
  found.newest = postgres_schema().newest();
  auto done = (*on)->execute("SET default_transaction_read_only = on", looking);
  if (done) done = read_server(**on, found);
  if (done) done = read_clock(**on, found);
  if (!done) return tl::unexpected(done.error());
  const auto there = has_schema(**on);
  if (!there) return tl::unexpected(there.error());
  done = *there ? look_at_schema(**on, found) : look_at_empty(**on, found);
  if (!done) return tl::unexpected(done.error());
  return found;
}

} // namespace matchcloud::store
