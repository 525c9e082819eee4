#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/fault_point.hpp"
#include "store/open_store.hpp"
#include "store/sql/schema_versions.hpp"
#include "store/sql/sql.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_result;
struct pg_conn;

namespace matchcloud::store {

/// A result in binary form. Columns count from 0.
class binary_rows {
public:
  binary_rows() = default;
  explicit binary_rows(pg_result* rows) noexcept : rows_{rows} {}

  /// Null where there is no result.
  pg_result* get() const noexcept { return rows_.get(); }
  int size() const noexcept;
  bool is_null(int row, int column) const noexcept;
  /// Of any of PostgreSQL's whole numbers.
  std::int64_t integer(int row, int column) const noexcept;
  std::span<const std::uint8_t> bytes(int row, int column) const noexcept;
  model::uuid uuid(int row, int column) const noexcept;

private:
  struct clearer {
    void operator()(pg_result* rows) const noexcept;
  };

  std::unique_ptr<pg_result, clearer> rows_;
};

/// A row of such a result.
class binary_row final : public sql_row {
public:
  /// Starts at the first row of `rows`, which must outlive this object.
  explicit binary_row(const binary_rows& rows) noexcept : rows_{&rows} {}

  void stand_on(int row) noexcept {
    row_ = row;
    unescaped_.clear();
  }

  bool is_null(int column) override { return rows_->is_null(row_, column); }
  std::int64_t integer(int column) override { return rows_->integer(row_, column); }
  double real(int column) override;
  std::string_view text(int column) override;
  std::span<const std::uint8_t> blob(int column) override { return rows_->bytes(row_, column); }
  model::uuid uuid(int column) override { return rows_->uuid(row_, column); }

private:
  const binary_rows* rows_;
  int row_ = 0;
  /// Texts of this row that had escapes, at stable addresses.
  std::deque<std::string> unescaped_;
};

/// The channel on which changes of catalog, tokens and avatars are announced (NOTIFY).
inline constexpr const char* news_channel = "matchcloud";
/// The most statements sent together; one more waits for the results of those before it.
inline constexpr std::size_t sent_together_limit = 256;

/// A connection to a PostgreSQL server, in libpq's pipeline mode: changes are sent together, and
/// their results are read with the next query or the commit. A transaction that writes a subject
/// locks the subject's row of `revisions`. No call waits longer for the server than its timeouts,
/// even if the server does not respond at all. All throw `base::failure`, which names the server
/// and the database, never a password. One thread at a time.
class postgres_connection final : public sql_connection {
public:
  /// Connects. Throws `store_failed`, or `config_invalid` if the database's encoding is not UTF8.
  static std::unique_ptr<postgres_connection> open(const postgres_settings& settings);
  ~postgres_connection() override;

  sql_dialect dialect() const noexcept override { return sql_dialect::postgres; }
  void begin_reading(std::string_view operation) override;
  void select(const sql_command& query, sql_values with, const take_row& take) override;
  void select_each(const sql_command& query, std::span<const sql_value> keys,
                   const std::function<void(sql_row&)>& take) override;
  void run(const sql_command& change, sql_values with) override;
  std::size_t count_changes(const sql_command& change, sql_values with) override;
  base::failure failure(std::string_view operation, std::string_view reason) override;

  /// Runs a statement in binary form and returns its rows, all at once.
  binary_rows select_binary(const sql_command& query, sql_values with);
  using take_rows = std::function<void(binary_rows)>;
  /// Sends a statement that is not prepared, such as FETCH. `take`, which must live until then,
  /// receives its rows, in binary form, when its result is read: by `receive` or by any other call.
  void send(const std::string& sql, std::string_view operation, const take_rows& take);
  /// Reads the result of the first outstanding statement. `stop`, unless empty, is called while
  /// waiting for it; throws `cancelled` once it returns true.
  void receive(const std::function<bool()>& stop);
  /// Runs SQL outside the pipeline, possibly several statements. For migrations.
  void execute(const std::string& sql, std::string_view operation);
  /// From now on statements and locks may take this long.
  void limit_time(std::chrono::milliseconds at_most);

