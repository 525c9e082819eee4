#include "store/sqlite/sqlite_session.hpp"

#include "base/files/io_failure.hpp"
#include "store/database_file.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sql/game_revisions.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_lobbies.hpp"
#include "store/sqlite/sqlite_lobby_history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

std::string octal(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777U));
  return text;
}
/// SQLite's default, which the migrations do not change.
constexpr std::int64_t page_bytes = 4096;

class sqlite_session final : public sql_session {
public:
  explicit sqlite_session(sqlite_connection db) : sql_session{db_}, db_{std::move(db)} {}

  const database_file& file() const noexcept { return *db_.file(); }

  // -- lobby_sink -------------------------------------------------------------

  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    auto merged = lobbies().and_then(
        [&](auto* writer) { return writer->merge(records, attributes, audit()); });
    if (!merged || db_.log_pages() * page_bytes < bulk_log_bytes) return merged;
    // Parts of the log that other connections still read stay for the next checkpoint.
    if (auto moved = db_.checkpoint(false); !moved) return tl::unexpected(moved.error());
    return merged;
  }

  using sql_session::check;
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    return lobbies().and_then([&](auto* writer) { return writer->check(records, attributes); });
  }

  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override {
    return lobbies().and_then([&](auto* writer) { return writer->check_attributes(attributes); });
  }

  // -- lobby_history ----------------------------------------------------------

  using sql_session::read;
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to) override {
    if (!history_) history_.emplace(db_);
    return history_->read(query, clock, to);
  }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    if (const auto why = file().why_lost()) return db_.failure("look for changes", *why);
    const auto version = db_.read_integer("PRAGMA data_version", "look for changes");
    if (!version) return tl::unexpected(version.error());
    if (std::exchange(data_version_, *version) == *version) return false;
    // The commit may have been a migration.
    return check_schema(db_).map([](std::int64_t) { return true; });
  }

  // -- maintenance ------------------------------------------------------------

  std::uint64_t backlog_bytes() override {
    struct stat found {};
    return ::stat((db_.path() + "-wal").c_str(), &found) == 0
               ? static_cast<std::uint64_t>(found.st_size)
               : 0;
  }

  base::expected<bool> tidy() override { return db_.checkpoint(true, tidy_wait); }

  bool has_failed() const noexcept override { return db_.has_failed(); }
  /// Writes of a session on a file that has lost its name would never be read.
  bool is_reusable() const noexcept override {
    return !db_.has_failed() && !data_version_ && file().is_there();
  }

private:
  base::expected<void> move_lobbies(const model::uuid& game_id) override {
    return move_game_revision(db_, sql_subject::lobbies, game_id);
  }
  base::expected<lobby_writer*> lobbies() {
    if (!lobbies_) {
      auto prepared = lobby_writer::prepare(db_);
      if (!prepared) return tl::unexpected(prepared.error());
      lobbies_.emplace(*std::move(prepared));
    }
    return &*lobbies_;
  }

  sqlite_connection db_;
  /// Prepared on first use: few sessions write lobbies.
  std::optional<lobby_writer> lobbies_;
  /// Created on first use: few sessions read history.
  std::optional<sqlite_lobby_history> history_;
  /// SQLite's `data_version` at the last call of `changed`; empty before the first.
  std::optional<std::int64_t> data_version_;
};

/// Creates the database file for its owner only; SQLite gives its log and index the same owner and
/// permissions. Opens only files that it creates: closing a descriptor of a file in use would drop
/// this process's locks on it (sqlite.org/howtocorrupt.html, section 2.2).
/// The path may be a link to where the file will be.
void create_private(const std::string& path) {
  std::filesystem::path file{path};
  std::error_code unknown;
  constexpr int links_limit = 40; // as Linux
  for (int i = 0; i < links_limit && std::filesystem::is_symlink(file, unknown); ++i)
    file = file.parent_path() / std::filesystem::read_symlink(file, unknown);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd); // if the file cannot be created, SQLite reports why
}

