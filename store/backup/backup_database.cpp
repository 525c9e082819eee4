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
base::expected<sql_transaction> begin_snapshot(sqlite_connection& on, const std::string& name) {
  auto snapshot = sql_transaction::read(on, "begin reading the store");
  if (!snapshot) return snapshot;
  const auto version = check_schema(on);
  if (!version) return tl::unexpected(version.error());
  if (*version == 0) return on.failure("back up the store", "there is nothing in it yet");
  if (auto known = sqlite_schema().check_is_known(*version, on.path()); !known)
    return tl::unexpected(known.error());
  if (auto whole = check_is_whole(on, name); !whole) return tl::unexpected(whole.error());
  return snapshot;
}

base::expected<void> take_pages(const store_place& from, const std::string& folder,
                                const copy_watch& watch) {
  auto source = sqlite_connection::open(database_in(from.data_dir));
  if (!source) return tl::unexpected(source.error());
  const auto snapshot = begin_snapshot(*source, from.data_dir);
  if (!snapshot) return tl::unexpected(snapshot.error());
  const base::as_invoker self;
  auto file = new_file::create(database_in(folder));
  if (!file) return tl::unexpected(file.error());
  file->keep();
  auto into = sqlite_connection::open(database_in(folder));
  if (!into) return tl::unexpected(into.error());
  return into->execute(no_journal, "configure the connection").and_then([&] {
    return copy_pages(*source, *into, watch.stop, [&](std::uint64_t pages, std::uint64_t) {
      if (watch.show) watch.show("pages copied", pages);
    });
  });
}

base::expected<void> take_rows(const store_place& from, const std::string& folder,
                               const copy_watch& watch) {
  const auto source = open_connection(from, older_schema::refuses);
  if (!source) return tl::unexpected(source.error());
  const base::as_invoker self;
  const auto into = open_sqlite_connection(folder);
  if (!into) return tl::unexpected(into.error());
  auto patient = watch;
  patient.advice = {};
  const auto done = copy_store({**source, from.name()}, {**into, folder}, patient);
  if (!done) return tl::unexpected(done.error());
  // The source's log has no such entry.
  static constexpr sql_command forget{
      "DELETE FROM audit WHERE entry = (SELECT max(entry) FROM audit) AND action = $1",
      "forget the copy"};
  auto changes = sql_transaction::write(**into, std::nullopt, "forget the copy");
  if (!changes) return tl::unexpected(changes.error());
  return (*into)->run(forget, {name_of(model::audit_action::store_copy)}).and_then([&] {
    return changes->commit();
  });
}

/// Makes the copy a single file that can be read without creating others next to it.
base::expected<void> settle(const std::string& folder) {
  const base::as_invoker self;
  auto db = sqlite_connection::open(database_in(folder));
  if (!db) return tl::unexpected(db.error());
  return db->execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF", "settle the copy")
      .and_then([&] { return migrate(*db); })
      .and_then([&] {
        return db->execute("DELETE FROM exports; DELETE FROM replicas", "settle the copy");
      });
}

} // namespace

base::expected<void> take_database(const store_place& from, const std::string& folder,
                                   const copy_watch& watch) {
  const auto taken =
      from.url.empty() ? take_pages(from, folder, watch) : take_rows(from, folder, watch);
  return taken ? settle(folder) : taken;
}

base::expected<sqlite_connection> open_backup_database(const std::string& folder) {
  const base::as_invoker self;
  auto db = sqlite_connection::open_unchanging(database_in(folder));
  if (!db) return db;
  // Checking an index jumps across the whole file for each row.
  static const auto cache = "PRAGMA cache_size = -" + std::to_string(bulk_cache_bytes / 1024);
  if (auto tuned = db->execute(cache.c_str(), "configure the connection"); !tuned)
    return tl::unexpected(tuned.error());
  return db;
}

} // namespace matchcloud::store
