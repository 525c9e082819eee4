#pragma once

#include "base/fault_point.hpp"
#include "store/database_file.hpp"
#include "store/open_store.hpp"
#include "store/sql/schema_versions.hpp"
#include "store/sql/sql.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace matchcloud::store {

/// How long SQLite waits for another connection's lock before it fails. SQLite's lock is not fair:
/// with several large imports at once (seconds each), one may lose the race more than once.
inline constexpr int busy_timeout_ms = 60'000;

class sqlite_connection;

/// A prepared statement and its current row. `bind` sets the next parameter; the following `step`
/// throws its errors. Columns are valid until the next `step`. Must be destroyed
/// before its connection.
class sqlite_statement final : public sql_row {
public:
  sqlite_statement& bind(std::string_view text);
  sqlite_statement& bind(std::span<const std::uint8_t> blob);
  sqlite_statement& bind(double value);
  sqlite_statement& bind(std::int64_t value);
  sqlite_statement& bind_null();

  /// Returns true on a row and false at the end; at the end the statement can be bound and run
  /// again.
  bool step();
  /// Runs a statement that returns no rows.
  void run();
  /// Discards the remaining rows; the statement can then be bound and run again.
  void reset();
  /// The number of SQLite virtual machine instructions executed so far, as a measure of cost.
  std::uint64_t steps() const noexcept;

  bool is_null(int column) override;
  std::string_view text(int column) override;
  std::span<const std::uint8_t> blob(int column) override;
  double real(int column) override;
  std::int64_t integer(int column) override;
  /// The schema guarantees that ids have sixteen bytes.
  model::uuid uuid(int column) override;

private:
  friend class sqlite_connection;
  struct finalizer {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };

  sqlite_statement(sqlite_connection& owner, sqlite3_stmt* handle, std::string_view operation)
      : owner_{&owner}, handle_{handle}, operation_{operation} {}

  void bind_all(sql_values values);
  void note(int result) noexcept;

  sqlite_connection* owner_;
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
  std::string operation_;
  int next_parameter_ = 1;
  /// The first result of a `bind` that was not SQLITE_OK.
  int bind_result_ = 0;
};

/// A connection to a SQLite database. A transaction that writes takes the write lock of the whole
/// database at once (BEGIN IMMEDIATE), whatever its subject. Failures name the path; they are
/// `cancelled` if a `cancellation` stopped the statement. One thread at a time.
class sqlite_connection final : public sql_connection {
public:
  enum class missing_file { fails, is_made };

  /// Opens the file. SQLite does not read it yet.
  static sqlite_connection open(std::string path, missing_file where = missing_file::fails);
  /// Opens an existing file to examine it. Creates and changes no file, even while other processes
  /// use it. Does not see the content of a log without its index, as in a copy.
  static sqlite_connection open_unchanging(std::string path);

  /// Runs statements whose rows, if any, are ignored.
  void execute(const char* sql, std::string_view operation);
  sqlite_statement prepare(std::string_view sql, std::string_view operation);
  /// Returns the first column of the only row of `sql`.
  std::int64_t read_integer(std::string_view sql, std::string_view operation);

  sql_dialect dialect() const noexcept override { return sql_dialect::sqlite; }
  void begin_reading(std::string_view operation) override;
  void select(const sql_command& query, sql_values with, const take_row& take) override;
  void run(const sql_command& change, sql_values with) override;
  std::size_t count_changes(const sql_command& change, sql_values with) override;
  void find_damage(const std::function<bool()>& stop,
                   const std::function<void(std::string_view)>& take) override;

  /// From now on nothing is committed once the name of `file` refers to another file or to none,
  /// because it would never be read. Costs one system call per write transaction.
  void keep_to(database_file file) { file_ = std::move(file); }
  /// The file last passed to `keep_to`.
  const std::optional<database_file>& file() const noexcept { return file_; }

  /// Replaces `busy_timeout_ms` for this connection.
  void set_busy_timeout(int milliseconds) noexcept;
  /// Leaves the write-ahead log as it is when the connection closes, instead of checkpointing it.
  void keep_log_on_close() noexcept;
  /// Whether anything on this connection has failed so far, apart from cancellations.
  bool has_failed() const noexcept { return has_failed_; }
  /// Whether a transaction is open.
  bool in_transaction() const noexcept;

  /// From now on `log_pages` is maintained and commits do not checkpoint the write-ahead log: the
  /// caller calls `checkpoint` when it suits, outside its transactions.
  void take_over_checkpoints();
  /// The number of pages in the log after this connection's last commit.
  std::int64_t log_pages() const noexcept { return log_pages_ ? *log_pages_ : 0; }
  /// Moves those parts of the log that no other connection still uses into the database.
  /// `truncate`: waits up to `at_most` for other connections, then empties the log's file; returns
  /// false if they took longer.
  bool checkpoint(bool truncate, std::chrono::milliseconds at_most = {});