bool has_log(const std::string& path) {
  struct stat found {};
  return ::stat((path + "-wal").c_str(), &found) == 0 && found.st_size > 0;
}

/// Sets what the guarantees of WAL mode depend on: `foreign_keys` and `synchronous` are per
/// connection.
base::expected<void> configure(sqlite_connection& db) {
  constexpr auto operation = "switch the database to a write-ahead log";
  auto query = db.prepare("PRAGMA journal_mode = WAL", operation);
  if (!query) return tl::unexpected(query.error());
  const auto row = query->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || query->text(0) != "wal")
    return db.failure(operation, "the file system does not support it");
  return db.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                    "configure the connection");
}

base::expected<void> tune(sqlite_connection& db, workload use) {
  if (use == workload::serving) return {};
  db.take_over_checkpoints();
  const auto pragma = "PRAGMA cache_size = -" + std::to_string(bulk_cache_bytes / 1024);
  return db.execute(pragma.c_str(), "configure the connection");
}

/// The database that sessions of this process already use.
using database_in_use = std::optional<database_file>;

/// Fails if the database in use is gone.
base::expected<void> check_is_there(const database_in_use& used) {
  const auto why = used ? used->why_lost() : std::nullopt;
  if (!why) return {};
  return base::fail(base::errc::store_failed, used->path() + ": cannot open the database: " + *why);
}

/// Opens the database in use, or creates one if there is none yet.
base::expected<sqlite_connection> open_connection(const std::string& data_dir,
                                                  const std::string& path, workload use,
                                                  older_schema older, const database_in_use& used) {
  using missing_file = sqlite_connection::missing_file;
  auto there = used;
  if (!used) {
    create_private(path);
    // Not if it is a link to a file that SQLite will create.
    if (has_store(data_dir)) there = database_file{data_dir};
  }
  const bool had_log = has_log(path);
  auto db = sqlite_connection::open(path, used ? missing_file::fails : missing_file::is_made);
  // The file was not replaced since before SQLite opened it, so SQLite has the same file. SQLite
  // has not read the log yet, which it would also apply to a different file.
  if (auto same = check_is_there(there); !same) return tl::unexpected(same.error());
  if (!db) return db;
  db->keep_to(there ? *std::move(there) : database_file{data_dir});
  const auto usable = check_schema(*db).and_then([&](std::int64_t version) {
    return older == older_schema::migrates ? base::expected<void>{}
                                           : sqlite_schema().check_is_newest(version, path);
  });
  if (!usable) {
    // Closing must not checkpoint the log into a database that must be left unchanged.
    if (had_log) db->keep_log_on_close();
    return tl::unexpected(usable.error());
  }
  if (auto configured = configure(*db); !configured) return tl::unexpected(configured.error());
  if (auto migrated = migrate(*db); !migrated) return tl::unexpected(migrated.error());
  if (auto tuned = tune(*db, use); !tuned) return tl::unexpected(tuned.error());
  return db;
}

/// Fails if a restore has begun but not yet put a database there.
base::expected<void> refuse_restoring(const std::string& data_dir) {
  struct stat found {};
  if (has_store(data_dir) || ::lstat((data_dir + "/" + restoring_name).c_str(), &found) != 0)
    return {};
  return base::fail(base::errc::import_invalid,
                    data_dir + ": a `matchcloud restore` into this directory was not completed. "
                               "Run the same command again to complete it, or empty the directory");
}

