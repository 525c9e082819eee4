#include "store/backup/backup_database.hpp"

#include "base/files/working_identity.hpp"
#include "store/database_file.hpp"
#include "store/files/new_file.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sqlite_backup.hpp"
#include "store/sqlite/sqlite_session.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

constexpr const char* no_journal = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF";

std::string database_in(const std::string& folder) {
  return folder + "/" + database_file_name;
}

/// Begins reading a SQLite store. After this, all its files in the data directory are open.
sql_transaction begin_snapshot(sqlite_connection& on, const std::string& name) {
  auto snapshot = sql_transaction::read(on, "begin reading the store");
  const auto version = check_schema(on);
  if (version == 0) throw on.failure("back up the store", "there is nothing in it yet");
  sqlite_schema().check_is_known(version, on.path());
  check_is_whole(on, name);
  return snapshot;
}

void take_pages(const store_place& from, const std::string& folder, const copy_watch& watch) {
  auto source = sqlite_connection::open(database_in(from.data_dir));
  const auto snapshot = begin_snapshot(source, from.data_dir);
  const base::as_invoker self;
  base::value_of(new_file::create(database_in(folder))).keep();
  auto into = sqlite_connection::open(database_in(folder));
  into.execute(no_journal, "configure the connection");
  copy_pages(source, into, watch.stop, [&](std::uint64_t pages, std::uint64_t) {
    if (watch.show) watch.show("pages copied", pages);
  });
}

void take_rows(const store_place& from, const std::string& folder, const copy_watch& watch) {
  const auto source = base::value_of(open_connection(from, older_schema::refuses));
  const base::as_invoker self;
  const auto into = open_sqlite_connection(folder);
  auto patient = watch;
  patient.advice = {};
  base::value_of(copy_store({*source, from.name()}, {*into, folder}, patient));
  // The source's log has no such entry.
  static constexpr sql_command forget{
      "DELETE FROM audit WHERE entry = (SELECT max(entry) FROM audit) AND action = $1",
      "forget the copy"};
  auto changes = sql_transaction::write(*into, std::nullopt, "forget the copy");
  into->run(forget, {name_of(model::audit_action::store_copy)});
  changes.commit();
}

/// Makes the copy a single file that can be read without creating others next to it.
void settle(const std::string& folder) {
  const base::as_invoker self;
  auto db = sqlite_connection::open(database_in(folder));
  db.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF", "settle the copy");
  migrate(db);
  db.execute("DELETE FROM exports; DELETE FROM replicas", "settle the copy");
}

} // namespace

base::expected<void> take_database(const store_place& from, const std::string& folder,
                                   const copy_watch& watch) {
  return base::attempt([&] {
    if (from.url.empty())
      take_pages(from, folder, watch);
    else
      take_rows(from, folder, watch);
    settle(folder);
  });
}

sqlite_connection open_backup_database(const std::string& folder) {
  const base::as_invoker self;
  auto db = sqlite_connection::open_unchanging(database_in(folder));
  // Checking an index jumps across the whole file for each row.
  static const auto cache = "PRAGMA cache_size = -" + std::to_string(bulk_cache_bytes / 1024);
  db.execute(cache.c_str(), "configure the connection");
  return db;
}

} // namespace matchcloud::store