  /// Copies the whole database, page by page, over the content of `into`. All pages are from the
  /// snapshot that this reads: call it in a read transaction that has read something. With a
  /// write-ahead log, writers do not wait, but the log grows. Once this returns, `into` has either
  /// the copy or its previous content. `stop` may be empty; `show` receives how many pages of how
  /// many are copied. Throws `store_failed`, `store_full`, or `cancelled` if `stop` returns true.
  void copy_pages(sqlite_connection& into, const std::function<bool()>& stop,
                  const std::function<void(std::uint64_t pages, std::uint64_t whole)>& show);

  const std::string& path() const noexcept { return path_; }
  /// The last SQLite failure on this connection; `store_full` if its cause was a lack of space.
  base::failure failure(std::string_view operation);
  base::failure failure(std::string_view operation, std::string_view reason) override;

private:
  friend class cancellation;
  struct closer {
    void operator()(sqlite3* handle) const noexcept;
  };

  /// Opens `name`, which messages call `path`.
  static sqlite_connection opened(std::string path, const std::string& name, int flags);

  sqlite_connection(std::string path, sqlite3* handle) : path_{std::move(path)}, handle_{handle} {}

  void begin(sql_access access, std::optional<sql_subject> subject,
             std::string_view operation) override;
  void commit(std::string_view operation) override;
  void roll_back(std::string_view operation) noexcept override;

  void pass(base::fault_point at, std::string_view operation);
  std::string describe(std::string_view operation, std::string_view reason) const;
  /// The statement of a command, prepared at its first use.
  sqlite_statement& prepared(const sql_command& command);

  std::string path_;
  std::optional<database_file> file_;
  /// Whether the last transaction that began is a write transaction.
  bool is_writing_ = false;
  int busy_timeout_ms_ = busy_timeout_ms;
  bool has_failed_ = false;
  /// Null unless checkpoints were taken over. On the heap, so that its address survives a move of
  /// the connection.
  std::unique_ptr<std::int64_t> log_pages_;
  std::unique_ptr<sqlite3, closer> handle_;
  /// By the address of their SQL; at most one for each command of the program.
  std::unordered_map<const char*, sqlite_statement> prepared_;
};

/// While this object lives, the statements of a connection call `stop` (unless it is empty) every
/// `cancellation_interval_steps`, whether they find rows or not, and fail with `cancelled` once it
/// returns true. One per connection at a time; must be destroyed before the connection.
class cancellation {
public:
  cancellation(sqlite_connection& on, const std::function<bool()>& stop);
  cancellation(const cancellation&) = delete;
  cancellation& operator=(const cancellation&) = delete;
  ~cancellation();

private:
  sqlite_connection* on_;
  std::function<bool()> stop_;
};

/// Takes a fraction of a millisecond and covers some thousand rows.
inline constexpr int cancellation_interval_steps = 16'384;

/// The versions of the schema (SQLite's `user_version`) that this program knows.
const schema_versions& sqlite_schema() noexcept;

/// The database's schema version; 0 if it is new. A newer program's schema is used as it is, unless
/// it excludes programs as old as this one: then throws `store_newer`. Throws `store_failed` if the
/// file is another program's database or has a version that was never released. Only reads.
std::int64_t check_schema(sqlite_connection& on, const schema_versions& known = sqlite_schema());

/// Migrates the schema to the newest version, in one transaction per version. Several processes may
/// try at the same time: each version is applied by one of them. Throws like `check_schema`.
void migrate(sqlite_connection& on, const schema_versions& known = sqlite_schema());

/// The page cache of a `bulk` connection, and the size of the write-ahead log above which it
/// checkpoints, between transactions. Other connections use SQLite's defaults, 2 MB and 4 MB.
inline constexpr std::int64_t bulk_cache_bytes = 64LL * 1024 * 1024;
inline constexpr std::int64_t bulk_log_bytes = 128LL * 1024 * 1024;
/// SQLite's default, which the migrations do not change.
inline constexpr std::int64_t sqlite_page_bytes = 4096;

/// The file in a data directory that names the backup being restored there. Until the database is
/// there, too, no other process creates one, because the restore would take it for its own.
inline constexpr const char* restoring_name = "restore.unfinished";

/// Opens a connection for copying the store whole: with the cache of `bulk`, and a log of up to
/// `bulk_log_bytes` that SQLite checkpoints itself. Throws what `open_sqlite` fails with, and
/// `store_newer` if the schema is newer at all.
std::unique_ptr<sql_connection> open_sqlite_connection(const std::string& data_dir,
                                                       older_schema older = older_schema::migrates);

/// Opens a connection as a session. Fails like `open_sqlite`. Revisions are in the order of the
/// commits, because SQLite has one writer at a time, which assigns them while it holds the lock.
base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const store_settings& settings);

} // namespace matchcloud::store