base::expected<sqlite_connection> open_in(const std::string& data_dir, workload use,
                                          older_schema older, const database_in_use& used = {}) {
  if (auto there = check_is_there(used); !there) return tl::unexpected(there.error());
  if (auto made = make_data_directory(data_dir); !made) return tl::unexpected(made.error());
  // Before the lock, so that a fault that stalls this session does not block others.
  const auto path = data_dir + "/" + database_file_name;
  if (const auto passed = pass(base::fault_point::store_open, path, "open the database"); !passed)
    return tl::unexpected(passed.error());
  // One at a time, because of `create_private`: while it has a new file open, no other session of
  // this process may take SQLite's locks on that file. SQLite itself does not need this lock.
  const auto lock = directory_lock::acquire(data_dir);
  if (!lock) return tl::unexpected(lock.error());
  if (auto free = refuse_restoring(data_dir); !free) return tl::unexpected(free.error());
  return open_connection(data_dir, path, use, older, used);
}

} // namespace

std::vector<std::string> hazards_of(const std::string& data_dir) {
  std::vector<std::string> found;
  struct stat facts {};
  if (::stat(data_dir.c_str(), &facts) == 0 && (facts.st_mode & S_IWOTH) != 0)
    found.push_back("the data directory " + data_dir + " has mode " + octal(facts.st_mode) +
                    ": every user of this machine can replace the store and its secrets; run "
                    "chmod o-w on it");
  const auto path = data_dir + "/" + database_file_name;
  if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode))
    found.push_back("the database " + path +
                    " is a symbolic link, so copies of the data directory do not contain the "
                    "store, and another data directory may use the same one; move the file here, "
                    "or make the data directory itself the link");
  return found;
}

base::expected<bool> find_store(const std::string& data_dir) {
  const auto path = data_dir + "/" + database_file_name;
  struct stat found {};
  // SQLite treats an empty file as a new database.
  if (::stat(path.c_str(), &found) == 0) return found.st_size > 0;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return base::io_failure(path, "look for the database", errno, base::errc::store_failed);
}

bool has_store(const std::string& data_dir) {
  return find_store(data_dir).value_or(false);
}

base::expected<std::unique_ptr<sql_connection>> open_sqlite_connection(const std::string& data_dir,
                                                                       older_schema older) {
  auto db = open_in(data_dir, workload::serving, older);
  if (!db) return tl::unexpected(db.error());
  const auto version = check_schema(*db);
  if (!version) return tl::unexpected(version.error());
  if (auto copied = sqlite_schema().check_is_known(*version, db->path()); !copied)
    return tl::unexpected(copied.error());
  const auto pragmas =
      "PRAGMA cache_size = -" + std::to_string(bulk_cache_bytes / 1024) +
      "; PRAGMA wal_autocheckpoint = " + std::to_string(bulk_log_bytes / page_bytes);
  if (auto tuned = db->execute(pragmas.c_str(), "configure the connection"); !tuned)
    return tl::unexpected(tuned.error());
  return std::make_unique<sqlite_connection>(*std::move(db));
}

namespace {

base::expected<std::unique_ptr<sqlite_session>> open_session(const std::string& data_dir,
                                                             const store_settings& settings,
                                                             const database_in_use& used = {}) {
  auto db = open_in(data_dir, settings.use, settings.older, used);
  if (!db) return tl::unexpected(db.error());
  if (auto whole = check_is_whole(*db, data_dir); !whole) return tl::unexpected(whole.error());
  db->set_busy_timeout(static_cast<int>(settings.patience.count()));
  return std::make_unique<sqlite_session>(std::move(*db));
}

} // namespace

base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const store_settings& settings) {
  return open_session(data_dir, settings);
}

base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const store_settings& settings) {
  // Set once the store exists, so that a store that vanished is not replaced by an empty one, and
  // all sessions use the same file.
  const auto first = std::make_shared<database_in_use>();
  auto opened = std::make_shared<database>(
      [data_dir, settings, first]() -> base::expected<std::unique_ptr<session>> {
        auto made = open_session(data_dir, settings, *first);
        if (!made) return tl::unexpected(made.error());
        if (!*first) *first = (*made)->file();
        return *std::move(made);
      },
      settings.sessions);
  // Opens a session now, so that problems of the store appear here and not at the first request.
  return opened->catalog().map([&](const lease<catalog_store>&) { return opened; });
}

} // namespace matchcloud::store
