#include "store/sqlite/sqlite.hpp"

#include "base/characters.hpp"
#include "base/files/io_failure.hpp"
#include "store/files/fault_pass.hpp"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <type_traits>

namespace matchcloud::store {

namespace {

/// What the operator can do about an SQLite result; empty if SQLite's own message is enough.
std::string_view advice(int primary_code) {
  switch (primary_code) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    return "the file is damaged or not a matchcloud store: restore it from a backup (`matchcloud "
           "restore`, into an empty data directory), or move it aside (with its -wal and -shm) to "
           "begin a new one";
  case SQLITE_BUSY: return "another process is using it: retry when that process has finished";
  case SQLITE_FULL: return "free some disk space";
  case SQLITE_CANTOPEN:
  case SQLITE_READONLY:
    return "make the data directory writable, because SQLite keeps its log (-wal, -shm) there";
  case SQLITE_IOERR:
    return "the disk is failing or was made read-only: see the kernel's log (dmesg), and make the "
           "data directory readable and writable again";
  default: return {};
  }
}

/// Whether the database or its log has grown to the limit on this process's files, which SQLite
/// reports like a failing disk.
bool is_at_size_limit(const std::string& path) {
  constexpr rlim_t largest_write = 65'536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  for (const auto* suffix : {"", "-wal"}) {
    struct stat found {};
    if (::stat((path + suffix).c_str(), &found) == 0 &&
        static_cast<rlim_t>(found.st_size) + largest_write >= limit.rlim_cur)
      return true;
  }
  return false;
}

/// The busy timeout of connections that only examine a store.
constexpr int unchanging_timeout_ms = 2'000;

bool is_there(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

/// The characters of a path that need no encoding in a URI.
constexpr base::character_set plain_characters{[](unsigned char c) {
  return base::is_alphanumeric(c) || c == '/' || c == '.' || c == '_' || c == '-';
}};

/// A path as SQLite's URI of a file (sqlite.org/uri.html).
std::string uri_of(const std::string& path, std::string_view query) {
  std::string encoded;
  for (const char each : path)
    encoded += plain_characters.contains(each)
                   ? std::string{each}
                   : fmt::format("%{:02X}", static_cast<unsigned char>(each));
  return fmt::format("file:{}{}?{}", path.starts_with('/') ? "//" : "", encoded, query);
}

} // namespace

void sqlite_connection::closer::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

sqlite_connection sqlite_connection::opened(std::string path, const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  sqlite_connection made{std::move(path), handle}; // closes the handle of a failed open, too
  if (!handle) throw made.failure("open the database", "out of memory");
  if (result != SQLITE_OK) throw made.failure("open the database");
  sqlite3_extended_result_codes(handle, 1);
  made.set_busy_timeout(busy_timeout_ms);
  return made;
}

sqlite_connection sqlite_connection::open(std::string path, missing_file where) {
  const auto name = path;
  return opened(std::move(path), name,
                SQLITE_OPEN_READWRITE | (where == missing_file::is_made ? SQLITE_OPEN_CREATE : 0));
}

sqlite_connection sqlite_connection::open_unchanging(std::string path) {
  // SQLite creates a missing log and index, except for a file declared immutable.
  const bool has_log = is_there(path + "-wal") && is_there(path + "-shm");
  const auto uri = uri_of(path, has_log ? "mode=ro&readonly_shm=1" : "mode=ro&immutable=1");
  auto made = opened(std::move(path), uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  made.set_busy_timeout(unchanging_timeout_ms);
  made.keep_log_on_close();
  return made;
}

void sqlite_connection::execute(const char* sql, std::string_view operation) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    throw failure(operation);
}

sqlite_statement sqlite_connection::prepare(std::string_view sql, std::string_view operation) {
  sqlite3_stmt* handle = nullptr;
  const int result =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  if (result != SQLITE_OK) throw failure(operation);
  return {*this, handle, operation};
}

std::int64_t sqlite_connection::read_integer(std::string_view sql, std::string_view operation) {
  auto query = prepare(sql, operation);
  if (!query.step()) throw failure(operation, "a row is missing");
  return query.integer(0);
}

void sqlite_connection::begin_reading(std::string_view operation) {
  pass(base::fault_point::store_read, operation);
}

void sqlite_connection::select(const sql_command& query, sql_values with, const take_row& take) {
  auto& rows = prepared(query);
  struct closing {
    sqlite_statement* of;
    ~closing() { of->reset(); }
  };
  const closing at_end{&rows};
  rows.bind_all(with);
  while (rows.step() && take(rows)) {
  }
}

void sqlite_connection::run(const sql_command& change, sql_values with) {
  auto& found = prepared(change);
  found.bind_all(with);
  found.run();
}

std::size_t sqlite_connection::count_changes(const sql_command& change, sql_values with) {
  run(change, with);
  return static_cast<std::size_t>(sqlite3_changes64(handle_.get()));
}

