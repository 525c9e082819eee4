#include "base/files/io_failure.hpp"
#include "store/database_file.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"
#include "store/open_store.hpp"
#include "store/sql/lobby_rows.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_lobbies.hpp"

#include <fcntl.h>
#include <sqlite3.h>
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

class sqlite_session final : public sql_session {
public:
  explicit sqlite_session(sqlite_connection db) : sql_session{db_}, db_{std::move(db)} {}

  const database_file& file() const noexcept { return *db_.file(); }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    return base::attempt([this] {
      if (const auto why = file().why_lost()) throw db_.failure("look for changes", *why);
      const auto version = db_.read_integer("PRAGMA data_version", "look for changes");
      if (std::exchange(data_version_, version) == version) return false;
      check_schema(db_); // the commit may have been a migration
      return true;
    });
  }

  // -- maintenance ------------------------------------------------------------

  std::uint64_t backlog_bytes() override {
    struct stat found {};
    return ::stat((db_.path() + "-wal").c_str(), &found) == 0
               ? static_cast<std::uint64_t>(found.st_size)
               : 0;
  }

  base::expected<bool> tidy() override {
    return base::attempt([this] { return db_.checkpoint(true, tidy_wait); });
  }

  bool has_failed() const noexcept override { return db_.has_failed(); }
  /// Writes of a session on a file that has lost its name would never be read.
  bool is_reusable() const noexcept override {
    return !db_.has_failed() && !data_version_ && file().is_there();
  }

private:
  lobby_engine& lobbies() noexcept override { return lobbies_; }

  sqlite_connection db_;
  sqlite_lobbies lobbies_{db_};
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
void configure(sqlite_connection& db) {
  constexpr auto operation = "switch the database to a write-ahead log";
  auto query = db.prepare("PRAGMA journal_mode = WAL", operation);
  if (!query.step() || query.text(0) != "wal")
    throw db.failure(operation, "the file system does not support it");
  query.reset();
  db.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", "configure the connection");
}

void tune(sqlite_connection& db, workload use) {
  if (use == workload::serving) return;
  db.take_over_checkpoints();
  const auto pragma = fmt::format("PRAGMA cache_size = -{}", bulk_cache_bytes / 1024);
  db.execute(pragma.c_str(), "configure the connection");
}

/// The database that sessions of this process already use.
using database_in_use = std::optional<database_file>;

/// Throws if the database in use is gone.
void check_is_there(const database_in_use& used) {
  if (const auto why = used ? used->why_lost() : std::nullopt)
    throw base::failure{base::errc::store_failed, "{}: cannot open the database: {}", used->path(),
                        *why};
}

/// Opens the database in use, or creates one if there is none yet.
sqlite_connection open_connection(const std::string& data_dir, const std::string& path,
                                  workload use, older_schema older, const database_in_use& used) {
  using missing_file = sqlite_connection::missing_file;
  auto there = used;
  if (!used) {
    create_private(path);
    // Not if it is a link to a file that SQLite will create.
    if (has_store(data_dir)) there = database_file{data_dir};
  }
  const bool had_log = has_log(path);
  auto db = base::attempt([&] {
    return sqlite_connection::open(path, used ? missing_file::fails : missing_file::is_made);
  });
  // The file was not replaced since before SQLite opened it, so SQLite has the same file. SQLite
  // has not read the log yet, which it would also apply to a different file.
  check_is_there(there);
  if (!db) throw base::failure{db.error()};
  db->keep_to(there ? *std::move(there) : database_file{data_dir});
  try {
    const auto version = check_schema(*db);
    if (older == older_schema::refuses) sqlite_schema().check_is_newest(version, path);
  } catch (...) {
    // Closing must not checkpoint the log into a database that must be left unchanged.
    if (had_log) db->keep_log_on_close();
    throw;
  }
  configure(*db);
  migrate(*db);
  tune(*db, use);
  return *std::move(db);
}

