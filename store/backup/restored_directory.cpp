#include "store/backup/restored_directory.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/sync_directory.hpp"
#include "store/backup/backup_database.hpp"
#include "store/backup/file_digest.hpp"
#include "store/database_file.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/files/temporary_folder.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_backup.hpp"
#include "store/sqlite/sqlite_session.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

/// Receives the digest, and is then renamed.
constexpr const char* aside_name = "restore.unfinished.new";
/// The folder that a new file system contains.
constexpr const char* lost_and_found = "lost+found";

tl::unexpected<base::error> not_empty(const std::string& data_dir, const std::string& has) {
  return base::fail(base::errc::import_invalid,
                    data_dir + ": it is not empty: it has " + has +
                        "; restore into a data directory that is missing or empty, then start the "
                        "service with it");
}

} // namespace

base::expected<restored_directory> restored_directory::begin(std::string data_dir,
                                                             const whole_backup& of) {
  if (auto made = make_data_directory(data_dir); !made) return tl::unexpected(made.error());
  auto alone = filling::begin(data_dir);
  if (!alone) return tl::unexpected(alone.error());
  restored_directory begun{std::move(data_dir), of, *std::move(alone)};
  auto done = begun.claim_unless_begun().and_then([&] { return begun.mark(); });
  if (!done) return tl::unexpected(done.error());
  return begun;
}

/// Leaves no moment between the look and the claim in which another process makes a store.
base::expected<void> restored_directory::claim_unless_begun() const {
  const auto quiet = directory_lock::acquire(data_dir_);
  if (!quiet) return tl::unexpected(quiet.error());
  const auto goes_on = read_former();
  if (!goes_on) return tl::unexpected(goes_on.error());
  return *goes_on ? base::expected<void>{} : claim();
}

/// Whether an earlier run began this restore.
base::expected<bool> restored_directory::read_former() const {
  const auto path = path_of(restoring_name);
  const auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  if (*file) {
    const auto text = base::read_bounded((*file)->get(), of_->sha256.size());
    if (text && *text == of_->sha256) return true;
    return base::fail(base::errc::import_invalid,
                      data_dir_ + ": the restore of another backup into it was not completed; run "
                                  "`matchcloud restore` with that backup, or empty the directory");
  }
  std::error_code failed;
  fs::directory_iterator entry{data_dir_, failed};
  for (; !failed && entry != fs::directory_iterator{}; entry.increment(failed)) {
    const auto name = entry->path().filename().string();
    if (name != aside_name && name != lost_and_found && name != filling_name)
      return not_empty(data_dir_, name);
  }
  if (failed)
    return base::io_failure(data_dir_, "list the data directory", failed.value(),
                            base::errc::store_failed);
  return false;
}

base::expected<void> restored_directory::claim() const {
  ::unlink(path_of(aside_name).c_str()); // left by a run that was killed
  auto file = new_file::create(path_of(aside_name));
  if (!file) return tl::unexpected(file.error());
  return file->append(of_->sha256)
      .and_then([&] { return file->sync(); })
      .and_then([&] { return file->rename_to(path_of(restoring_name)); })
      .and_then([&] { return base::sync_directory(data_dir_); });
}

/// Puts a marked database there, which nothing will use, unless there is one.
base::expected<void> restored_directory::mark() {
  std::error_code ignored;
  if (!fs::exists(path_of(database_file_name), ignored)) return make_marked();
  return base::attempt([this] {
    const auto db = open_sqlite_connection(data_dir_);
    has_database_ = base::attempt([&] { check_is_whole(*db, data_dir_); }).has_value();
  });
}

/// Made under another name, so that the database is marked as soon as it has its own.
base::expected<void> restored_directory::make_marked() const {
  const auto folder = temporary_folder::make(data_dir_);
  if (!folder) return tl::unexpected(folder.error());
  const auto aside = folder->path() + "/marked";
  auto done = base::attempt([&] {
    const auto db = open_sqlite_connection(aside);
    auto changes = sql_transaction::write(*db, std::nullopt, "begin restoring");
    set_copy_mark(*db);
    changes.commit();
  });
  if (!done) return done;
  const auto made = aside + "/" + database_file_name;
  if (::rename(made.c_str(), path_of(database_file_name).c_str()) != 0)
    return base::io_failure(made, "rename into place", errno, base::errc::store_failed);
  return base::sync_directory(data_dir_);
}

base::expected<void> restored_directory::complete(const copy_watch& watch) {
  auto done = has_database_ ? base::expected<void>{} : put_database(watch);
  if (done) done = record();
  return done ? release() : done;
}

base::expected<void> restored_directory::put_database(const copy_watch& watch) const {
  return base::attempt([&] {
    auto source = open_backup_database(of_->folder);
    const auto snapshot = sql_transaction::read(source, "begin reading the backup");
    auto into = sqlite_connection::open(path_of(database_file_name));
    // Without a write-ahead log, so that the database is always either the marked one or the
    // backup's.
    into.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", "prepare");
    copy_pages(source, into, watch.stop, [&](std::uint64_t pages, std::uint64_t) {
      if (watch.show) watch.show("pages restored", pages);
    });
  });
}

base::expected<void> restored_directory::record() const {
  static constexpr sql_command own{
      "SELECT count(*) FROM audit WHERE action = $1 AND subject = $2 AND at_ms >= $3",
      "look for the entry of the restore"};
  return base::attempt([this] {
    const auto db = open_sqlite_connection(data_dir_);
    auto changes = sql_transaction::write(*db, std::nullopt, "record the restore");
    const auto action = name_of(model::audit_action::store_copy);
    if (db->number(own, {action, of_->folder, of_->manifest.ended_ts}) > 0)
      return; // an earlier run wrote it
    std::uint64_t rows = 0;
    for (const auto& each : of_->manifest.tables)
      rows += each.rows;
    audit_table{}.write(*db, {model::audit_action::store_copy,
                              of_->folder,
                              {},
                              "{\"rows\":" + std::to_string(rows) + "}"});
    changes.commit();
  });
}

base::expected<void> restored_directory::release() const {
  if (::unlink(path_of(restoring_name).c_str()) != 0)
    return base::io_failure(path_of(restoring_name), "remove the file", errno,
                            base::errc::store_failed);
  return base::sync_directory(data_dir_);
}

} // namespace matchcloud::store
