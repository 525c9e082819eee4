#include "base/clock.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/shared_statements.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view looking = "look at the database";
/// `server_version_num` of PostgreSQL 15.
constexpr std::int64_t least_server = 150'000;

void read_server(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, "
      "current_setting('max_connections')::bigint - "
      "current_setting('superuser_reserved_connections')::bigint",
      looking};
  std::int64_t version = 0;
  on.each(query, {}, [&](sql_row& row) {
    into.engine = "PostgreSQL " + row.string(0);
    version = row.integer(1);
    into.connections_limit = row.integer(2);
  });
  if (version < least_server)
    into.lacks.push_back("the server is " + into.engine +
                         ", but 15 or later is required: use a newer server");
}

/// Takes the server's time as the time in the middle of the round trip.
void read_clock(postgres_connection& on, store_examination& into) {
  const auto& machine = base::machine_clock();
  const auto begun = machine.now();
  const auto theirs_ms = select_store_time(on);
  const auto taken = std::chrono::duration_cast<milliseconds>(machine.now() - begun);
  into.ahead = milliseconds{theirs_ms - machine.unix_ms()} + taken / 2;
}

/// The privilege to create the schema, which `migrate` needs.
void look_at_empty(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT CASE WHEN has_database_privilege(current_database(), 'CREATE') THEN 1 ELSE 0 END",
      looking};
  if (on.number(query) == 0)
    into.lacks.push_back(
        "the role may not create the schema matchcloud: make the role the owner of the database "
        "(ALTER DATABASE .. OWNER TO ..), or grant it CREATE on the database");
}

/// Finds tables on which the role lacks the program's privileges. Entries of the audit log never
/// change.
void look_at_tables(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT c.relname, string_agg(needed, ', ' ORDER BY needed) FROM pg_class c, "
      "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed "
      "WHERE c.relnamespace = to_regnamespace('matchcloud') AND c.relkind IN ('r', 'p') "
      "AND NOT (c.relname = 'audit' AND needed = 'UPDATE') "
      "AND NOT has_table_privilege(c.oid, needed) GROUP BY c.relname ORDER BY c.relname",
      looking};
  on.each(query, {}, [&](sql_row& row) {
    into.lacks.push_back("the role lacks " + row.string(1) + " on matchcloud." + row.string(0) +
                         ": grant it the role that owns the schema");
  });
}

/// Finds tables that the next start would alter but the role cannot.
void look_at_owners(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('matchcloud') "
      "AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')",
      looking};
  const auto foreign = on.number(query);
  if (foreign > 0)
    into.lacks.push_back("the schema has to be migrated, but the role does not own " +
                         std::to_string(foreign) + " of its tables: start once as their owner");
}

void look_at_schema(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{"SELECT version FROM schema_version",
                                     "read the schema's version"};
  look_at_tables(on, into);
  if (!into.lacks.empty()) return;
  check_schema(on);
  into.version = on.number(query);
  check_is_whole(on, on.server_name());
  if (into.version < into.newest) look_at_owners(on, into);
}

} // namespace

base::expected<store_examination> examine_postgres(const postgres_settings& settings) {
  return base::attempt([&] {
    const auto on = open_checked(settings);
    store_examination found;
    found.newest = postgres_schema().newest();
    on->execute("SET default_transaction_read_only = on", looking);
    read_server(*on, found);
    read_clock(*on, found);
    if (has_schema(*on))
      look_at_schema(*on, found);
    else
      look_at_empty(*on, found);
    return found;
  });
}

} // namespace matchcloud::store