/// Throws if a restore has begun but not yet put a database there.
void refuse_restoring(const std::string& data_dir) {
  struct stat found {};
  if (has_store(data_dir) || ::lstat((data_dir + "/" + restoring_name).c_str(), &found) != 0)
    return;
  throw base::failure{base::errc::import_invalid,
                      "{}: a `matchcloud restore` into this directory was not completed. Run the "
                      "same command again to complete it, or empty the directory",
                      data_dir};
}

sqlite_connection open_in(const std::string& data_dir, workload use, older_schema older,
                          const database_in_use& used = {}) {
  check_is_there(used);
  make_data_directory(data_dir);
  // Before the lock, so that a fault that stalls this session does not block others.
  const auto path = data_dir + "/" + database_file_name;
  base::value_of(pass(base::fault_point::store_open, path, "open the database"));
  // One at a time, because of `create_private`: while it has a new file open, no other session of
  // this process may take SQLite's locks on that file. SQLite itself does not need this lock.
  const auto lock = directory_lock::acquire(data_dir);
  refuse_restoring(data_dir);
  return open_connection(data_dir, path, use, older, used);
}

std::unique_ptr<sqlite_session> open_session(const std::string& data_dir,
                                             const store_settings& settings,
                                             const database_in_use& used = {}) {
  auto db = open_in(data_dir, settings.use, settings.older, used);
  check_is_whole(db, data_dir);
  db.set_busy_timeout(static_cast<int>(settings.patience.count()));
  return std::make_unique<sqlite_session>(std::move(db));
}

} // namespace

std::vector<std::string> hazards_of(const std::string& data_dir) {
  std::vector<std::string> found;
  struct stat facts {};
  if (::stat(data_dir.c_str(), &facts) == 0 && (facts.st_mode & S_IWOTH) != 0)
    found.push_back(fmt::format("the data directory {} has mode {}: every user of this machine can "
                                "replace the store and its secrets; run chmod o-w on it",
                                data_dir, octal(facts.st_mode)));
  const auto path = data_dir + "/" + database_file_name;
  if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode))
    found.push_back(fmt::format(
        "the database {} is a symbolic link, so copies of the data directory do not contain the "
        "store, and another data directory may use the same one; move the file here, or make the "
        "data directory itself the link",
        path));
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

std::unique_ptr<sql_connection> open_sqlite_connection(const std::string& data_dir,
                                                       older_schema older) {
  auto db = open_in(data_dir, workload::serving, older);
  sqlite_schema().check_is_known(check_schema(db), db.path());
  const auto pragmas = fmt::format("PRAGMA cache_size = -{}; PRAGMA wal_autocheckpoint = {}",
                                   bulk_cache_bytes / 1024, bulk_log_bytes / sqlite_page_bytes);
  db.execute(pragmas.c_str(), "configure the connection");
  return std::make_unique<sqlite_connection>(std::move(db));
}

base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const store_settings& settings) {
  return base::attempt(
      [&]() -> std::unique_ptr<session> { return open_session(data_dir, settings); });
}

base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const store_settings& settings) {
  // Set once the store exists, so that a store that vanished is not replaced by an empty one, and
  // all sessions use the same file.
  const auto first = std::make_shared<database_in_use>();
  auto opened = std::make_shared<database>(
      [data_dir, settings, first] {
        return base::attempt([&]() -> std::unique_ptr<session> {
          auto made = open_session(data_dir, settings, *first);
          if (!*first) *first = made->file();
          return made;
        });
      },
      settings.sessions);
  // Opens a session now, so that problems of the store appear here and not at the first request.
  return opened->catalog().map([&](const lease<catalog_store>&) { return opened; });
}

base::expected<store_examination> examine_sqlite(const std::string& data_dir) {
  store_examination found;
  found.engine = std::string{"SQLite "} + sqlite3_libversion();
  found.newest = sqlite_schema().newest();
  const auto there = find_store(data_dir);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return found;
  return base::attempt([&] {
    auto db = sqlite_connection::open_unchanging(data_dir + "/" + database_file_name);
    found.version = check_schema(db);
    if (found.version > 0) check_is_whole(db, data_dir);
    return found;
  });
}

} // namespace matchcloud::store