void sqlite_connection::find_damage(const std::function<bool()>& stop,
                                    const std::function<void(std::string_view)>& take) {
  static constexpr sql_command query{"PRAGMA integrity_check", "check the database's pages"};
  const cancellation stops{*this, stop};
  each(query, {}, [&](sql_row& row) {
    if (row.text(0) != "ok") take(row.text(0));
  });
}

sqlite_statement& sqlite_connection::prepared(const sql_command& command) {
  auto at = prepared_.find(command.sql.data());
  if (at == prepared_.end())
    at = prepared_.emplace(command.sql.data(), prepare(command.sql, command.operation)).first;
  at->second.owner_ = this; // the connection may have moved since
  return at->second;
}

void sqlite_connection::pass(base::fault_point at, std::string_view operation) {
  const auto passed = store::pass(at, path_, operation);
  if (passed) return;
  has_failed_ = true;
  throw base::failure{passed.error()};
}

void sqlite_connection::set_busy_timeout(int milliseconds) noexcept {
  busy_timeout_ms_ = milliseconds;
  sqlite3_busy_timeout(handle_.get(), milliseconds);
}

void sqlite_connection::keep_log_on_close() noexcept {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void sqlite_connection::take_over_checkpoints() {
  log_pages_ = std::make_unique<std::int64_t>(0);
  const auto note = [](void* into, sqlite3*, const char*, int pages) {
    *static_cast<std::int64_t*>(into) = pages;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle_.get(), note, log_pages_.get()); // replaces SQLite's own checkpoints
}

bool sqlite_connection::checkpoint(bool truncate, std::chrono::milliseconds at_most) {
  const int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(at_most.count()));
  const int result = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, mode, nullptr, nullptr);
  sqlite3_busy_timeout(handle_.get(), busy_timeout_ms_);
  if ((result & 0xff) == SQLITE_BUSY) return false;
  if (result != SQLITE_OK) throw failure("move the log into the database");
  if (log_pages_) *log_pages_ = 0;
  return true;
}

bool sqlite_connection::in_transaction() const noexcept {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

base::failure sqlite_connection::failure(std::string_view operation) {
  const int code = sqlite3_extended_errcode(handle_.get());
  const int primary_code = code & 0xff;
  const bool has_cause = primary_code == SQLITE_CANTOPEN || primary_code == SQLITE_IOERR;
  const int system_code = has_cause ? sqlite3_system_errno(handle_.get()) : 0;
  // SQLite does not report the cause if a commit cannot grow the shared-memory index; assume the
  // usual one, a full disk.
  const bool full = primary_code == SQLITE_FULL || base::is_disk_full(system_code) ||
                    (code == SQLITE_IOERR_SHMSIZE && system_code == 0);
  const auto hint = primary_code == SQLITE_IOERR && is_at_size_limit(path_)
                        ? base::advice(EFBIG)
                        : advice(full ? SQLITE_FULL : primary_code);
  const auto cause = system_code != 0
                         ? fmt::format(" ({})", std::generic_category().message(system_code))
                         : std::string{};
  const auto reason = fmt::format("{}{} [SQLite {}]{}{}", sqlite3_errmsg(handle_.get()), cause,
                                  code, hint.empty() ? "" : "; ", hint);
  if (primary_code == SQLITE_INTERRUPT) return {base::errc::cancelled, describe(operation, reason)};
  has_failed_ = true;
  return {full ? base::errc::store_full : base::errc::store_failed, describe(operation, reason)};
}

base::failure sqlite_connection::failure(std::string_view operation, std::string_view reason) {
  has_failed_ = true;
  return {base::errc::store_failed, describe(operation, reason)};
}

std::string sqlite_connection::describe(std::string_view operation, std::string_view reason) const {
  return fmt::format("{}: cannot {}: {}", path_, operation, reason);
}

void sqlite_statement::finalizer::operator()(sqlite3_stmt* handle) const noexcept {
  sqlite3_finalize(handle);
}

void sqlite_statement::bind_all(sql_values values) {
  const auto bind_one = [this](const auto& value) {
    using type = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<type, std::monostate> || std::is_same_v<type, const sql_array*>)
      bind_null();
    else if constexpr (std::is_same_v<type, model::uuid>)
      bind(value.bytes);
    else
      bind(value);
  };
  for (const auto& value : values)
    std::visit(bind_one, value.get());
}

void sqlite_statement::note(int result) noexcept {
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
}

sqlite_statement& sqlite_statement::bind(std::string_view text) {
  // A null pointer would bind NULL instead of the empty string.
  const char* start = text.data() ? text.data() : "";
  note(sqlite3_bind_text64(handle_.get(), next_parameter_++, start, text.size(), SQLITE_TRANSIENT,
                           SQLITE_UTF8));
  return *this;
}

sqlite_statement& sqlite_statement::bind(std::span<const std::uint8_t> blob) {
  // An empty blob may have no address, which would bind null.
  const void* begin = blob.empty() ? "" : static_cast<const void*>(blob.data());
  note(sqlite3_bind_blob64(handle_.get(), next_parameter_++, begin, blob.size(), SQLITE_TRANSIENT));
  return *this;
}