  /// Names the server and the database in messages.
  const std::string& server_name() const noexcept { return server_name_; }
  /// Whether a notification has arrived since the last call. Does not wait.
  bool has_news();
  /// Whether the connection can be used again: nothing failed, and the server has not closed it.
  bool is_usable() noexcept;
  bool has_failed() const noexcept { return has_failed_; }
  /// Set once the server did not respond in time and the connection was abandoned.
  const std::optional<base::error>& silence() const noexcept { return silence_; }
  /// Whether the transaction should be repeated after the last failure: a deadlock, or changes that
  /// cannot be serialized (SQLSTATE 40P01, 40001). The connection is usable after it.
  bool asks_for_repetition() const noexcept { return asks_for_repetition_; }
  /// How long a statement may take on the server.
  std::chrono::milliseconds statement_timeout() const noexcept {
    return answer_timeout_ - answer_grace;
  }
  /// Whether the server ended a statement at `statement_timeout` (SQLSTATE 57014). The connection
  /// is usable after it.
  bool ran_out_of_time() const noexcept { return ran_out_of_time_; }

private:
  struct closer {
    void operator()(pg_conn* handle) const noexcept;
  };
  /// The text of a command, and the types of its parameters, which differ where some are null.
  using prepared_key = std::pair<const char*, std::vector<std::uint32_t>>;
  /// A statement whose result has not been read.
  struct sent {
    std::string_view operation;
    /// Set if this prepares a command.
    const prepared_key* prepares = nullptr;
    /// Receives the rows of the statement, unless null.
    const take_rows* take = nullptr;
    bool row_by_row = false;
  };
  struct parameters;

  postgres_connection(const postgres_settings& settings, pg_conn* handle);

  void begin(sql_access access, std::optional<sql_subject> subject,
             std::string_view operation) override;
  void commit(std::string_view operation) override;
  void roll_back(std::string_view operation) noexcept override;

  /// Locks a subject within a transaction that has written none so far.
  void lock(sql_subject subject);
  void check_encoding() const;
  void configure(const postgres_settings& settings);
  void pass(base::fault_point at, std::string_view operation);
  void queue(const sql_command& command, const parameters& with, const sent& answer);
  /// Returns the statement's name.
  const std::string& prepare(const sql_command& command, const parameters& with);
  /// Reads the results of everything sent so far.
  void drain();
  /// Reads the result of the first outstanding statement.
  void read_answer(const std::function<bool()>& stop = {});
  /// Waits until the next result can be read without waiting.
  void await(std::string_view operation, const std::function<bool()>& stop);
  void deliver(binary_rows got, const sent& of);
  /// Throws the first failure among the results so far, if any.
  void outcome();
  /// The connection broke, or the server does not respond.
  base::failure lost(std::string_view operation, std::string_view reason = {});
  /// The server refused the connection.
  base::failure refused(std::string_view operation);
  base::error describe(std::string_view operation, std::string_view message,
                       std::string_view state) const;

  /// Outlives the handle, whose notices begin with it.
  std::string server_name_;
  std::unique_ptr<pg_conn, closer> handle_;
  std::chrono::milliseconds answer_timeout_;
  /// The names of prepared statements.
  std::map<prepared_key, std::string> prepared_;
  std::size_t statements_ = 0;
  std::deque<sent> sent_;
  bool in_transaction_ = false;
  bool is_reading_ = false;
  std::optional<sql_subject> subject_;
  /// The first failure among the results of statements sent together.
  std::optional<base::error> failure_;
  bool has_failed_ = false;
  std::optional<base::error> silence_;
  bool asks_for_repetition_ = false;
  bool ran_out_of_time_ = false;
};

/// The schema of the tables, which keeps them apart from the rest of the database.
inline constexpr const char* schema_name = "matchcloud";

/// The server and database of a connection string, for messages: `postgresql://HOST:PORT/DATABASE`,
/// without user, password and options.
std::string server_name_of(const std::string& url);

/// Checks that a server beyond loopback is verified, unless the settings allow otherwise. Takes
/// services and the environment into account. Fails with `config_invalid`.
base::expected<void> check_verification(const postgres_settings& settings);

/// Opens a connection after checking the settings. Throws `config_invalid` or `store_failed`.
std::unique_ptr<postgres_connection> open_checked(const postgres_settings& settings);

/// Opens a connection for copying the store whole. Throws what `open_postgres` fails with, and
/// `store_newer` if the schema is newer at all.
std::unique_ptr<sql_connection> open_postgres_connection(const postgres_settings& settings);

/// The versions of the schema that this program knows.
const schema_versions& postgres_schema() noexcept;

/// Creates the schema and migrates it to the newest version, under an advisory lock, so that of
/// several programs that try at once one does each step. A newer schema stays as it is and is used,
/// unless it excludes programs as old as this one: then throws `store_newer`. Throws
/// `store_failed` if the schema was never released.
void migrate(postgres_connection& on, const schema_versions& known = postgres_schema());

/// Whether the schema exists, in any version. Throws `store_failed`.
bool has_schema(postgres_connection& on);

/// Checks that this program can use the schema. Throws like `migrate`.
void check_schema(postgres_connection& on);
/// Also checks that it is not older than the program's; otherwise throws `store_failed`.
void check_is_newest(postgres_connection& on);

} // namespace matchcloud::store