sqlite_statement& sqlite_statement::bind(double value) {
  note(sqlite3_bind_double(handle_.get(), next_parameter_++, value));
  return *this;
}

sqlite_statement& sqlite_statement::bind(std::int64_t value) {
  note(sqlite3_bind_int64(handle_.get(), next_parameter_++, value));
  return *this;
}

sqlite_statement& sqlite_statement::bind_null() {
  note(sqlite3_bind_null(handle_.get(), next_parameter_++));
  return *this;
}

bool sqlite_statement::step() {
  const auto fail = [this](base::failure why) { // before the reset, which clears SQLite's message
    reset();
    throw why;
  };
  if (bind_result_ != SQLITE_OK) fail(owner_->failure(operation_, sqlite3_errstr(bind_result_)));
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) fail(owner_->failure(operation_));
  reset();
  return false;
}

void sqlite_statement::reset() {
  sqlite3_reset(handle_.get());
  next_parameter_ = 1;
  bind_result_ = SQLITE_OK;
}

void sqlite_statement::run() {
  if (step()) throw owner_->failure(operation_, "a row where none was expected");
}

std::uint64_t sqlite_statement::steps() const noexcept {
  return static_cast<std::uint32_t>(
      sqlite3_stmt_status(handle_.get(), SQLITE_STMTSTATUS_VM_STEP, 0));
}

bool sqlite_statement::is_null(int column) {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::string_view sqlite_statement::text(int column) {
  const auto bytes = blob(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> sqlite_statement::blob(int column) {
  // First, because it may convert the value to text, which determines the size.
  const auto* start = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return {start, start ? size : 0};
}

double sqlite_statement::real(int column) {
  return sqlite3_column_double(handle_.get(), column);
}

std::int64_t sqlite_statement::integer(int column) {
  return sqlite3_column_int64(handle_.get(), column);
}

model::uuid sqlite_statement::uuid(int column) {
  const auto bytes = blob(column);
  model::uuid id;
  std::copy_n(bytes.begin(), std::min(bytes.size(), id.bytes.size()), id.bytes.begin());
  return id;
}

void sqlite_connection::begin(sql_access access, std::optional<sql_subject>,
                              std::string_view operation) {
  is_writing_ = access == sql_access::write;
  pass(is_writing_ ? base::fault_point::store_write : base::fault_point::store_read, operation);
  execute(is_writing_ ? "BEGIN IMMEDIATE" : "BEGIN", operation);
}

void sqlite_connection::commit(std::string_view operation) {
  pass(base::fault_point::store_commit, operation);
  if (const auto lost = is_writing_ && file_ ? file_->why_lost() : std::nullopt)
    throw failure(operation, *lost);
  execute("COMMIT", operation);
}

void sqlite_connection::roll_back(std::string_view) noexcept {
  // After some failures (such as a full disk) SQLite has already rolled back. If the rollback
  // fails, nothing is left to do: closing the connection rolls back as well.
  if (!in_transaction()) return;
  const int result = sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  has_failed_ = has_failed_ || result != SQLITE_OK;
}

cancellation::cancellation(sqlite_connection& on, const std::function<bool()>& stop)
    : on_{&on}, stop_{stop} {
  if (!stop_) return;
  const auto ask = [](void* stop_at) {
    return (*static_cast<const std::function<bool()>*>(stop_at))() ? 1 : 0;
  };
  sqlite3_progress_handler(on_->handle_.get(), cancellation_interval_steps, ask, &stop_);
}

cancellation::~cancellation() {
  sqlite3_progress_handler(on_->handle_.get(), 0, nullptr, nullptr);
}

namespace {

/// How many pages a step of `copy_pages` copies before it checks whether to stop.
constexpr int copied_pages = 1'024;

struct finisher {
  void operator()(sqlite3_backup* handle) const noexcept { sqlite3_backup_finish(handle); }
};

} // namespace

void sqlite_connection::copy_pages(
    sqlite_connection& into, const std::function<bool()>& stop,
    const std::function<void(std::uint64_t pages, std::uint64_t whole)>& show) {
  static constexpr std::string_view operation = "copy the database";
  std::unique_ptr<sqlite3_backup, finisher> copy{
      sqlite3_backup_init(into.handle_.get(), "main", handle_.get(), "main")};
  if (!copy) throw into.failure(operation);
  while (true) {
    // Within the caller's transaction the copy never restarts, whatever others commit.
    const int result = sqlite3_backup_step(copy.get(), copied_pages);
    const auto whole = sqlite3_backup_pagecount(copy.get());
    show(static_cast<std::uint64_t>(whole - sqlite3_backup_remaining(copy.get())),
         static_cast<std::uint64_t>(whole));
    if (result == SQLITE_DONE) return;
    if (result != SQLITE_OK) {
      copy.reset(); // passes the failure to `into`
      throw into.failure(operation);
    }
    if (stop && stop()) throw base::failure{base::errc::cancelled, "interrupted"};
  }
}

} // namespace matchcloud::store
